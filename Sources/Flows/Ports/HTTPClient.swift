public import OAuth

/// Sends one request and gives the response whatever its status.
///
/// An implementation verifies TLS, follows no redirect of a POST, reads at most 1 MiB of body, refuses `http` to
/// anything but loopback, and ends within its deadlines. Cancelling the task ends the transfer.
public protocol HTTPClient: Sendable {
  /// Sends the request.
  ///
  /// - Throws: ``TransportError`` where no complete response came; `CancellationError` where the task was cancelled.
  func send(_ request: HTTPRequest) async throws -> HTTPResponse
}

/// No complete response came.
public struct TransportError: Error, Sendable, Equatable {
  /// What went wrong, coarsely: what a person would do about it.
  public enum Kind: Sendable, Equatable {
    /// The host name has no address.
    case cannotResolve
    /// Nobody answers there, or the proxy refused.
    case cannotConnect
    /// A deadline passed.
    case timedOut
    /// The server's certificate does not hold, or the connection cannot be secured as it must be.
    case tls
    /// The TLS handshake did not come to its end: the server broke it off, or something on the way did.
    case handshake
    /// The body was longer than the limit.
    case tooLarge
    /// The connection broke, or what came was not HTTP.
    case broken
    /// The URL is not one this client sends to (plain `http` beyond loopback, another scheme, malformed).
    case refusedURL
    /// The certificates to trust could not be read.
    case badCertificates
    /// The request's client certificate or its key cannot be used, or the server wants one, or another.
    case badClientCertificate
    /// The proxy that the environment names cannot be used as it is written there.
    case badProxy
    /// The HTTP library could not be loaded or set up.
    case unavailable
  }

  /// The kind.
  public var kind: Kind
  /// The host that was asked, for the message.
  public var host: String
  /// The library's own words, one line.
  public var message: String
  /// Whether the server may have received the request: a refresh token in it may be spent.
  public var mayHaveArrived: Bool

  /// Makes an error.
  public init(kind: Kind, host: String, message: String, mayHaveArrived: Bool) {
    self.kind = kind
    self.host = host
    self.message = message
    self.mayHaveArrived = mayHaveArrived
  }
}

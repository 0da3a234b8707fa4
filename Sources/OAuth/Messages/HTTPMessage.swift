public import Crypto

/// One header line.
public struct HTTPHeader: Sendable, Equatable {
  /// The name as it is sent; compared without case.
  public var name: String
  /// The value, already safe for one line.
  public var value: String

  /// Makes a header line.
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// A request as a value: what a protocol step wants sent.
///
/// Nothing here does any I/O.
public struct HTTPRequest: Sendable {
  /// The methods that the protocol steps use.
  public enum Method: String, Sendable {
    case get = "GET"
    case head = "HEAD"
    case post = "POST"
    case put = "PUT"
    case delete = "DELETE"
  }

  /// The method.
  public var method: Method
  /// The absolute URL, query included.
  public var url: String
  /// The header lines, in order.
  ///
  /// Authorization among them: a trace must redact it.
  public var headers: [HTTPHeader]
  /// What in it is secret and stands where no name tells so, as a token in the path: a trace must redact it.
  public var secrets: [Secret] = []
  /// The body; it holds codes, tokens and secrets.
  public var body: Secret?
  /// What a server that asks who the client is gets shown, for this request alone (RFC 8705).
  public var clientCertificate: ClientCertificate?

  /// Makes a request.
  public init(
    method: Method, url: String, headers: [HTTPHeader] = [], body: Secret? = nil,
    clientCertificate: ClientCertificate? = nil
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.clientCertificate = clientCertificate
  }
}

/// A response as a value, whatever its status.
public struct HTTPResponse: Sendable, Equatable {
  /// The status code, 100 to 599.
  public var status: Int
  /// The header lines, in order.
  public var headers: [HTTPHeader]
  /// The body, at most 1 MiB.
  public var body: [UInt8]

  /// Makes a response.
  public init(status: Int, headers: [HTTPHeader] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// Gives the first value of a header, its name compared without case.
  public func header(_ name: String) -> String? { values(of: name).first }

  /// Gives all values of a header, in order, its name compared without case.
  public func values(of name: String) -> [String] {
    let name = name.lowercased()
    return headers.filter { $0.name.lowercased() == name }.map(\.value)
  }
}

public import FoundationEssentials

/// An authorization request that was left with the server beforehand.
///
/// - See: https://www.rfc-editor.org/rfc/rfc9126
public struct PushedAuthorization: Sendable, Equatable {
  /// The reference to it, good for one browser and once.
  public let requestURI: String
  /// When the reference ends; nil where the server did not say.
  public let expiresAt: Date?

  /// The longest reference that is taken, in bytes: it has to fit into a URL.
  private static let longest = 2048

  /// Gives the reference that a pushed authorization response holds.
  ///
  /// - Parameter now: when it was received; expiry counts from here.
  /// - Throws: ``TokenFailure``.
  /// - See: https://www.rfc-editor.org/rfc/rfc9126#section-2.2
  public static func validate(
    _ response: HTTPResponse, provider: Provider, now: Date
  ) throws(TokenFailure) -> PushedAuthorization {
    let fields = try GoodReply.fields(response, provider: provider, now: now)
    guard let uri = fields["request_uri"]?.text, (1...longest).contains(uri.utf8.count),
      uri.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { throw .notATokenReply(ServerError(status: response.status), reason: "no usable request_uri in it") }
    return PushedAuthorization(requestURI: uri, expiresAt: Expiry.read(fields, now: now, unit: .seconds))
  }

  /// Gives the URL to open: all else is with the server already.
  ///
  /// - See: https://www.rfc-editor.org/rfc/rfc9126#section-4
  public static func url(_ endpoint: String, clientID: String, _ pushed: PushedAuthorization) -> String {
    FormEncoding.url(
      endpoint, adding: [Parameter("client_id", clientID), Parameter("request_uri", pushed.requestURI)])
  }
}

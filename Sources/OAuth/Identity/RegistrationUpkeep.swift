internal import Crypto
public import FoundationEssentials

/// Reading, changing and ending a registration (RFC 7592).
///
/// The reply to the first two is read by ``DynamicRegistration/receive(_:to:asked:present:issuer:now:)``.
public enum RegistrationUpkeep {
  /// Where a registration is managed, and what with; nil where the server does not let it be.
  private static func access(_ client: ClientRegistration) -> (uri: String, token: Secret)? {
    guard let uri = client.management?.uri, let token = client.management?.token else { return nil }
    return (uri, token)
  }

  /// Builds the request that reads a registration; nil where the server has no way to.
  ///
  /// - See: https://www.rfc-editor.org/rfc/rfc7592#section-2.1
  public static func read(_ client: ClientRegistration) -> HTTPRequest? {
    access(client).map { DynamicRegistration.send(.get, to: $0.uri, token: $0.token) }
  }

  /// Builds the request that replaces what a client says of itself; nil where the server has no way to.
  ///
  /// It names the client and its secret, and says everything anew: what is left out, the server may drop.
  ///
  /// - See: https://www.rfc-editor.org/rfc/rfc7592#section-2.2
  public static func update(_ client: ClientRegistration, to metadata: ClientMetadata) -> HTTPRequest? {
    guard let (uri, token) = access(client) else { return nil }
    var members = metadata.members
    members["client_id"] = .string(client.id)
    if let secret = client.secret { members["client_secret"] = .string(secret.reveal()) }
    return DynamicRegistration.send(.put, to: uri, token: token, body: members)
  }

  /// Builds the request that ends a registration; nil where the server has no way to.
  ///
  /// - See: https://www.rfc-editor.org/rfc/rfc7592#section-2.3
  public static func delete(_ client: ClientRegistration) -> HTTPRequest? {
    access(client).map { DynamicRegistration.send(.delete, to: $0.uri, token: $0.token) }
  }

  /// Judges the reply to a deletion.
  ///
  /// - Returns: whether the registration was there; to a server that no longer knows the client, its token is nothing
  ///   (RFC 7592 section 2.3), and that is as good.
  /// - Throws: ``RegistrationFailure``.
  public static func validateDeletion(
    _ response: HTTPResponse, to request: HTTPRequest, now: Date
  ) throws(RegistrationFailure) -> Bool {
    switch response.status {
    // 204 is the RFC's.
    case 200, 202, 204: return true
    case 401, 404, 410: return false
    default:
      throw .classify(
        response, body: ReplyBody(response), url: request.url, isOfUpkeep: true, sentToken: true, now: now)
    }
  }
}

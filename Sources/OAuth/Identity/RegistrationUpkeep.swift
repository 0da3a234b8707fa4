internal import Crypto
public import FoundationEssentials

/// Reading, changing and ending a registration (RFC 7592).
///
/// The reply to the first two is read by ``DynamicRegistration/validate(_:to:asked:management:now:)``.
public enum RegistrationUpkeep {
  /// Builds the request that reads a registration.
  ///
  /// - See: https://www.rfc-editor.org/rfc/rfc7592#section-2.1
  public static func read(_ management: RegistrationManagement) -> HTTPRequest {
    DynamicRegistration.send(.get, to: management.uri, token: management.token)
  }

  /// Builds the request that replaces what a client says of itself.
  ///
  /// It names the client and its secret, and says everything anew: what is left out, the server may drop.
  ///
  /// - See: https://www.rfc-editor.org/rfc/rfc7592#section-2.2
  public static func update(
    _ client: ClientRegistration, _ management: RegistrationManagement, to metadata: ClientMetadata
  ) -> HTTPRequest {
    var members = metadata.members
    members["client_id"] = .string(client.id)
    if let secret = client.secret { members["client_secret"] = .string(secret.reveal()) }
    return DynamicRegistration.send(.put, to: management.uri, token: management.token, body: members)
  }

  /// Builds the request that ends a registration.
  ///
  /// - See: https://www.rfc-editor.org/rfc/rfc7592#section-2.3
  public static func delete(_ management: RegistrationManagement) -> HTTPRequest {
    DynamicRegistration.send(.delete, to: management.uri, token: management.token)
  }

  /// Judges the reply to a deletion.
  ///
  /// - Returns: whether the registration was there; to a server that no longer knows the client, its token is nothing
  ///   (RFC 7592 section 2.3), and that is as good.
  /// - Throws: ``RegistrationFailure``.
  public static func validateDeletion(
    _ response: HTTPResponse, of management: RegistrationManagement, now: Date
  ) throws(RegistrationFailure) -> Bool {
    switch response.status {
    // 204 is the RFC's.
    case 200, 202, 204: return true
    case 401, 404, 410: return false
    default:
      throw .classify(response, body: ReplyBody(response), url: management.uri, sentToken: true, now: now)
    }
  }
}

internal import Crypto

/// Puts the client's identity on a request (RFC 6749 section 2.3).
public enum ClientAuthentication {
  /// Chooses the method: the client's own, else the provider's, else Basic with a secret and none without.
  public static func method(for client: ClientRegistration, provider: Provider) -> ClientAuthMethod {
    if let chosen = client.method ?? provider.clientAuth { return chosen }
    return client.secret == nil ? .none : .basic
  }

  /// Gives the parameters and the header that authenticate the client.
  ///
  /// A client without a secret, or a step that does not carry it (`secret_on`), sends its id alone.
  ///
  /// - See: https://www.rfc-editor.org/rfc/rfc6749#section-2.3.1
  static func credentials(
    of client: ClientRegistration, provider: Provider, step: SecretStep?
  ) -> (parameters: [Parameter], header: HTTPHeader?) {
    let id = Parameter("client_id", client.id)
    let carriesSecret = step.map { provider.effectiveQuirks.secretOn?.contains($0) ?? true } ?? true
    guard let secret = client.secret, carriesSecret else { return ([id], nil) }
    switch method(for: client, provider: provider) {
    case .none, .clientSecretJWT, .privateKeyJWT, .tls:
      return ([id], nil)
    case .post:
      return ([id, Parameter("client_secret", secret.reveal())], nil)
    case .basic:
      return ([], basic(id: client.id, secret: secret, isRaw: provider.effectiveQuirks.basicRaw ?? false))
    }
  }

  /// HTTP Basic; id and secret are form-encoded first unless `isRaw`.
  static func basic(id: String, secret: Secret, isRaw: Bool) -> HTTPHeader {
    let encode: (String) -> String = isRaw ? { $0 } : FormEncoding.encode
    let pair = encode(id) + ":" + encode(secret.reveal())
    return HTTPHeader("Authorization", "Basic " + Base64URL.encodeClassic(pair.utf8))
  }
}

internal import Crypto

/// Puts the client's identity on a request (RFC 6749 section 2.3).
public enum ClientAuthentication {
  /// What authenticates a request.
  struct Credentials {
    var parameters: [Parameter]
    var header: HTTPHeader?
    var certificate: ClientCertificate?
  }

  /// Chooses the method: the client's own, else the provider's, else what the client has: a key, a certificate, a secret
  /// (Basic), or nothing.
  public static func method(for client: ClientRegistration, provider: Provider) -> ClientAuthMethod {
    if let chosen = client.method ?? provider.clientAuth { return chosen }
    if client.key != nil { return .privateKeyJWT }
    if client.certificate != nil { return .tls }
    return client.secret == nil && provider.effectiveQuirks.basicEmpty != true ? .none : .basic
  }

  /// Gives what authenticates the client at one step.
  ///
  /// A client without the means, or a step that does not carry them (`secret_on`), sends its id alone. A certificate is
  /// shown whatever the method: tokens may be bound to it (RFC 8705 section 3).
  ///
  /// - Throws: `KeyError` where an assertion cannot be signed.
  /// - See: https://www.rfc-editor.org/rfc/rfc6749#section-2.3.1, https://www.rfc-editor.org/rfc/rfc7523#section-2.2,
  ///   https://www.rfc-editor.org/rfc/rfc8705#section-2
  static func credentials(
    of client: RequestingClient, step: SecretStep?, stamp: RequestStamp, audience: String
  ) throws(KeyError) -> Credentials {
    let (provider, registration) = (client.provider, client.registration)
    // A grant may tell the server who asks, so that there is no client: then none is named.
    let id = registration.id.isEmpty ? [] : [Parameter("client_id", registration.id)]
    let certificate = registration.certificate
    let isAlone = Credentials(parameters: id, certificate: certificate)
    let carries = step.map { provider.effectiveQuirks.secretOn?.contains($0) ?? true } ?? true
    guard carries else { return isAlone }
    switch client.method {
    case .none, .tls:
      return isAlone
    case .post:
      guard let secret = registration.secret else { return isAlone }
      return Credentials(
        parameters: id + [Parameter("client_secret", secret.reveal())], certificate: certificate)
    case .basic:
      let isEmpty = provider.effectiveQuirks.basicEmpty ?? false
      guard let secret = registration.secret ?? (isEmpty ? Secret("") : nil) else { return isAlone }
      let header = basic(id: registration.id, secret: secret, provider.effectiveQuirks)
      return Credentials(parameters: [], header: header, certificate: certificate)
    case .clientSecretJWT:
      guard let secret = registration.secret else { return isAlone }
      return Credentials(
        parameters: id + (try assertion(of: client, .secret(secret), nil, stamp, audience)), certificate: certificate)
    case .privateKeyJWT:
      guard let kept = registration.key else { return isAlone }
      let key = try PrivateKey(pem: kept.pem)
      return Credentials(
        parameters: id
          + (try assertion(of: client, .privateKey(key, keyID: kept.keyID), kept.algorithm, stamp, audience)),
        certificate: certificate)
    }
  }

  private static func assertion(
    of client: RequestingClient, _ key: SigningKey, _ algorithm: SignatureAlgorithm?, _ stamp: RequestStamp,
    _ audience: String
  ) throws(KeyError) -> [Parameter] {
    let assertion = try ClientAssertion.build(
      clientID: client.registration.id, audience: audience, key: key,
      algorithm: client.provider.clientAuthAlg ?? client.registration.algorithm ?? algorithm, now: stamp.now,
      jti: stamp.id)
    return [
      Parameter("client_assertion_type", ClientAssertion.type), Parameter("client_assertion", assertion.reveal()),
    ]
  }

  /// HTTP Basic; id and secret are form-encoded first unless the provider wants them raw.
  static func basic(id: String, secret: Secret, _ quirks: Quirks) -> HTTPHeader {
    let words = [id, secret.reveal()]
    // What Latin-1 has no place for is in UTF-8, all of it: no server could read half and half.
    let latin1 = quirks.basicCharset == .latin1 ? words.compactMap(latin1) : []
    let bytes = latin1.count == words.count ? latin1 : words.map { Array($0.utf8) }
    let parts = quirks.basicRaw == true ? bytes : bytes.map { Array(FormEncoding.encode(bytes: $0).utf8) }
    let pair = parts[0] + [UInt8(ascii: ":")] + parts[1]
    return HTTPHeader("Authorization", "Basic " + Base64URL.encodeClassic(pair))
  }

  /// Nil for what it cannot write.
  private static func latin1(_ text: String) -> [UInt8]? {
    let bytes = text.unicodeScalars.compactMap { UInt8(exactly: $0.value) }
    return bytes.count == text.unicodeScalars.count ? bytes : nil
  }
}

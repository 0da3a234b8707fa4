internal import Flows
internal import OAuth

/// What is told of a client that the server does not take, and of tokens that are bound to a key.
extension Failure {
  /// What helps where the server refused the client, its proof, or what it asked for.
  static func clientHint(_ error: ServerError, _ login: String) -> String {
    let again = "'oauthctl login \(login.isEmpty ? "NAME" : login)"
    switch (error.code, error.shown?.method) {
    case ("invalid_client", .privateKeyJWT), ("unauthorized_client", .privateKeyJWT):
      return
        "check the client id, and that the server knows the key's public half; another key: \(again) --private-key-file FILE'; "
        + "'client_auth_alg' and the quirk assertion_audience of the provider's data change what is sent"
    case ("invalid_client", .tls), ("unauthorized_client", .tls):
      return
        "check the client id, and that the server knows the certificate; another one: \(again) --certificate-file FILE "
        + "--key-file FILE'"
    case ("invalid_client", ClientAuthMethod.none?):
      return
        "the client has shown no secret: if it has one, give it: \(again) --client-secret-file FILE'; else check the "
        + "client id"
    case ("invalid_client", _), ("unauthorized_client", _):
      return
        "check client id and secret; another --client-auth (basic, post, none) or the quirk basic_raw may be needed"
    case ("invalid_dpop_proof", _) where error.shown?.isBound == true:
      return
        "check this machine's clock (timedatectl): a proof of the key is good for a short while around the server's time"
    case ("invalid_dpop_proof", _), ("use_dpop_nonce", _):
      return "the server wants its tokens bound to a key: \(again) --dpop'"
    case ("invalid_scope", _): return "ask for other scopes: \(again) --scope SCOPE'"
    case ("invalid_target", _): return "ask for another --resource or --audience"
    case ("invalid_authorization_details", _): return "ask for other --authorization-details"
    case ("invalid_request_object", _), ("request_not_supported", _):
      return "check the client's key at the server, or leave out --sign-request"
    case ("invalid_request_uri", _), ("request_uri_not_supported", _):
      return "log in again, and leave out --par where the server does not take it"
    default:
      return
        "check the provider's data: 'oauthctl providers show \(login.isEmpty ? "NAME" : login.prefix { $0 != "/" })'"
    }
  }

  /// Says that a secret which the server did not take came from the environment, which goes before the keyring.
  func naming(variableFor clientID: String, of provider: String, _ environment: Environment) -> Failure {
    guard ["invalid_client", "unauthorized_client"].contains(server?.code),
      environment.environmentSecret(provider: provider, clientID: clientID) != nil
    else { return self }
    var told = self
    told.hint =
      "the secret came from \(Environment.settingName("CLIENT_SECRET", provider: provider)): set it right, or unset it "
      + "where the keyring has a good one" + (hint.map { "; else \($0)" } ?? "")
    return told
  }

  /// What helps where the server refused what a person had granted; nil where nobody is known to log in again.
  static func grantHint(_ error: ServerError, _ login: String) -> String? {
    guard !login.isEmpty else { return nil }
    switch error.code {
    case "insufficient_user_authentication", "unmet_authentication_requirements":
      return "the server wants the person to prove more: \(loginHint(login)) with --acr-values LIST or --max-age 0"
    default: return loginHint(login)
    }
  }

  /// What does not hold of a token that somebody signed.
  init(token mismatch: JWT.Mismatch) {
    func clean(_ text: String) -> String { PrintableText.printable(text, limit: 200) }
    if mismatch.isEncrypted {
      self.init(
        .protocolViolation, "\(mismatch.subject.name) is encrypted, and only signed ones can be read here",
        hint: "nothing was stored" + (Self.plainer(mismatch.subject).map { "; \($0)" } ?? ""))
      return
    }
    self.init(
      .protocolViolation,
      "\(mismatch.subject.name)'s '\(clean(mismatch.claim))' does not hold: expected \(clean(mismatch.expected)), "
        + "got \(mismatch.got.map(clean) ?? "none")",
      hint: "nothing was stored; check the provider's issuer" + (mismatch.subject == .idToken ? " and client id" : ""))
  }

  /// What has a server send it unencrypted; nil where that is not the client's matter.
  private static func plainer(_ subject: JWT.Subject) -> String? {
    switch subject {
    case .idToken: "have the client registered for signed ID tokens, without 'id_token_encrypted_response_alg'"
    case .userinfo: "have the client registered for plain or signed answers, without 'userinfo_encrypted_response_alg'"
    case .serverMetadata, .resourceMetadata, .other: nil
    }
  }

  /// What does not hold of a token's key, or of what the server can do with keys.
  ///
  /// - Parameter login: what to type to log in again; empty where only the provider is known.
  init(security error: FlowError, login: String) {
    switch error {
    case .unexpectedTokenType(let expected, let got, let provider):
      self.init(
        .protocolViolation,
        "the token's token_type does not hold: expected \(expected), "
          + "got \(got.map { PrintableText.printable($0, limit: 40) } ?? "none")",
        hint: expected == "DPoP"
          ? "\(provider) did not bind the token; log in without --dpop, if a bearer token will do"
          : "log in with --dpop: \(provider) binds its tokens")
    case .unusableBindingKey(let provider, let reason):
      self.init(
        .loginRequired, "the stored key that the tokens of \(provider) are bound to cannot be used: \(reason)",
        hint: "\(Self.loginHint(login.isEmpty ? provider : login)): it makes a new key; "
          + "'oauthctl logout \(login.isEmpty ? provider : login) --local' forgets without the server"
      )
    case .noProofAlgorithm(let provider, let offered):
      self.init(
        .configuration,
        offered.isEmpty
          ? "there is no kind of key that \(provider)'s server and the resource both take proofs by"
          : "\(provider) takes proofs of a key by \(PrintableText.printable(offered.joined(separator: ", "), limit: 200)) "
            + "alone, and there are ES256, ES384 and ES512 here",
        hint: "log in without --dpop")
    case .foreignAssertion(let audience, let endpoint, let provider):
      self.init(
        .configuration,
        "this service account's key is for \(PrintableText.printable(audience, limit: 100)), and \(provider) is at "
          + "\(PrintableText.printable(endpoint, limit: 100)), which could use what the key signs there",
        hint: "log in at the provider that the key is for, or name whom the assertion is for with --audience")
    case .noRequestObjects(let provider):
      self.init(
        .configuration, "\(provider) takes no signed request objects",
        hint: "log in without --sign-request; --par protects the request as well")
    default: self.init(.bug, "unexpected: \(error)", hint: "please report this as a bug")
    }
  }
}

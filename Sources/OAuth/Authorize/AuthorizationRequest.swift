public import Crypto

/// What one login has to remember between sending the user away and seeing the callback.
public struct PendingAuthorization: Sendable {
  /// 256 bits that tie the callback to this login (RFC 6749 section 10.12).
  public let state: Secret
  /// Ties the ID token to this login (OpenID Connect Core section 3.1.2.1); nil without OpenID Connect.
  public let nonce: Secret?
  /// The code verifier.
  public let pkce: PKCE
  /// The redirect URI, byte for byte as it was sent.
  public let redirectURI: String
  /// Who must have answered, where it is known (RFC 9207).
  public let issuer: String?
  /// Whether the server promised to say who it is in each answer (RFC 9207 section 3).
  public let requiresIssuer: Bool

  /// Makes one out of 96 random bytes: 32 each for the state, the nonce and the verifier.
  ///
  /// - Precondition: `random` has at least 96 bytes.
  public init(
    random: [UInt8], method: CodeChallengeMethod, usesOpenID: Bool, redirectURI: String, issuer: String?,
    requiresIssuer: Bool
  ) {
    // Fewer would be a mistake in this program, and a guessable state must never be sent.
    precondition(random.count >= 96, "state, nonce and verifier need 32 bytes each")
    state = Secret(Base64URL.encode(random[0..<32]))
    nonce = usesOpenID ? Secret(Base64URL.encode(random[32..<64])) : nil
    pkce = PKCE(random: Array(random[64..<96]), method: method)
    self.redirectURI = redirectURI
    self.issuer = issuer
    self.requiresIssuer = requiresIssuer
  }
}

/// The request that the browser makes (RFC 6749 section 4.1.1).
public enum AuthorizationRequest {
  /// What the request sets itself, beside the scopes: a fixed state or challenge would protect nothing.
  public static let ownParameters = [
    "client_id", "redirect_uri", "state", "nonce", "code_challenge", "code_challenge_method", "response_type",
  ]

  /// Gives the URL to open.
  ///
  /// - Parameters:
  ///   - scopes: what to ask for; none leaves the parameter out.
  ///   - extra: further parameters; they win over the provider's own of the same name.
  /// - See: https://www.rfc-editor.org/rfc/rfc6749#section-4.1.1
  public static func url(
    endpoint: String, provider: Provider, clientID: String, scopes: [String], pending: PendingAuthorization,
    extra: [Parameter] = []
  ) -> String {
    var parameters = [
      Parameter("response_type", "code"), Parameter("client_id", clientID),
      Parameter("redirect_uri", pending.redirectURI),
    ]
    if !scopes.isEmpty {
      parameters.append(
        Parameter(
          provider.effectiveQuirks.effectiveScopeParam, scopes.joined(separator: provider.effectiveScopeSeparator)))
    }
    parameters.append(Parameter("state", pending.state.reveal()))
    if let nonce = pending.nonce { parameters.append(Parameter("nonce", nonce.reveal())) }
    if let challenge = pending.pkce.challenge {
      parameters.append(Parameter("code_challenge", challenge))
      parameters.append(Parameter("code_challenge_method", pending.pkce.method.rawValue))
    }
    let overridden = Set(extra.map(\.name))
    for (name, value) in (provider.authorizationParams ?? [:]).sorted(by: { $0.key < $1.key })
    where !overridden.contains(name) {
      parameters.append(Parameter(name, value))
    }
    return FormEncoding.url(endpoint, adding: parameters + extra)
  }
}

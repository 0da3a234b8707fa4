public import Crypto

/// What one login has to remember between sending the user away and seeing the callback.
///
/// All that is secret in it is encoded in the clear: for the keyring alone.
public struct PendingAuthorization: Sendable, Equatable, Codable {
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
  /// Whether the tokens come with the answer itself (RFC 6749 section 4.2).
  public let isImplicit: Bool
  /// How the answer comes back; nil where that is left to the response type.
  public let responseMode: ResponseMode?
  /// Whether an ID token comes with the code (OpenID Connect Core section 3.3); nil is no.
  public let isHybrid: Bool?

  enum CodingKeys: String, CodingKey {
    case state, nonce, pkce
    case redirectURI = "redirect_uri"
    case issuer
    case requiresIssuer = "requires_issuer"
    case isImplicit = "is_implicit"
    case responseMode = "response_mode"
    case isHybrid = "is_hybrid"
  }

  /// Makes one out of 96 random bytes: 32 each for the state, the nonce and the verifier.
  ///
  /// - Precondition: `random` has at least 96 bytes.
  public init(
    random: [UInt8], method: CodeChallengeMethod, usesOpenID: Bool, redirectURI: String, issuer: String?,
    requiresIssuer: Bool, isImplicit: Bool = false, responseMode: ResponseMode? = nil, isHybrid: Bool? = nil
  ) {
    // Fewer would be a mistake in this program, and a guessable state must never be sent.
    precondition(random.count >= 96, "state, nonce and verifier need 32 bytes each")
    state = Secret(Base64URL.encode(random[0..<32]))
    nonce = usesOpenID ? Secret(Base64URL.encode(random[32..<64])) : nil
    pkce = PKCE(random: Array(random[64..<96]), method: method)
    self.redirectURI = redirectURI
    self.issuer = issuer
    self.requiresIssuer = requiresIssuer
    self.isImplicit = isImplicit
    self.responseMode = responseMode
    self.isHybrid = isHybrid
  }

  /// What is asked for (RFC 6749 section 3.1.1, OpenID Connect Core sections 3.2.2.1 and 3.3.2.1).
  func responseType(scopes: [String]) -> String {
    guard isImplicit else { return isHybrid == true ? "code id_token" : "code" }
    return scopes.contains("openid") ? "id_token token" : "token"
  }
}

/// The request that the browser makes (RFC 6749 section 4.1.1).
public enum AuthorizationRequest {
  /// What the request sets itself, beside the scopes: a fixed state or challenge would protect nothing.
  public static let ownParameters = [
    "client_id", "redirect_uri", "state", "nonce", "code_challenge", "code_challenge_method", "response_type",
    "response_mode", "dpop_jkt", "request", "request_uri",
  ]

  /// Gives the parameters of the request.
  ///
  /// - Parameters:
  ///   - scopes: what to ask for; none leaves the parameter out.
  ///   - extra: further parameters; they win over the provider's own of the same name.
  /// - Throws: `KeyError` where the key that the tokens are to be bound to cannot be read.
  /// - See: https://www.rfc-editor.org/rfc/rfc6749#section-4.1.1, https://www.rfc-editor.org/rfc/rfc9449#section-10
  public static func parameters(
    for client: RequestingClient, scopes: [String], pending: PendingAuthorization, extra: [Parameter] = []
  ) throws(KeyError) -> [Parameter] {
    let provider = client.provider
    var parameters = [
      Parameter("response_type", pending.responseType(scopes: scopes)), Parameter("client_id", client.registration.id),
      Parameter("redirect_uri", pending.redirectURI),
    ]
    if let mode = pending.responseMode { parameters.append(Parameter("response_mode", mode.rawValue)) }
    if !scopes.isEmpty {
      parameters.append(
        Parameter(
          provider.effectiveQuirks.effectiveScopeParam, scopes.joined(separator: provider.effectiveScopeSeparator)))
    }
    parameters.append(Parameter("state", pending.state.reveal()))
    if let nonce = pending.nonce { parameters.append(Parameter("nonce", nonce.reveal())) }
    if !pending.isImplicit, let challenge = pending.pkce.challenge {
      parameters.append(Parameter("code_challenge", challenge))
      parameters.append(Parameter("code_challenge_method", pending.pkce.method.rawValue))
    }
    if let binding = client.binding {
      parameters.append(Parameter("dpop_jkt", DPoP.thumbprint(of: try PrivateKey(pem: binding.key).publicKey)))
    }
    let overridden = Set(extra.map(\.name))
    for (name, value) in (provider.authorizationParams ?? [:]).sorted(by: { $0.key < $1.key })
    where !overridden.contains(name) {
      parameters.append(Parameter(name, value))
    }
    return parameters + extra
  }
}

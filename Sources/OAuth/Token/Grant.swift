public import Crypto

/// What is given to the token endpoint in exchange for tokens.
public enum Grant: Sendable {
  /// A validated code (RFC 6749 section 4.1.3).
  case authorizationCode(AuthorizationCode)
  /// A refresh token (RFC 6749 section 6).
  case refreshToken(Secret)
  /// Nothing but the client's own authentication (RFC 6749 section 4.4).
  case clientCredentials
  /// A person's name and password (RFC 6749 section 4.3).
  case password(username: String, password: Secret)
  /// A signed statement of somebody whom the server trusts (RFC 7523 section 2.1).
  case jwtBearer(assertion: Secret)
  /// Another's token (RFC 8693).
  case tokenExchange(TokenExchange)
  /// A grant of the provider's own (RFC 6749 section 4.5).
  case `extension`(type: String, parameters: [Parameter])

  /// All that is secret in it, so that a server's echo of it can be redacted.
  public var secrets: [Secret] {
    switch self {
    case .authorizationCode(let code): [code.code] + (code.verifier.map { [$0] } ?? [])
    case .refreshToken(let token): [token]
    case .password(_, let password): [password]
    case .jwtBearer(let assertion): [assertion]
    case .tokenExchange(let exchange): exchange.secrets
    case .clientCredentials, .extension: []
    }
  }

  /// The step that says whether the client's secret goes with it; nil where it always does.
  var step: SecretStep? {
    switch self {
    case .authorizationCode: .code
    case .refreshToken: .refresh
    case .clientCredentials, .password, .jwtBearer, .tokenExchange, .extension: nil
    }
  }

  /// The parameters of the token request that are the grant's own.
  func parameters(of provider: Provider) -> [Parameter] {
    switch self {
    case .authorizationCode(let code):
      [
        Parameter("grant_type", "authorization_code"), Parameter("code", code.code.reveal()),
        Parameter("redirect_uri", code.redirectURI),
      ] + (code.verifier.map { [Parameter("code_verifier", $0.reveal())] } ?? [])
    case .refreshToken(let token):
      [Parameter("grant_type", "refresh_token"), Parameter("refresh_token", token.reveal())]
    case .clientCredentials:
      [Parameter("grant_type", "client_credentials")]
    case .password(let username, let password):
      [
        Parameter("grant_type", "password"), Parameter("username", username),
        Parameter("password", password.reveal()),
      ]
    case .jwtBearer(let assertion):
      [
        Parameter("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"),
        Parameter("assertion", assertion.reveal()),
      ]
    case .tokenExchange(let exchange): exchange.parameters(scopeSeparator: provider.effectiveScopeSeparator)
    case .extension(let type, let parameters):
      [Parameter("grant_type", type)] + parameters
    }
  }
}

public import Crypto

/// What is given to the token endpoint in exchange for tokens.
public enum Grant: Sendable {
  /// A validated code (RFC 6749 section 4.1.3).
  case authorizationCode(AuthorizationCode)
  /// A refresh token (RFC 6749 section 6).
  case refreshToken(Secret)

  /// All that is secret in it, so that a server's echo of it can be redacted.
  public var secrets: [Secret] {
    switch self {
    case .authorizationCode(let code): [code.code] + (code.verifier.map { [$0] } ?? [])
    case .refreshToken(let token): [token]
    }
  }

  var step: SecretStep {
    switch self {
    case .authorizationCode: .code
    case .refreshToken: .refresh
    }
  }
}

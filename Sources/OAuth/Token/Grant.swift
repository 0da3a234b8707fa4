public import Crypto

/// What is given to the token endpoint in exchange for tokens.
public enum Grant: Sendable {
  /// A validated code (RFC 6749 section 4.1.3).
  case authorizationCode(AuthorizationCode)
  /// A refresh token (RFC 6749 section 6).
  case refreshToken(Secret)

  var step: SecretStep {
    switch self {
    case .authorizationCode: .code
    case .refreshToken: .refresh
    }
  }
}

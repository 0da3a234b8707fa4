import Crypto
import OAuth
import TestSupport

/// A code that has gone the only way there is to one.
enum SampleCode {
  static func make(_ code: String = "c-1", method: CodeChallengeMethod = .s256) throws -> AuthorizationCode {
    let pending = PendingAuthorization(
      random: Sample.random(96), method: method, usesOpenID: false, redirectURI: "http://127.0.0.1:4711/call back",
      issuer: nil, requiresIssuer: false)
    let query = FormEncoding.encode([Parameter("code", code), Parameter("state", pending.state.reveal())])
    guard case .code(let made) = AuthorizationResponse.validate(query: query, pending: pending) else {
      throw UnexpectedUse()
    }
    return made
  }
}

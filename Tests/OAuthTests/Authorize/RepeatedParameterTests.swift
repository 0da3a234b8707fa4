import OAuth
import TestSupport
import Testing

/// No parameter of a request or a response may be there twice (RFC 6749 section 3.1).
struct RepeatedParameterTests {
  private func validate(_ query: String) -> CallbackOutcome {
    let pending = PendingAuthorization(
      random: Sample.random(96), method: .s256, usesOpenID: false, redirectURI: "http://127.0.0.1:4711/callback",
      issuer: "https://a", requiresIssuer: false)
    return AuthorizationResponse.validate(
      query: "state=AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8&\(query)", pending: pending)
  }

  @Test(arguments: [
    "code=c&iss=https%3A%2F%2Fa&iss=https%3A%2F%2Fb", "code=c&iss=https%3A%2F%2Fb&iss=https%3A%2F%2Fa", "code=c&code=d",
  ])
  func `an answer that says two things gives no code`(_ query: String) {
    if case .code = validate(query) { Issue.record("a code was taken") }
  }
}

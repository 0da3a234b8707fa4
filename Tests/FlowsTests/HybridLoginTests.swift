import Crypto
import Foundation
import OAuth
import TestSupport
import Testing

@testable import Flows

/// Logins where an ID token comes with the code (OpenID Connect Core section 3.3).
@Suite(.timeLimit(.minutes(1))) struct HybridLoginTests {
  /// The left half of the code's digest, as an ES256 token has it.
  private static func hash(of code: String) -> JSONValue {
    .string(Base64URL.encode(SHA256.digest(Array(code.utf8)).prefix(16)))
  }

  private func logIn(
    _ issuer: SampleIssuer, early: [String: JSONValue?] = [:], late: [String: JSONValue?]? = [:],
    further: [Exchange] = [], answer: (@Sendable (String) -> String)? = nil, isRedeemed: Bool = true
  ) async throws -> LoginResult {
    let first = try issuer.idToken(
      ["c_hash": Self.hash(of: "c-1")].merging(early) { _, new in new }, nonce: LoginHarness.nonce
    ).reveal()
    let second = try late.map { try issuer.idToken($0, nonce: LoginHarness.nonce).reveal() }
    let member = second.map { #","id_token":"\#($0)""# } ?? ""
    let listeners = FakeListeners()
    let browser = FakeBrowser { url in
      #expect(url.parameter("response_type") == "code id_token" && url.parameter("response_mode") == nil)
      let text = "code=c-1&id_token=\(first)&state=\(LoginHarness.state)"
      listeners.listener.post(fragment: answer?(text) ?? text)
    }
    let exchange = LoginHarness.exchange(answers: .json(#"{"access_token":"a"\#(member)}"#))
    let harness = LoginHarness(
      http: FakeHTTPClient([issuer.publishes()] + further + (isRedeemed ? [exchange] : [])), listeners: listeners,
      browser: browser)
    return try await harness.run(
      LoginHarness.plan(SampleIssuer.provider(), scopes: ["openid"]) { $0.isHybrid = true })
  }

  @Test func `both tokens are verified, and are of one person`() async throws {
    let result = try await logIn(try SampleIssuer())
    #expect(result.identity == "ada@example.com" && result.tokens.accessToken == Secret("a"))
  }

  static let bad: [(claim: String, changes: [String: JSONValue?])] = [
    ("c_hash", ["c_hash": hash(of: "c-2")]), ("c_hash", ["c_hash": nil]), ("nonce", ["nonce": .string("x")]),
    ("aud", ["aud": .string("other")]), ("iss", ["iss": .string("https://evil.example")]),
    ("exp", ["exp": .integer(1)]),
  ]

  @Test(arguments: bad) func `a code whose ID token does not hold is sent to nobody`(
    _ row: (claim: String, changes: [String: JSONValue?])
  ) async throws {
    let issuer = try SampleIssuer()
    let error = await #expect(throws: JWT.Mismatch.self) {
      try await logIn(issuer, early: row.changes, isRedeemed: false)
    }
    #expect(error?.claim == row.claim)
  }

  @Test func `an ID token of other keys is no word of the issuer's`() async throws {
    let (issuer, foreign) = (try SampleIssuer(), try SampleIssuer(keyID: "k-9"))
    let token = try foreign.idToken(["c_hash": Self.hash(of: "c-1")], nonce: LoginHarness.nonce).reveal()
    let error = await #expect(throws: JWT.Mismatch.self) {
      try await logIn(
        issuer, further: [issuer.publishes()],
        answer: { _ in "code=c-1&id_token=\(token)&state=\(LoginHarness.state)" }, isRedeemed: false)
    }
    #expect(error?.claim == "kid")
  }

  @Test(arguments: [("sub", "eve"), ("sub", "")]) func `two tokens of two persons end the login`(
    _ claim: String, _ other: String
  ) async throws {
    let issuer = try SampleIssuer()
    let error = await #expect(throws: JWT.Mismatch.self) { try await logIn(issuer, late: [claim: .string(other)]) }
    #expect(error?.claim == claim)
  }

  @Test func `the token endpoint has to give one as well`() async throws {
    let issuer = try SampleIssuer()
    let error = await #expect(throws: JWT.Mismatch.self) { try await logIn(issuer, late: nil) }
    #expect(error?.claim == "id_token")
  }

  @Test(arguments: ["state=\(LoginHarness.state)&code=c-1", "ALL&id_token=x"])
  func `a code without its ID token, or with two, is no answer`(_ text: String) async throws {
    let issuer = try SampleIssuer()
    let error = await #expect(throws: FlowError.self) {
      try await logIn(issuer, answer: { text.replacingOccurrences(of: "ALL", with: $0) }, isRedeemed: false)
    }
    guard case .callback = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }
}

import Crypto
import Flows
import OAuth
import TestSupport
import Testing

/// What a login with OpenID Connect checks, and who it then is.
@Suite(.timeLimit(.minutes(1))) struct LoginIdentityTests {
  private func logIn(
    _ idToken: Secret?, scopes: [String] = ["openid"], change: (inout Provider) -> Void = { $0.issuer = Sample.issuer }
  ) async throws -> LoginResult {
    let member = idToken.map { #","id_token":"\#($0.reveal())""# } ?? ""
    let listeners = FakeListeners()
    let harness = LoginHarness(
      http: FakeHTTPClient(LoginHarness.exchange(answers: .json(#"{"access_token":"a"\#(member)}"#))),
      listeners: listeners,
      browser: LoginHarness.willing(listeners.listener))
    let result = try await harness.run(LoginHarness.plan(Sample.provider(change), scopes: scopes))
    #expect((harness.browser?.opened.all.first?.parameter("nonce") != nil) == scopes.contains("openid"))
    return result
  }

  @Test func `a token of this login tells who it is`() async throws {
    #expect(try await logIn(Sample.idToken(nonce: LoginHarness.nonce)).identity == "ada@example.com")
  }

  @Test func `a login without an ID token has no name`() async throws {
    #expect(try await logIn(nil).identity == nil)
  }

  static let bad: [(claim: String, token: Secret)] = [
    ("nonce", Sample.idToken()), ("nonce", Sample.idToken(nonce: "other")),
    ("iss", Sample.idToken(iss: "https://evil.example", nonce: LoginHarness.nonce)),
    ("aud", Sample.idToken(aud: "other", nonce: LoginHarness.nonce)), ("id_token", Secret("a.b")),
  ]

  @Test(arguments: bad) func `a token that does not hold ends the login`(_ row: (claim: String, token: Secret)) async {
    let error = await #expect(throws: JWT.Mismatch.self) { try await logIn(row.token) }
    #expect(error?.claim == row.claim)
  }

  @Test func `another name of the issuer is taken where the provider has one`() async throws {
    let token = Sample.idToken(iss: "id.acme.example", nonce: LoginHarness.nonce)
    let result = try await logIn(token) { provider in
      provider.issuer = Sample.issuer
      var quirks = Quirks()
      quirks.issuerAliases = ["id.acme.example"]
      provider.quirks = quirks
    }
    #expect(result.identity == "ada@example.com")
  }

  @Test func `without a fixed issuer any is taken`() async throws {
    let token = Sample.idToken(iss: "https://tenant.example", nonce: LoginHarness.nonce)
    #expect(try await logIn(token, change: { _ in }).identity == "ada@example.com")
  }

  @Test func `without OpenID Connect the token is no proof, only a name`() async throws {
    #expect(try await logIn(Sample.idToken(iss: "x", aud: "y"), scopes: ["read"]).identity == "ada@example.com")
    #expect(try await logIn(Secret("rubbish"), scopes: ["read"]).identity == nil)
  }
}

import Crypto
import OAuth
import TestSupport
import Testing

@testable import Flows

/// By which keys a login checks its ID token, and what it does without any.
@Suite(.timeLimit(.minutes(1))) struct LoginKeysTests {
  private static let outage = TransportError(kind: .timedOut, host: "id", message: "no answer", mayHaveArrived: true)

  private let terminal = FakeTerminal()
  private let store = MemoryStore()

  private func confirm(
    _ token: Secret, _ http: FakeHTTPClient, nonce: Secret? = nil, _ change: (inout LoginPlan) -> Void = { _ in }
  ) async throws -> LoginResult {
    var plan = LoginPlan(client: Sample.client(at: SampleIssuer.provider()), scopes: ["openid"])
    plan.keySets = KeySetStore(store)
    change(&plan)
    let confirm = ConfirmIdentity(network: Sample.network(http), terminal: terminal)
    var result = LoginResult(tokens: Sample.tokens { $0.idToken = token }, client: plan.client)
    try await confirm.confirm(&result, plan, nonce: nonce, keys: await confirm.keys(of: plan))
    return result
  }

  @Test func `the keys that it was checked with come along, to be kept`() async throws {
    let issuer = try SampleIssuer()
    let result = try await confirm(try issuer.idToken(), FakeHTTPClient(issuer.publishes()))
    #expect(result.identity == "ada@example.com" && result.keys?.set == issuer.keys)
    #expect(store.saves.isEmpty && terminal.notes.all.isEmpty)
  }

  @Test func `keys that changed while the person was away are read again`() async throws {
    let (old, new) = (try SampleIssuer(keyID: "old"), try SampleIssuer(keyID: "new"))
    let result = try await confirm(try new.idToken(), FakeHTTPClient(old.publishes(), new.publishes()))
    #expect(result.keys?.set == new.keys)
  }

  @Test func `a token that no published key signed is refused`() async throws {
    let (known, other) = (try SampleIssuer(keyID: "known"), try SampleIssuer(keyID: "other"))
    let error = await #expect(throws: JWT.Mismatch.self) {
      try await confirm(try other.idToken(), FakeHTTPClient(known.publishes(), known.publishes()))
    }
    #expect(error == JWT.Mismatch(of: .idToken, claim: "kid", expected: "one of known", got: "other"))
  }

  @Test func `without keys the connection vouches, and that is told`() async throws {
    let issuer = try SampleIssuer()
    let http = FakeHTTPClient(.failing(.get, SampleIssuer.keysURL, with: Self.outage))
    let result = try await confirm(try issuer.idToken(), http)
    #expect(result.identity == "ada@example.com" && result.keys == nil)
    #expect(terminal.notes.all.first?.hasSuffix("the signature of the ID token was not checked") == true)
  }

  @Test func `a token through the browser is nothing without keys`() async throws {
    let token = try SampleIssuer().idToken()
    let http = FakeHTTPClient(.get(SampleIssuer.keysURL, .text("", status: 503)))
    await #expect(throws: KeySetError(url: SampleIssuer.keysURL, status: 503)) {
      try await confirm(token, http) { $0.isImplicit = true }
    }
    await #expect(throws: JWT.Mismatch.self) {
      try await confirm(token, FakeHTTPClient()) {
        $0.isImplicit = true
        $0.client.provider.endpoints?.jwks = nil
      }
    }
  }

  @Test func `keys of an earlier login serve, and still refuse what they did not sign`() async throws {
    let issuer = try SampleIssuer()
    await KeySetStore(store).keep(try issuer.kept(), provider: "acme")
    func failing() -> FakeHTTPClient { FakeHTTPClient(.failing(.get, SampleIssuer.keysURL, with: Self.outage)) }
    #expect(try await confirm(try issuer.idToken(), failing()).identity == "ada@example.com")
    #expect(terminal.notes.all.last?.contains("earlier login") == true)
    let spoilt = try SampleIssuer().idToken()
    await #expect(throws: JWT.Mismatch.self) { try await confirm(spoilt, failing()) }
    // By a key that is newer than those: then only the connection is left.
    let newer = try SampleIssuer(keyID: "newer").idToken()
    #expect(try await confirm(newer, failing()).identity == "ada@example.com")
    #expect(terminal.notes.all.last?.contains("not checked") == true)
    await #expect(throws: Self.outage) { try await confirm(newer, failing()) { $0.isImplicit = true } }
  }

  @Test func `a tenant's issuer is made of the token's own claim`() async throws {
    let issuer = try SampleIssuer()
    func logIn(_ iss: String, _ tenant: String) async throws -> String? {
      let token = try issuer.idToken(["iss": .string(iss), "tid": .string(tenant)])
      return try await confirm(token, FakeHTTPClient(issuer.publishes())) {
        var quirks = Quirks()
        quirks.issuerAliases = ["https://id.acme.example/{tid}/v2.0"]
        $0.client.provider.quirks = quirks
      }.identity
    }
    #expect(try await logIn("https://id.acme.example/t-1/v2.0", "t-1") == "ada@example.com")
    await #expect(throws: JWT.Mismatch.self) { try await logIn("https://id.acme.example/t-2/v2.0", "t-1") }
  }

  @Test func `a grant without a person is named after who asks`() async throws {
    let reply = HTTPResponse.json(#"{"access_token":"a"}"#)
    func identity(_ kind: DirectLogin.Kind) async throws -> String? {
      let http = FakeHTTPClient(.post(Sample.tokenURL, reply))
      return try await DirectLogin(network: Sample.network(http), terminal: terminal).run(
        LoginHarness.plan(), kind
      ).identity
    }
    #expect(try await identity(.clientCredentials) == "app")
    #expect(try await identity(.password(username: "ada", password: Secret("p"))) == "ada")
    #expect(try await identity(.assertion(Sample.idToken(sub: "bob"))) == "bob")
    let key = ClientKey(pem: try PrivateKey.generate().pem())
    let robot = StandingGrant.Assertion(issuer: "robot@acme", subject: nil, audience: nil, key: key, holdsScope: false)
    #expect(try await identity(.signedAssertion(robot)) == "robot@acme")
  }
}

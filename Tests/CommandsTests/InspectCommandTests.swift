import Crypto
import OAuth
import TestSupport
import Testing

@testable import Commands
@testable import Flows

struct InspectCommandTests {
  private let issuer: SampleIssuer

  init() throws { issuer = try SampleIssuer() }

  /// An account with an ID token, the issuer's keys kept beside it.
  private func store(
    _ token: Secret?, provider: Provider = SampleIssuer.provider(), _ change: (inout Session) -> Void = { _ in }
  ) async throws -> MemoryStore {
    let session = Sample.session(provider: provider, tokens: Sample.tokens { $0.idToken = token }, change)
    let store = try MemoryStore(session)
    await KeySetStore(store).keep(try issuer.kept(), provider: "acme")
    return store
  }

  @Test func `a person reads claims, most telling first, and who vouches for them`() async throws {
    let token = try issuer.idToken(["zone": .string("a\u{1B}[31mb"), "groups": .array([.string("x")])])
    let outcome = try await CommandHarness(try await store(token)).run("inspect", "acme/work")
    #expect(outcome.code == 0 && outcome.messages.isEmpty)
    #expect(
      outcome.output == """
        acme/work: ada@example.com

        ID token (ES256, key k-1): verified; it ends in 60m
          iss     https://id.acme.example
          sub     ada
          aud     app
          email   ada@example.com
          iat     1800000000 (2027-01-15T08:00:00Z)
          exp     1800003600 (2027-01-15T09:00:00Z)
          groups  ["x"]
          zone    ab

        access token: it is no JWT; it ends in 60m

        """)
  }

  @Test func `a script gets an object, its keys always the same`() async throws {
    let token = try issuer.idToken(["exp": .integer(1_799_999_000), "email": nil])
    let outcome = try await CommandHarness(try await store(token)).run("inspect", "acme/work", "--json")
    let access =
      #"{"expires_at":"2027-01-15T09:00:00Z","is_jwt":false,"reason":"it is no JWT","scope":["read"],"token_type":"Bearer","verified":false}"#
    let claims = #"{"aud":"app","exp":1799999000,"iat":1800000000,"iss":"https://id.acme.example","sub":"ada"}"#
    let ended =
      #""expires_at":"2027-01-15T07:43:20Z","has_ended":true,"header":{"alg":"ES256","kid":"k-1"},"verified":true"#
    #expect(
      outcome.output
        == #"{"access_token":\#(access),"account":"work","id_token":{"claims":\#(claims),\#(ended)},"#
        + #""identity":"ada@example.com","provider":"acme"}"# + "\n")
    #expect(!outcome.output.contains("access-1") && !outcome.output.contains("refresh-1"))
  }

  @Test func `an ID token that the issuer did not sign is not shown`() async throws {
    let harness = try CommandHarness(
      try await store(try SampleIssuer().idToken()), http: FakeHTTPClient(issuer.publishes()))
    let outcome = try await harness.run("inspect", "acme/work")
    #expect(outcome.code == 76 && outcome.output.isEmpty)
    #expect(outcome.messages[0].contains("'signature'") && outcome.messages[1].contains("oauthctl login acme/work"))
  }

  @Test func `without keys the answer says so, and the exit code`() async throws {
    let outage = TransportError(kind: .cannotConnect, host: "id", message: "refused", mayHaveArrived: false)
    let http = FakeHTTPClient(.failing(.get, SampleIssuer.keysURL, with: outage))
    let session = Sample.session(
      provider: SampleIssuer.provider(), tokens: Sample.tokens { $0.idToken = try? issuer.idToken() })
    let outcome = try await CommandHarness(try MemoryStore(session), http: http).run("inspect", "acme/work")
    #expect(outcome.code == 75)
    #expect(outcome.output.contains("decoded only, not verified (the provider's keys cannot be read now)"))
    #expect(outcome.messages[0].contains("the ID token could not be verified: cannot connect to id"))
  }

  @Test func `a provider that publishes no keys is no failure`() async throws {
    let session = Sample.session(tokens: Sample.tokens { $0.idToken = try? issuer.idToken() })
    let outcome = try await CommandHarness(try MemoryStore(session)).run("inspect", "acme/work")
    #expect(outcome.code == 0 && outcome.output.contains("(the provider's keys are not known)"))
  }

  @Test func `one signed by the client's secret needs that secret, and no keys`() async throws {
    let secret = Secret("a-secret-of-the-client-that-is-long-enough")
    let claims: [String: JSONValue] = [
      "iss": .string(Sample.issuer), "sub": .string("ada"), "aud": .string("app"), "iat": .integer(1_800_000_000),
      "exp": .integer(1_800_003_600),
    ]
    let token = try JWT.sign(header: [:], claims: claims, key: .secret(secret))
    let store = try await store(token)
    let without = try await CommandHarness(store).run("inspect", "acme/work", "--id-token")
    #expect(without.code == 0 && without.output.contains("signed with the client's secret, which is not known here"))
    try store.put(ClientRegistration(id: "app", secret: secret))
    let outcome = try await CommandHarness(store).run("inspect", "acme/work", "--id-token")
    #expect(outcome.code == 0 && outcome.output.contains("ID token (HS256): verified"))
  }

  @Test func `no ID token is an error only where nothing else is wanted`() async throws {
    let store = try await store(nil)
    #expect(try await CommandHarness(store).run("inspect", "acme/work").code == 0)
    let outcome = try await CommandHarness(store).run("inspect", "acme/work", "--id-token")
    #expect(outcome.code == 77 && outcome.messages[1].contains("--scope openid"))
    #expect(try await CommandHarness(store).run("inspect", "acme/work", "--id-token", "--introspect").code == 64)
  }

  @Test func `a refusal of the userinfo endpoint is met with one refresh`() async throws {
    let http = FakeHTTPClient(
      .get(SampleIssuer.userinfoURL, .error("invalid_token", status: 401)), .post(Sample.tokenURL, Sample.rotated),
      .get(SampleIssuer.userinfoURL, .json(#"{"sub":"ada","seen":"access-2-is-short"}"#)))
    let outcome = try await CommandHarness(try await store(try issuer.idToken()), http: http).run(
      "inspect", "acme/work", "--userinfo")
    #expect(outcome.code == 0 && outcome.output.contains("userinfo\n  sub   ada\n"))
    #expect(http.requests.last?.headers("Authorization") == ["Bearer access-2"])
    let again = FakeHTTPClient(
      .get(SampleIssuer.userinfoURL, .error("invalid_token", status: 401)), .post(Sample.tokenURL, Sample.rotated),
      .get(SampleIssuer.userinfoURL, .error("invalid_token", status: 401)))
    let failed = try await CommandHarness(try await store(try issuer.idToken()), http: again).run(
      "inspect", "acme/work", "--userinfo")
    #expect(failed.code == 77)
  }

  @Test func `what cannot be renewed is not`() async throws {
    let http = FakeHTTPClient(.get(SampleIssuer.userinfoURL, .error("invalid_token", status: 401)))
    let store = try await store(try issuer.idToken()) { $0.tokens.refreshToken = nil }
    let outcome = try await CommandHarness(store, http: http).run("inspect", "acme/work", "--userinfo")
    #expect(outcome.code == 77 && outcome.messages[1].contains("oauthctl login acme/work"))
  }

  @Test func `an endpoint that the provider does not have is told`() async throws {
    for (option, name) in [("--userinfo", "userinfo"), ("--introspect", "introspection")] {
      let store = try MemoryStore(Sample.session())
      let outcome = try await CommandHarness(store).run("inspect", "acme/work", option)
      #expect(outcome.code == 78 && outcome.messages[0].contains("acme has no \(name) endpoint"))
    }
  }
}

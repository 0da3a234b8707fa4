import Crypto
import OAuth
import TestSupport
import Testing

@testable import Flows

/// Who it is, asked where the login did not say.
@Suite(.timeLimit(.minutes(1))) struct NameAccountTests {
  private let warnings = Recorder<String>()

  private func session(
    _ provider: Provider = SampleIssuer.provider(), _ change: (inout Session) -> Void = { _ in }
  ) -> Session {
    Sample.session(provider: provider) {
      ($0.requestedScopes, $0.identity) = (["openid"], nil)
      change(&$0)
    }
  }

  private func name(_ session: Session, _ http: FakeHTTPClient) async throws -> (named: Session, stored: Session?) {
    let store = try MemoryStore(session)
    let namer = NameAccount(
      store: store, lock: FakeLock(), network: Sample.network(http), warn: { [warnings] in warnings.add($0) })
    let named = await namer.named(session, as: Sample.account, client: Sample.client(at: session.provider))
    return (named, try store.session())
  }

  private func answers(_ text: String) -> FakeHTTPClient { FakeHTTPClient(.get(SampleIssuer.userinfoURL, .json(text))) }

  @Test func `what the provider says is kept`() async throws {
    let (named, stored) = try await name(session(), answers(#"{"sub":"ada","preferred_username":"ada.l"}"#))
    #expect(named.identity == "ada.l" && stored?.identity == "ada.l")
  }

  @Test func `an ID token that says it is enough, and so is a client that is nobody`() async throws {
    let token = Sample.idToken()
    #expect(!NameAccount.isWorthAsking(session { $0.tokens.idToken = token }))
    #expect(NameAccount.isWorthAsking(session { $0.tokens.idToken = Sample.jwt(#"{"sub":"ada"}"#) }))
    #expect(!NameAccount.isWorthAsking(session { $0.grant = StandingGrant(id: "g", kind: .clientCredentials) }))
    #expect(!NameAccount.isWorthAsking(session { $0.tokens.tokenType = "N_A" }))
    #expect(!NameAccount.isWorthAsking(session(Sample.provider())))
    #expect(!NameAccount.isWorthAsking(session { $0.requestedScopes = ["read"] }))
    _ = try await name(session { $0.requestedScopes = ["read"] }, FakeHTTPClient())
  }

  @Test func `a provider whose data tells where the name is needs no OpenID Connect`() async throws {
    let provider = SampleIssuer.provider {
      var quirks = Quirks()
      quirks.userinfo = UserinfoStyle()
      quirks.userinfo?.identity = "data.login"
      $0.quirks = quirks
    }
    let plain = session(provider) { $0.requestedScopes = ["read"] }
    #expect(try await name(plain, answers(#"{"data":{"login":"ada"}}"#)).named.identity == "ada")
  }

  @Test func `what fails leaves the login as it was`() async throws {
    let token = Sample.jwt(#"{"sub":"ada"}"#)
    let before = session {
      $0.tokens.idToken = token
      $0.identity = "ada"
    }
    let failure = TransportError(kind: .timedOut, host: "id", message: "m", mayHaveArrived: true)
    for http in [
      answers(#"{"error":"server_error"}"#), FakeHTTPClient(.get(SampleIssuer.userinfoURL, .text("", status: 503))),
      FakeHTTPClient(.failing(.get, SampleIssuer.userinfoURL, with: failure)),
    ] {
      let (named, stored) = try await name(before, http)
      #expect(named == before && stored == before && warnings.all.isEmpty)
    }
    let (named, _) = try await name(before, answers(#"{"sub":"mallory","email":"m@x"}"#))
    #expect(named == before && warnings.all.count == 1)
    #expect(warnings.all[0].hasSuffix("its 'sub' does not hold: expected ada, got mallory"))
  }

  @Test func `a keyring that takes no name fails no login`() async throws {
    let store = try MemoryStore(session())
    store.failAlways(.save, with: .locked)
    let namer = NameAccount(
      store: store, lock: FakeLock(), network: Sample.network(answers(#"{"sub":"ada"}"#)), warn: { _ in })
    let named = await namer.named(session(), as: Sample.account, client: Sample.client(at: SampleIssuer.provider()))
    #expect(named == session())
  }

  @Test func `another person is told by the issuer's name for them, else by what there is`() {
    let (ada, bob) = (Sample.idToken(), Sample.idToken(sub: "bob"))
    func one(_ token: Secret?, _ identity: String?) -> Session {
      session {
        $0.tokens.idToken = token
        $0.identity = identity
      }
    }
    #expect(!one(ada, "ada").isAnothers(than: one(ada, "ada@example.com")))
    #expect(one(bob, "x").isAnothers(than: one(ada, "x")))
    #expect(one(nil, "bob").isAnothers(than: one(ada, "ada")))
    #expect(!one(nil, nil).isAnothers(than: one(ada, "ada")))
    // One person by two kinds of names.
    #expect(!one(nil, "bob").isAnothers(than: one(nil, "bob@example.com")))
    #expect(one(nil, "bob@example.com").isAnothers(than: one(nil, "ada@example.com")))
    var less = one(nil, "2489")
    less.requestedScopes = []
    #expect(!less.isAnothers(than: one(nil, "bob")))
  }
}

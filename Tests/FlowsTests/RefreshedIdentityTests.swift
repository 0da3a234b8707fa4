import Crypto
import OAuth
import TestSupport
import Testing

@testable import Flows

/// What becomes of the ID token that a refresh brings; the new refresh token beside it is kept whatever that is.
@Suite(.timeLimit(.minutes(1))) struct RefreshedIdentityTests {
  private let issuer: SampleIssuer
  private let first: Secret

  init() throws {
    issuer = try SampleIssuer()
    first = try issuer.idToken()
  }

  private func refresh(
    _ token: Secret, isKept: Bool = true, scopes: [String] = ["openid"], aliases: [String]? = nil
  ) async throws -> (session: Session, warnings: [String]) {
    let store = try MemoryStore(
      Sample.session(provider: SampleIssuer.provider(), tokens: Sample.tokens { $0.idToken = first }) {
        $0.requestedScopes = scopes
        if let aliases {
          var quirks = $0.provider.effectiveQuirks
          quirks.issuerAliases = aliases
          $0.provider.quirks = quirks
        }
      })
    if isKept { await KeySetStore(store).keep(try issuer.kept(), provider: "acme") }
    let warnings = Recorder<String>()
    let reply = #"{"access_token":"access-2","refresh_token":"refresh-2","id_token":"\#(token.reveal())"}"#
    // Keys are asked of nobody: the fake fails on any other request.
    let http = FakeHTTPClient(RefreshHarness.exchange(.json(reply)))
    let session = try await RefreshSession(
      store: store, lock: FakeLock(), network: Sample.network(http), warn: { warnings.add($0) }
    ).refresh(Sample.account, seen: Secret("access-1").fingerprint)
    #expect(session.tokens.refreshToken == Secret("refresh-2") && session.tokens.accessToken == Secret("access-2"))
    return (session, warnings.all)
  }

  @Test func `one that holds takes the former one's place`() async throws {
    for claims in [["auth_time": .integer(1)], ["exp": .integer(1)]] as [[String: JSONValue?]] {
      let token = try issuer.idToken(claims)
      let (session, warnings) = try await refresh(token)
      #expect(session.tokens.idToken == token && warnings.isEmpty)
    }
  }

  @Test func `one that does not is dropped, and that is told`() async throws {
    let wrong = [
      (try SampleIssuer().idToken(), "signature"), (try issuer.idToken(["aud": .string("other")]), "aud"),
      (try issuer.idToken(["at_hash": .string("other")]), "at_hash"), (try issuer.idToken(["iat": nil]), "iat"),
    ]
    for (token, claim) in wrong {
      let (session, warnings) = try await refresh(token)
      #expect(session.tokens.idToken == first && warnings.count == 1 && warnings[0].contains("'\(claim)'"), "\(claim)")
    }
  }

  static let changes: [Named<[String: JSONValue]>] = [
    Named("auth_time", ["auth_time": .integer(2)]), Named("azp", ["azp": .string("other")]),
    Named("nonce", ["nonce": .string("other")]),
  ]

  @Test(arguments: changes) func `one of another login of the same person is dropped, and that is told`(
    _ row: Named<[String: JSONValue]>
  ) async throws {
    let same: [String: JSONValue?] = ["auth_time": .integer(1), "azp": .string("app"), "nonce": .string("n")]
    let before = try issuer.idToken(same)
    let other = RefreshedIdentityTests(issuer: issuer, first: before)
    let (session, warnings) = try await other.refresh(try issuer.idToken(same.merging(row.value) { $1 }))
    #expect(session.tokens.idToken == before && warnings.count == 1)
    #expect(warnings.first?.contains("'\(row.id)'") == true)
    // What is not in both cannot be compared: a refresh should have no nonce.
    let plain = try issuer.idToken()
    #expect(try await other.refresh(plain).session.tokens.idToken == plain)
    let more = try issuer.idToken(same)
    #expect(try await refresh(more).session.tokens.idToken == more)
  }

  private init(issuer: SampleIssuer, first: Secret) { (self.issuer, self.first) = (issuer, first) }

  @Test func `one of the same issuer under its other name takes the former one's place`() async throws {
    let token = try issuer.idToken(["iss": .string("acme.example")])
    let (session, warnings) = try await refresh(token, aliases: ["acme.example"])
    #expect(session.tokens.idToken == token && warnings.isEmpty)
  }

  @Test func `one of another issuer is dropped, whoever it speaks of`() async throws {
    for claims in [["iss": .string("https://else.example")], ["iss": nil]] as [[String: JSONValue?]] {
      for subject in [.string("ada"), .string("eve")] as [JSONValue] {
        let token = try issuer.idToken(claims.merging(["sub": subject]) { $1 })
        let (session, warnings) = try await refresh(token)
        #expect(session.tokens.idToken == first && warnings.count == 1 && warnings.first?.contains("'iss'") == true)
      }
    }
  }

  @Test func `one by keys that are not known here is taken at the connection's word`() async throws {
    let newer = try SampleIssuer(keyID: "newer").idToken()
    let (session, warnings) = try await refresh(newer)
    #expect(session.tokens.idToken == newer && warnings.isEmpty)
    let other = try SampleIssuer().idToken()
    let without = try await refresh(other, isKept: false)
    #expect(without.session.tokens.idToken == other && without.warnings.isEmpty)
  }

  @Test func `one that was never asked for is not judged`() async throws {
    let other = try SampleIssuer().idToken(["aud": .string("other")])
    let (session, warnings) = try await refresh(other, scopes: ["read"])
    #expect(session.tokens.idToken == other && warnings.isEmpty)
  }

  @Test func `one that cannot be read is dropped without a word`() async throws {
    let (session, warnings) = try await refresh(Secret("a.b.c.d.e"))
    #expect(session.tokens.idToken == first && warnings.isEmpty)
  }
}

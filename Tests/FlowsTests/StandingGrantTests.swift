import Crypto
import Foundation
import OAuth
import TestSupport
import Testing

@testable import Flows

/// A refresh without a refresh token: the grant is redeemed again.
struct StandingGrantTests {
  private static let grant = StandingGrant(id: "g-1", kind: .clientCredentials, parameters: ["tenant": "t-1"])

  private static func session(_ change: (inout Session) -> Void = { _ in }) -> Session {
    Sample.expired {
      $0.tokens.refreshToken = nil
      $0.grant = grant
      change(&$0)
    }
  }

  private static let form = [
    "grant_type": "client_credentials", "scope": "read write", "tenant": "t-1", "client_id": "app",
  ]

  private static func exchange(_ response: HTTPResponse) -> Exchange { .post(Sample.tokenURL, form: form, response) }

  private static let reply = HTTPResponse.json(#"{"access_token":"access-2","expires_in":3600,"refresh_token":"r"}"#)

  private func harness(_ exchanges: FakeHTTPClient, _ session: Session = session()) throws -> RefreshHarness {
    RefreshHarness(try MemoryStore(session), exchanges)
  }

  @Test func `it is redeemed as at login, without a mark, and no refresh token is kept`() async throws {
    let harness = try harness(FakeHTTPClient(Self.exchange(Self.reply)))
    let fresh = try await harness.run()
    #expect(fresh.tokens.accessToken == Secret("access-2") && fresh.tokens.refreshToken == nil)
    // One save alone, of the new token: there is nothing that this could use up.
    #expect(harness.store.saves.count == 1)
    let stored = try harness.stored()
    #expect(stored.grant == Self.grant && stored.pendingRefresh == nil && stored.isRenewable)
    #expect(harness.lock.taken == ["acme/work"])
  }

  @Test func `resources of the login are named again, and win over a parameter of the same name`() async throws {
    let session = Self.session {
      $0.resources = ["https://api.example/"]
      $0.grant?.parameters = ["resource": "https://old.example/"]
    }
    let exchange = Exchange.post(Sample.tokenURL, form: ["resource": "https://api.example/"], Self.reply)
    let harness = try harness(FakeHTTPClient(exchange), session)
    _ = try await harness.run()
    #expect(FormEncoding.decode(harness.http.requests[0].text).filter { $0.name == "resource" }.count == 1)
  }

  @Test func `an assertion is signed anew, by the key in the keyring`() async throws {
    let pem = try PrivateKey.generate(.p256).pem()
    let session = Self.session {
      $0.clientID = ""
      $0.clientAuth = ClientAuthMethod.none
      $0.grant = StandingGrant(
        id: "g-1", kind: .jwtBearer,
        assertion: StandingGrant.Assertion(
          issuer: "robot", subject: "ann", audience: nil, key: ClientKey(pem: pem), holdsScope: true))
    }
    let harness = try harness(FakeHTTPClient(.post(Sample.tokenURL, Self.reply)), session)
    _ = try await harness.run()
    let form = harness.http.requests[0].form
    let sent = try #require(JWT.Parsed(Secret(form["assertion"] ?? "")))
    #expect(sent.claims["sub"] == .string("ann") && sent.claims["scope"] == .string("read write"))
    #expect(form["client_id"] == nil && form["scope"] == nil)
    #expect(try harness.stored().grant == session.grant)
  }

  @Test func `a grant of the provider's own is sent as it was`() async throws {
    let session = Self.session {
      $0.grant = StandingGrant(id: "g-1", kind: .extension, type: "installed", parameters: ["device_id": "d"])
    }
    let exchange = Exchange.post(Sample.tokenURL, form: ["grant_type": "installed", "device_id": "d"], Self.reply)
    _ = try await harness(FakeHTTPClient(exchange), session).run()
  }

  @Test func `a refusal is marked by the grant, which is not sent again for a minute`() async throws {
    let harness = try harness(
      FakeHTTPClient(Self.exchange(.error("invalid_grant")), Self.exchange(Self.reply)))
    let error = await #expect(throws: FlowError.self) { try await harness.run() }
    guard case .standingGrantRefused(Sample.account, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    let stored = try harness.stored()
    #expect(stored.refused?.fingerprint == "g-1" && stored.isRefused && stored.state(at: Sample.now) == .refused)
    #expect(stored.grant == Self.grant && stored.tokens == Self.session().tokens)
    let again = await #expect(throws: FlowError.self) { try await harness.run() }
    guard case .alreadyRefused = again else {
      Issue.record("\(String(describing: again))")
      return
    }
    #expect(harness.http.requests.count == 1)
    // It may have been a clock that was wrong, or a right that somebody has given since.
    harness.time.now += 61
    #expect(try await harness.run().refused == nil && harness.http.requests.count == 2)
  }

  @Test func `a refusal of another grant does not matter, and goes`() async throws {
    let session = Self.session { $0.refused = RefusedGrant(fingerprint: "g-0", at: Sample.now) }
    let harness = try harness(FakeHTTPClient(Self.exchange(Self.reply)), session)
    _ = try await harness.run()
    #expect(try harness.stored().refused == nil)
  }

  static let outages: [Named<HTTPResponse>] = [
    Named("a page", .text("<html>", status: 503)), Named("overload", .error("temporarily_unavailable", status: 503)),
    Named("too many", .text("", status: 429)),
  ]

  @Test(arguments: outages) func `an outage is remembered, and nothing else changes`(_ row: Named<HTTPResponse>)
    async throws
  {
    let harness = try harness(FakeHTTPClient(Self.exchange(row.value)))
    await #expect(throws: TokenFailure.self) { try await harness.run() }
    let stored = try harness.stored()
    #expect(stored.backoff?.failures == 1 && stored.pendingRefresh == nil && stored.refused == nil)
    #expect(stored.tokens == Self.session().tokens && stored.grant == Self.grant)
  }

  @Test func `a good reply ends the back-off`() async throws {
    let session = Self.session { $0.backoff = Backoff(failures: 3, notBefore: Sample.now.addingTimeInterval(-1)) }
    let harness = try harness(FakeHTTPClient(Self.exchange(Self.reply)), session)
    _ = try await harness.run()
    #expect(try harness.stored().backoff == nil)
  }

  @Test func `a client that is wrong changes nothing`() async throws {
    let harness = try harness(FakeHTTPClient(Self.exchange(.error("invalid_client", status: 401))))
    await #expect(throws: TokenFailure.self) { try await harness.run() }
    let stored = try harness.stored()
    #expect(stored.refused == nil && stored.backoff == nil && stored.pendingRefresh == nil)
  }

  @Test(arguments: [StoreError.locked, .itemLocked, .timedOut(seconds: 5), .noService(detail: "d")])
  func `a keyring that takes nothing is told at once, for nothing is lost`(_ error: StoreError) async throws {
    let warnings = Recorder<String>()
    let harness = try harness(FakeHTTPClient(Self.exchange(Self.reply), Self.exchange(Self.reply)))
    harness.store.failAlways(.save, with: error)
    let thrown = await #expect(throws: StoreError.self) { try await refresh(harness, warnings) }
    #expect(thrown.map { "\($0)" } == "\(error)")
    #expect(harness.time.sleeps.isEmpty && warnings.all.isEmpty)
    harness.store.failAlways(.save, with: nil)
    #expect(try await refresh(harness, warnings).tokens.accessToken == Secret("access-2"))
    #expect(!harness.store.saves.contains { $0.isLastCopy })
  }

  @Test func `what is in the memory of the keyring alone is as good`() async throws {
    let warnings = Recorder<String>()
    let harness = try harness(FakeHTTPClient(Self.exchange(Self.reply)))
    harness.store.place = .sessionOnly
    _ = try await refresh(harness, warnings)
    #expect(harness.time.sleeps.isEmpty && warnings.all.isEmpty && harness.store.saves.count == 1)
  }

  private func refresh(_ harness: RefreshHarness, _ warnings: Recorder<String>) async throws -> Session {
    try await RefreshSession(
      store: harness.store, lock: harness.lock, network: Sample.network(harness.http, harness.time)
    ) { warnings.add($0) }.refresh(Sample.account, seen: Secret("access-1").fingerprint)
  }

  @Test func `who comes later takes what the first one got`() async throws {
    let harness = try harness(FakeHTTPClient(Self.exchange(Self.reply)))
    _ = try await harness.run()
    #expect(try await harness.run().tokens.accessToken == Secret("access-2"))
  }

  @Test func `it can be read back, and its id tells that the token can be renewed`() async throws {
    let store = try MemoryStore(Self.session())
    let token = try SessionStore(store).loadToken(Sample.account)
    #expect(token?.grantID == "g-1" && token?.isRenewable == true)
  }
}

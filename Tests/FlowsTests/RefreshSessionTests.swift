import Crypto
import Foundation
import OAuth
import TestSupport
import Testing

@testable import Flows

@Suite(.timeLimit(.minutes(1))) struct RefreshSessionTests {
  @Test func `new tokens are in the keyring before anyone sees them, and the old ones are gone`() async throws {
    let harness = RefreshHarness(
      try MemoryStore(Sample.expired()), FakeHTTPClient(RefreshHarness.exchange(Sample.rotated)))
    let session = try await harness.run()
    #expect(session.tokens.accessToken == Secret("access-2") && session.tokens.refreshToken == Secret("refresh-2"))
    #expect(session.tokens.expiresAt == Sample.now.addingTimeInterval(3600))
    #expect(try harness.stored() == session)
    #expect(session.pendingRefresh == nil && session.refused == nil && session.backoff == nil)
    #expect(session.generation == 3)
    #expect(harness.lock.taken == ["acme/work"] && harness.lock.limits == [RefreshSession.lockLimit])
  }

  @Test func `a mark is written before the refresh token is sent, under the lock`() async throws {
    let store = try MemoryStore(Sample.expired())
    let lock = FakeLock()
    let exchange = Exchange(.post, Sample.tokenURL) { _ in
      let marked = try #require(try store.session())
      #expect(
        marked.pendingRefresh
          == PendingRefresh(
            fingerprint: Secret("refresh-1").fingerprint, startedAt: Sample.now, lock: lock.identity))
      #expect(marked.tokens.refreshToken == Secret("refresh-1") && marked.generation == 2)
      #expect(lock.isHeld("acme/work"))
      return Sample.rotated
    }
    let harness = RefreshHarness(store, FakeHTTPClient(exchange), lock: lock)
    _ = try await harness.run()
    #expect(!lock.isHeld("acme/work"))
  }

  @Test func `a keyring that takes no writes is found out before the token is spent`() async throws {
    let harness = RefreshHarness(try MemoryStore(Sample.expired()), FakeHTTPClient())
    harness.store.failAlways(.save, with: .locked)
    await #expect(throws: StoreError.locked) { try await harness.run() }
    #expect(try harness.stored() == Sample.expired())
  }

  @Test(arguments: [
    #"{"access_token":"access-2"}"#, #"{"access_token":"access-2","refresh_token":null}"#,
    #"{"access_token":"access-2","refresh_token":""}"#,
  ]) func `without a new refresh token the old one stays`(_ reply: String) async throws {
    let harness = RefreshHarness(
      try MemoryStore(Sample.expired()), FakeHTTPClient(RefreshHarness.exchange(.json(reply))))
    _ = try await harness.run()
    #expect(try harness.stored().tokens.refreshToken == Secret("refresh-1"))
    #expect(try harness.stored().tokens.accessToken == Secret("access-2"))
    #expect(try harness.stored().scope == ["read"])
  }

  @Test func `where another process was faster nothing is sent`() async throws {
    let store = try MemoryStore(Sample.session())
    let harness = RefreshHarness(store, FakeHTTPClient())
    let session = try await harness.run(seen: "older")
    #expect(try session.tokens.accessToken == Secret("access-1") && session == harness.stored())
    #expect(store.saves.isEmpty)
  }

  @Test func `what another process stored is no news when it has ended`() async throws {
    let harness = RefreshHarness(
      try MemoryStore(Sample.expired()), FakeHTTPClient(RefreshHarness.exchange(Sample.rotated)))
    #expect(try await harness.run(seen: "older").tokens.accessToken == Secret("access-2"))
  }

  @Test func `the very token that was seen is renewed, though it is valid`() async throws {
    let harness = RefreshHarness(
      try MemoryStore(Sample.session()), FakeHTTPClient(RefreshHarness.exchange(Sample.rotated)))
    #expect(try await harness.run().tokens.accessToken == Secret("access-2"))
  }

  @Test func `of many at once one asks the server, and all have its tokens`() async throws {
    let harness = RefreshHarness(
      try MemoryStore(Sample.expired()), FakeHTTPClient(RefreshHarness.exchange(Sample.rotated)))
    let tokens = try await withThrowingTaskGroup(of: Secret.self) { group in
      for _ in 0..<12 { group.addTask { try await harness.run().tokens.accessToken } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(tokens == Array(repeating: Secret("access-2"), count: 12))
    #expect(harness.http.requests.count == 1 && harness.lock.taken.count == 12)
  }

  @Test func `without the lock nothing is read or sent`() async throws {
    for error in [LockError.busy(holder: 7, seconds: 45), .unusable(path: "/x", reason: "owned by root")] {
      let harness = RefreshHarness(try MemoryStore(Sample.expired()), FakeHTTPClient(), lock: FakeLock(error: error))
      await #expect(throws: error) { try await harness.run() }
      #expect(harness.store.count(.load) == 0 && harness.store.saves.isEmpty)
    }
  }

  @Test func `nobody is logged in`() async {
    let harness = RefreshHarness(MemoryStore(), FakeHTTPClient())
    await #expect(throws: AccountError.none(Sample.account, others: [])) { try await harness.run() }
  }

  @Test func `without a refresh token nothing is sent`() async throws {
    let session = Sample.expired { $0.tokens.refreshToken = nil }
    let harness = RefreshHarness(try MemoryStore(session), FakeHTTPClient())
    let error = await #expect(throws: FlowError.self) { try await harness.run() }
    guard case .noRefreshToken(Sample.account) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try harness.stored() == session)
  }

  @Test func `the provider's own refresh endpoint and parameters are used`() async throws {
    let session = Sample.expired { session in
      session.provider.endpoints?.refresh = "https://id.acme.example/renew"
      session.provider.refreshParams = ["a": "1"]
    }
    let exchange = Exchange.post("https://id.acme.example/renew", form: ["a": "1"], Sample.rotated)
    _ = try await RefreshHarness(try MemoryStore(session), FakeHTTPClient(exchange)).run()
  }

  @Test func `without an endpoint nothing is sent`() async throws {
    let session = Sample.expired { $0.provider.endpoints = nil }
    let error = await #expect(throws: FlowError.self) {
      try await RefreshHarness(try MemoryStore(session), FakeHTTPClient()).run()
    }
    guard case .noEndpoint(provider: "acme", endpoint: "token") = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `the client's secret is the caller's, else the keyring's`() async throws {
    for (given, sent) in [(Secret("mine"), "mine"), (nil, "kept")] {
      let store = try MemoryStore(Sample.expired { $0.clientAuth = .post })
      try store.put(ClientRegistration(id: "app", secret: Secret("kept")))
      let exchange = Exchange.post(Sample.tokenURL, form: ["client_secret": sent], Sample.rotated)
      _ = try await RefreshHarness(store, FakeHTTPClient(exchange)).run(secret: given)
    }
  }

  @Test func `a secret that is needed and not known is asked for, not guessed`() async throws {
    let error = await #expect(throws: FlowError.self) {
      try await RefreshHarness(try MemoryStore(Sample.expired { $0.clientAuth = .basic }), FakeHTTPClient()).run()
    }
    guard case .noClientSecret(provider: "acme", clientID: "app") = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test(arguments: [#""rubbish""#, #""a.b.c.d.e""#, "5", "[]"])
  func `an ID token that cannot be read costs no refresh token, and the old one stays`(_ value: String) async throws {
    let session = Sample.expired { $0.tokens.idToken = Sample.idToken() }
    let reply = HTTPResponse.json(#"{"access_token":"access-2","refresh_token":"refresh-2","id_token":\#(value)}"#)
    let harness = RefreshHarness(try MemoryStore(session), FakeHTTPClient(RefreshHarness.exchange(reply)))
    let tokens = try await harness.run().tokens
    #expect(tokens.refreshToken == Secret("refresh-2") && tokens.idToken == Sample.idToken())
    #expect(tokens.fields["id_token"] == nil)
  }

  @Test func `an ID token of another person is refused and not stored`() async throws {
    let token = Sample.idToken(sub: "eve")
    let session = Sample.expired { $0.tokens.idToken = Sample.idToken() }
    let reply = HTTPResponse.json(#"{"access_token":"access-2","id_token":"\#(token.reveal())"}"#)
    let harness = RefreshHarness(try MemoryStore(session), FakeHTTPClient(RefreshHarness.exchange(reply)))
    await #expect(throws: JWT.Mismatch.self) { try await harness.run() }
    #expect(try harness.stored().tokens == session.tokens)
  }

  @Test func `an ID token of the same person is stored`() async throws {
    let session = Sample.expired { $0.tokens.idToken = Sample.idToken() }
    let token = Sample.idToken(nonce: "other")
    let reply = HTTPResponse.json(#"{"access_token":"access-2","id_token":"\#(token.reveal())"}"#)
    let harness = RefreshHarness(try MemoryStore(session), FakeHTTPClient(RefreshHarness.exchange(reply)))
    #expect(try await harness.run().tokens.idToken == token)
  }
}

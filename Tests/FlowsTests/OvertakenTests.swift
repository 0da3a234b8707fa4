import Crypto
import Foundation
import OAuth
import TestSupport
import Testing

@testable import Flows

/// What is stored may be changed by those who know nothing of the lock: another machine, a backup.
@Suite(.timeLimit(.minutes(1))) struct OvertakenTests {
  private func other(generation: Int, token: String = "refresh-9", _ start: Session = Sample.session()) -> Session {
    var session = start
    session.tokens.refreshToken = Secret(token)
    session.tokens.accessToken = Secret("access-9")
    session.generation = generation
    return session
  }

  @Test func `a login that somebody stored while the server answered is kept, and used`() async throws {
    let store = try MemoryStore(Sample.expired())
    let newer = other(generation: 7)
    let exchange = Exchange(.post, Sample.tokenURL) { _ in
      try store.put(newer)
      return Sample.rotated
    }
    let harness = RefreshHarness(store, FakeHTTPClient(exchange))
    #expect(try await harness.run() == newer)
    #expect(try harness.stored() == newer)
  }

  @Test func `a backup that was put back while the server answered is replaced by what the server said`() async throws {
    let store = try MemoryStore(Sample.expired { $0.generation = 5 })
    let older = other(generation: 2)
    let exchange = Exchange(.post, Sample.tokenURL) { _ in
      try store.put(older)
      return Sample.rotated
    }
    let session = try await RefreshHarness(store, FakeHTTPClient(exchange)).run()
    #expect(session.tokens.refreshToken == Secret("refresh-2") && session.generation == 7)
    #expect(try store.session() == session)
  }

  @Test func `an item that was removed while the server answered comes back`() async throws {
    let store = try MemoryStore(Sample.expired())
    let exchange = Exchange(.post, Sample.tokenURL) { _ in
      store.items = [:]
      return Sample.rotated
    }
    let session = try await RefreshHarness(store, FakeHTTPClient(exchange)).run()
    #expect(try store.session() == session && session.tokens.refreshToken == Secret("refresh-2"))
  }

  @Test func `a mark that somebody set on the same grant is not lost`() throws {
    let store = try MemoryStore(Sample.session { $0.generation = 4 })
    let read = Sample.session()
    let next = try SessionStore(store).update(read, of: Sample.account) { $0.identity = "grace" }.session
    #expect(next.generation == 5 && next.identity == "grace")
  }

  @Test func `of what is the last copy the store is told, and only then`() async throws {
    let harness = RefreshHarness(
      try MemoryStore(Sample.expired()), FakeHTTPClient(RefreshHarness.exchange(Sample.rotated)))
    harness.store.fail(.save, calls: 2, 3, 4, 5, 6, 7, with: .failed(detail: "no"))
    #expect(try await harness.run().tokens.refreshToken == Secret("refresh-2"))
    #expect(harness.store.saves.map(\.isLastCopy) == [false, true])
  }

  @Test func `a last copy goes beside what cannot be read, and a person is told that it will not last`() async throws {
    let store = try MemoryStore(Sample.expired())
    let told = Recorder<String>()
    let exchange = Exchange(.post, Sample.tokenURL) { _ in
      store.failAlways(.load, with: .locked)
      store.place = .sessionOnly
      return Sample.rotated
    }
    let session = try await RefreshSession(
      store: store, lock: FakeLock(), network: Sample.network(FakeHTTPClient(exchange), FakeTime()),
      warn: { told.add($0) }
    ).refresh(Sample.account, seen: Secret("access-1").fingerprint)
    #expect(session.tokens.refreshToken == Secret("refresh-2"))
    #expect(try store.session() == session)
    #expect(store.saves.prefix(2).map(\.isLastCopy) == [false, true])
    #expect(
      told.all.count == 1 && told.all.first?.contains("run 'oauthctl refresh acme/work' before you log out") == true)
  }

  @Test func `a copy that would not last is brought to its place as soon as that is open`() async throws {
    let store = try MemoryStore(Sample.expired())
    let told = Recorder<String>()
    let exchange = Exchange(.post, Sample.tokenURL) { _ in
      store.fail(.save, calls: 1, with: .locked)
      store.place = .sessionOnly
      store.before(.save) { number in if number == 5 { store.place = .inPlace } }
      return Sample.rotated
    }
    let time = FakeTime()
    let session = try await RefreshSession(
      store: store, lock: FakeLock(), network: Sample.network(FakeHTTPClient(exchange), time), warn: { told.add($0) }
    ).refresh(Sample.account, seen: Secret("access-1").fingerprint)
    #expect(told.all.isEmpty && session.tokens.refreshToken == Secret("refresh-2"))
    #expect(try store.session() == session)
    #expect(time.sleeps == [200, 500, 1000].map { .milliseconds($0) })
    #expect(store.saves.map(\.isLastCopy) == [false, true, false, false])
  }

  @Test(arguments: ["refresh-1", "refresh-2"])
  func `a service that was started anew with the old item gets the new tokens, rotated or not`(
    _ token: String
  ) async throws {
    let store = try MemoryStore(Sample.expired())
    let exchange = Exchange(.post, Sample.tokenURL) { _ in
      let marked = store.items
      store.fail(.save, calls: 1, with: .locked)
      store.place = .sessionOnly
      // The third save is the one into the service's memory; the load before the fourth finds what was there before.
      store.before(.save) { if $0 == 4 { store.place = .inPlace } }
      store.before(.load) { if $0 == 6 { store.items = marked } }
      return .json(#"{"access_token":"access-2","expires_in":3600,"refresh_token":"\#(token)"}"#)
    }
    let session = try await RefreshHarness(store, FakeHTTPClient(exchange)).run()
    #expect(session.tokens.accessToken == Secret("access-2") && session.pendingRefresh == nil)
    #expect(try store.session() == session)
  }

  @Test func `a grant that stands is not mixed with one that somebody stored meanwhile`() async throws {
    func standing(_ id: String, _ generation: Int, token: String) -> Session {
      Sample.expired { session in
        session.tokens.refreshToken = nil
        session.tokens.accessToken = Secret(token)
        session.grant = StandingGrant(id: id, kind: .clientCredentials)
        session.generation = generation
      }
    }
    let store = try MemoryStore(standing("g-1", 1, token: "access-1"))
    var newer = standing("g-2", 7, token: "access-9")
    newer.tokens.expiresAt = Sample.now.addingTimeInterval(3600)
    let exchange = Exchange(.post, Sample.tokenURL) { [newer] _ in
      try store.put(newer)
      return .json(#"{"access_token":"access-2","expires_in":3600}"#)
    }
    let session = try await RefreshHarness(store, FakeHTTPClient(exchange)).run()
    #expect(session.grant?.id == "g-2" && session.tokens.accessToken == Secret("access-9"))
    #expect(try store.session() == session)
  }
}

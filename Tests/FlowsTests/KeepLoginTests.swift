import Crypto
import OAuth
import TestSupport
import Testing

@testable import Flows

/// The end of a login: its tokens exist nowhere else.
@Suite(.timeLimit(.minutes(1))) struct KeepLoginTests {
  private let client = ClientRegistration(id: "app", secret: nil, method: nil)

  private func keep(
    _ store: MemoryStore, _ lock: FakeLock = FakeLock(), _ time: FakeTime = FakeTime()
  ) async throws -> Session {
    try await KeepLogin(store: store, lock: lock, time: time).keep(Sample.session(), client: client, as: Sample.account)
  }

  @Test func `it goes on from the generation that it replaces, under the account's lock`() async throws {
    let store = try MemoryStore(Sample.expired { $0.generation = 1_900_000_000 })
    let lock = FakeLock()
    let kept = try await keep(store, lock)
    #expect(kept.generation == 1_900_000_001)
    #expect(try store.session() == kept)
    #expect(lock.taken == ["acme/work"] && lock.limits == [KeepLogin.lockLimit])
    #expect(store.saves.map(\.key) == [Sample.clientKey, Sample.key])
  }

  @Test func `a new login is of a newer generation than any copy of a former one that is out of sight`() async throws {
    #expect(try await keep(MemoryStore()).generation == 1_800_000_001)
    #expect(try await keep(MemoryStore(Sample.expired { $0.generation = 40 })).generation == 1_800_000_001)
  }

  @Test func `a lock that stays busy is told as what it is, and cancelling does not end the wait`() async throws {
    let lock = FakeLock(error: .busy(holder: 7, seconds: 150))
    await #expect(throws: LockError.busy(holder: 7, seconds: 150)) { try await keep(MemoryStore(), lock) }
    let store = MemoryStore()
    let kept = try await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await keep(store)
    }.value
    #expect(try store.session() == kept)
  }

  @Test func `a keyring that fails is tried again for a while`() async throws {
    let store = MemoryStore()
    store.fail(.save, calls: 1, 2, 3, with: .noService(detail: "gone"))
    let time = FakeTime()
    let kept = try await keep(store, FakeLock(), time)
    #expect(try store.session() == kept)
    #expect(time.sleeps == [200, 500, 1000].map { .milliseconds($0) })
    #expect(store.saves.allSatisfy { !$0.isLastCopy })
  }

  @Test(arguments: [StoreError.locked, .failed(detail: "full")])
  func `of a grant that stands nothing is lost, so nothing is tried twice`(_ error: StoreError) async throws {
    let store = MemoryStore()
    store.failAlways(.save, with: error)
    let time = FakeTime()
    let session = Sample.session {
      $0.tokens.refreshToken = nil
      $0.grant = StandingGrant(id: "g-1", kind: .clientCredentials)
    }
    await #expect(throws: error) {
      try await KeepLogin(store: store, lock: FakeLock(), time: time).keep(session, client: client, as: Sample.account)
    }
    #expect(time.sleeps.isEmpty)
  }

  @Test(arguments: [StoreError.locked, .unlockDismissed, .noCollection])
  func `where a person has to do something nothing is tried twice, and the loss is told`(_ error: StoreError)
    async throws
  {
    let store = try MemoryStore(Sample.expired())
    let before = store.items
    store.failAlways(.save, with: error)
    let time = FakeTime()
    let failure = await #expect(throws: FlowError.self) { try await keep(store, FakeLock(), time) }
    guard case .loginNotSaved(Sample.account, error) = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(time.sleeps.isEmpty && store.items == before)
  }

  private func kept(_ stored: ClientRegistration, read: ClientRegistration?, login: ClientRegistration) async throws
    -> ClientRegistration?
  {
    let store = MemoryStore()
    try store.put(stored)
    _ = try await KeepLogin(store: store, lock: FakeLock(), time: FakeTime()).keep(
      Sample.session(), client: login, read: read, as: Sample.account)
    return try ClientStore(store).load("app", provider: "acme")
  }

  @Test func `a client that another login has renewed meanwhile is not put back`() async throws {
    let before = ClientRegistration(id: "app", secret: Secret("old"))
    let renewed = ClientRegistration(id: "app", secret: Secret("new"))
    #expect(try await kept(renewed, read: before, login: before) == renewed)
  }

  @Test func `what a login does without stays with the client, and what it brought is kept`() async throws {
    let before = ClientRegistration(id: "app", secret: Secret("s"))
    let without = try await kept(
      before, read: before, login: ClientRegistration(id: "app", method: ClientAuthMethod.none))
    #expect(without?.secret == Secret("s"))
    let brought = try await kept(before, read: before, login: ClientRegistration(id: "app", secret: Secret("t")))
    #expect(brought?.secret == Secret("t"))
  }

  @Test func `how one account authenticates does not change the client's others`() async throws {
    let before = ClientRegistration(id: "app", secret: Secret("s"), method: .post)
    for method in [ClientAuthMethod.none, .basic] {
      var login = before
      login.method = method
      if method == .none { login.secret = nil }
      #expect(try await kept(before, read: before, login: login) == before)
    }
    // What was chosen for the means that there were says nothing of new ones.
    let open = ClientRegistration(id: "app", method: ClientAuthMethod.none)
    let given = try await kept(open, read: open, login: ClientRegistration(id: "app", secret: Secret("t")))
    #expect(given?.secret == Secret("t") && given?.method == nil)
  }

  private func client(at server: String, _ change: (inout ClientRegistration) -> Void) -> ClientRegistration {
    var client = ClientRegistration(id: "app")
    client.server = ClientServer(issuer: server)
    change(&client)
    return client
  }

  @Test func `a client that is now another server's keeps nothing of the former one's but how to end it there`()
    async throws
  {
    let before = client(at: "https://a.example") {
      $0.secret = Secret("s")
      $0.key = ClientKey(pem: Secret("k"))
      $0.management = RegistrationManagement(token: Secret("r"), redirectURIs: [])
    }
    let login = client(at: "https://b.example") { $0.secret = Secret("t") }
    let after = try await kept(before, read: before, login: login)
    #expect(after?.secret == Secret("t") && after?.key == nil && after?.server == login.server)
    #expect(after?.management == before.management)
    // A login without any means says nothing of where they are for.
    let open = client(at: "https://b.example") { $0.method = ClientAuthMethod.none }
    #expect(try await kept(before, read: before, login: open)?.server == before.server)
  }

  @Test func `that the keyring takes a login is proved, and leaves nothing behind`() async throws {
    let store = try MemoryStore(Sample.session())
    let before = store.items
    let keeping = KeepLogin(store: store, lock: FakeLock(), time: FakeTime())
    try await keeping.prove(for: "acme")
    #expect(store.items == before && store.saves.count == 1)
    // Where it could not be removed it stays, among keys that count for nothing, and the next one goes into its place.
    store.failAlways(.delete, with: .failed(detail: "no"))
    for _ in 0..<2 { try await keeping.prove(for: "acme") }
    #expect(Set(store.items.keys).subtracting(before.keys).map(\.kind) == [.keys])
    store.failAlways(.delete, with: nil)
    try KeySetStore(store).forget(provider: "acme")
    #expect(store.items == before)
    store.failAlways(.save, with: .failed(detail: "full"))
    await #expect(throws: StoreError.failed(detail: "full")) { try await keeping.prove(for: "acme") }
  }
}

import Crypto
import Foundation
import OAuth
import TestSupport
import Testing

@testable import Flows

struct SessionStoreTests {
  private func login(_ provider: String, _ account: String) -> Session {
    Session(
      provider: Provider(name: provider), account: account, clientID: "app", clientAuth: nil, requestedScopes: [],
      tokens: Sample.tokens(), identity: nil)
  }

  @Test func `a session comes back whole`() throws {
    let store = MemoryStore()
    var session = Sample.session(
      provider: Sample.provider { $0.issuer = Sample.issuer },
      tokens: Sample.tokens { $0.fields = ["n": .number(1.5), "x": .array([.null])] })
    session.clientAuth = .post
    session.refused = RefusedGrant(
      fingerprint: "f", at: Sample.now, status: 400, error: "invalid_grant", description: "d")
    session.pendingRefresh = PendingRefresh(fingerprint: "f", startedAt: Sample.now)
    session.backoff = Backoff(failures: 3, notBefore: Sample.now)
    try SessionStore(store).save(&session, as: Sample.account)
    #expect(try SessionStore(store).load(Sample.account) == session)
  }

  @Test func `a generation that somebody made the largest there is does not end the program`() throws {
    var session = Sample.session { $0.generation = Int.max }
    try SessionStore(MemoryStore()).save(&session, as: Sample.account)
    #expect(session.generation == .max)
  }

  @Test func `each save is one generation on, and one that fails changes nothing`() throws {
    let store = MemoryStore()
    var session = Sample.session()
    try SessionStore(store).save(&session, as: Sample.account)
    try SessionStore(store).save(&session, as: Sample.account)
    #expect(session.generation == 3)
    store.failAlways(.save, with: .locked)
    #expect(throws: StoreError.locked) { try SessionStore(store).save(&session, as: Sample.account) }
    #expect(session.generation == 3)
  }

  @Test func `a person sees whose login an item is, and no control character`() throws {
    let store = MemoryStore()
    var session = Sample.session(provider: Sample.provider { $0.title = "ACME" }) { $0.identity = "ada\u{1B}[2J\nx" }
    try SessionStore(store).save(&session, as: Sample.account)
    #expect(store.saves.map(\.label) == ["ACME login (ada x) – oauthctl acme/work"])
    #expect(store.saves.map(\.key) == [Sample.key])
    #expect(!store.saves[0].label.contains("access-1"))
  }

  @Test func `nothing stored is no error`() throws {
    #expect(try SessionStore(MemoryStore()).load(Sample.account) == nil)
    #expect(throws: StoreError.locked) {
      let store = MemoryStore()
      store.failAlways(.load, with: .locked)
      _ = try SessionStore(store).load(Sample.account)
    }
  }

  static let items: [(id: String, text: String, error: SessionError)] = [
    ("empty", "", .unreadable(Sample.account)), ("no JSON", "hello", .unreadable(Sample.account)),
    ("another object", "{}", .unreadable(Sample.account)), ("a list", "[]", .unreadable(Sample.account)),
    ("version alone", #"{"version":1}"#, .unreadable(Sample.account)),
    ("older", #"{"version":0}"#, .unreadable(Sample.account)),
    ("version of text", #"{"version":"3"}"#, .unreadable(Sample.account)),
    ("newer", #"{"version":5,"all":"new"}"#, .newer(Sample.account, version: 5)),
    ("much newer", #"{"version":99}"#, .newer(Sample.account, version: 99)),
  ]

  @Test(arguments: items) func `an item that cannot be read is named, and left as it is`(
    _ row: (id: String, text: String, error: SessionError)
  ) {
    let store = MemoryStore()
    store.items[Sample.key] = Secret(row.text)
    #expect(throws: row.error, "\(row.id)") { try SessionStore(store).load(Sample.account) }
    #expect(throws: row.error, "\(row.id)") { try find(AccountName(provider: "acme", "work"), in: store) }
    #expect(store.items == [Sample.key: Secret(row.text)] && store.saves.isEmpty)
  }

  @Test func `a whole session of a newer version is not taken for one of ours`() throws {
    let store = try MemoryStore(Sample.session())
    try store.setVersion(5)
    let before = store.items
    #expect(throws: SessionError.newer(Sample.account, version: 5)) { try SessionStore(store).load(Sample.account) }
    #expect(store.items == before)
  }

  @Test func `a session of the first version is read, and written in the newest`() throws {
    let store = try MemoryStore(Sample.session { $0.backoff = Backoff(failures: 1, notBefore: Sample.now) })
    try store.setVersion(1)
    let sessions = SessionStore(store)
    #expect(try sessions.loadToken(Sample.account)?.tokens == Sample.session().tokens)
    var session = try #require(try sessions.load(Sample.account))
    #expect(session.version == 1 && session.backoff?.isServersWish == nil)
    try sessions.save(&session, as: Sample.account)
    #expect(try store.session()?.version == 4)
  }

  private func find(_ name: AccountName, in store: MemoryStore) throws -> (account: Account, stored: StoredToken) {
    let sessions = SessionStore(store)
    return try sessions.find(name, sessions.loadToken)
  }

  @Test func `a bare provider means the default account, else the only one`() throws {
    let store = try MemoryStore(login("acme", "default"), login("acme", "work"), login("other", "x"))
    #expect(try find(AccountName(provider: "acme"), in: store).account == Account(provider: "acme"))
    // The account that is meant most often is found without a listing.
    #expect(store.count(.list) == 0 && store.count(.load) == 1)
    #expect(try find(AccountName(provider: "other"), in: store).account.name == "x")
    #expect(try find(AccountName(provider: "acme", "work"), in: store).account.name == "work")
  }

  @Test func `several accounts without a default one must be told apart`() throws {
    let store = try MemoryStore(login("acme", "work"), login("acme", "home"))
    let accounts = [Account(provider: "acme", name: "home"), Account(provider: "acme", name: "work")]
    #expect(throws: AccountError.ambiguous(provider: "acme", accounts: accounts)) {
      try find(AccountName(provider: "acme"), in: store)
    }
  }

  @Test func `an account that is not there is said with those that are`() throws {
    let store = try MemoryStore(login("acme", "work"), login("other", "x"))
    #expect(throws: AccountError.none(Account(provider: "acme", name: "home"), others: [Sample.account])) {
      try find(AccountName(provider: "acme", "home"), in: store)
    }
    #expect(throws: AccountError.none(Account(provider: "none"), others: [])) {
      try find(AccountName(provider: "none"), in: store)
    }
  }

  @Test func `accounts are listed by name without a secret being read`() throws {
    let store = try MemoryStore(login("b", "y"), login("a", "z"), login("b", "default"), login("a", "x"))
    try store.put(ClientRegistration(id: "app"), provider: "a")
    let names = try SessionStore(store).accounts().map { "\($0.provider)/\($0.name)" }
    #expect(names == ["a/x", "a/z", "b/default", "b/y"])
    #expect(try SessionStore(store).accounts(of: "b").map(\.name) == ["default", "y"])
    #expect(store.count(.load) == 0)
  }

  @Test func `what is deleted is gone, and that alone`() throws {
    let store = try MemoryStore(login("acme", "work"), login("acme", "home"))
    try SessionStore(store).delete(Sample.account)
    try SessionStore(store).delete(Sample.account)
    #expect(try SessionStore(store).accounts().map(\.name) == ["home"])
  }
}

extension AccountName {
  fileprivate init(provider: String, _ account: String) {
    self = AccountName("\(provider)/\(account)") ?? AccountName(provider: provider)
  }
}

extension MemoryStore {
  /// Has the stored session be of another version.
  fileprivate func setVersion(_ version: Int) throws {
    let item = try #require(items[Sample.key]).reveal()
    let other = item.replacingOccurrences(of: #""version":4"#, with: #""version":\#(version)"#)
    #expect(other != item)
    items[Sample.key] = Secret(other)
  }
}

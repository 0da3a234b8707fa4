internal import Crypto
public import FoundationEssentials
internal import OAuth

/// Why a login that was begun cannot be finished, or not yet.
public enum PendingLoginFailure: Error, Sendable, Equatable {
  /// There is none of that id; those that there are.
  case unknown(id: String, others: [PendingLoginEntry])
  /// It has ended.
  case expired(PendingLoginID)
  /// Its item is not what this program writes.
  case unreadable(PendingLoginID)
  /// What was handed over is not the answer to this login, which waits for another try.
  case notItsAnswer(PendingLoginID)
  /// Nothing was handed over.
  case noAnswer(PendingLoginID)
}

/// A login that was begun, as far as can be seen without its secrets.
public struct PendingLoginEntry: Sendable, Hashable {
  /// Its id.
  public let id: PendingLoginID
  /// The provider's name.
  public let provider: String
}

/// Logins that were begun, each an item of its own in the keyring.
public struct PendingLoginStore: Sendable {
  private let store: any SecretStore

  /// Keeps them in the given store.
  public init(_ store: any SecretStore) {
    self.store = store
  }

  /// Lists those that have not ended, the one that ends first foremost; nothing is unlocked for it.
  public func list(now: Date) throws(StoreError) -> [PendingLoginEntry] {
    try entries().filter { $0.id.expiresAt > now }
  }

  /// Gives the login of an id.
  ///
  /// Blocks; see ``SecretStore``.
  ///
  /// - Throws: ``PendingLoginFailure``, ``StoreError``, ``NewerItem``.
  public func load(_ text: String, now: Date) throws -> PendingLogin {
    let others = try list(now: now)
    guard let id = PendingLoginID(text) else { throw PendingLoginFailure.unknown(id: text, others: others) }
    guard id.expiresAt > now else { throw PendingLoginFailure.expired(id) }
    guard let entry = others.first(where: { $0.id == id }), let item = try store.load(key(entry)) else {
      throw PendingLoginFailure.unknown(id: text, others: others)
    }
    try ItemVersion.check(item, "the login \(id)")
    var data = item.withBytes { Data($0) }
    defer { data.resetBytes(in: data.indices) }
    // The id within is the one that counts: any program on the session bus can change an attribute.
    guard let login = try? JSONDecoder().decode(PendingLogin.self, from: data), login.id == id,
      login.version == PendingLogin.currentVersion, login.provider.name == entry.provider
    else { throw PendingLoginFailure.unreadable(id) }
    return login
  }

  /// Saves a login.
  public func save(_ login: PendingLogin) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var data = try encoder.encode(login)
    defer { data.resetBytes(in: data.indices) }
    let entry = PendingLoginEntry(id: login.id, provider: login.provider.name)
    try store.save(
      Secret(bytes: data), for: key(entry), label: "\(login.provider.effectiveTitle) login begun – oauthctl \(login.id)"
    )
  }

  /// Removes a login.
  public func delete(_ login: PendingLogin) throws(StoreError) {
    try store.delete(key(PendingLoginEntry(id: login.id, provider: login.provider.name)))
  }

  /// Removes those that have ended.
  public func deleteExpired(now: Date) throws(StoreError) {
    for entry in try entries() where entry.id.expiresAt <= now { try store.delete(key(entry)) }
  }

  private func entries() throws(StoreError) -> [PendingLoginEntry] {
    // Any program on the session bus can store an item that looks like ours.
    try store.list(.login, provider: nil).compactMap { key in
      guard Name.isValid(key.provider) else { return nil }
      return PendingLoginID(key.name).map { PendingLoginEntry(id: $0, provider: key.provider) }
    }
    .sorted { ($0.id.expiresAt, $0.id.description) < ($1.id.expiresAt, $1.id.description) }
  }

  private func key(_ entry: PendingLoginEntry) -> SecretKey {
    SecretKey(kind: .login, provider: entry.provider, name: entry.id.description)
  }
}

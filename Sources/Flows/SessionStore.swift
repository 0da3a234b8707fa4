internal import Crypto
internal import FoundationEssentials
internal import OAuth

/// An item that this program cannot read.
///
/// It is left as it is.
public enum SessionError: Error, Sendable, Equatable {
  /// The item of the account is not what this program writes.
  case unreadable(Account)
  /// The item was written by a newer version.
  case newer(Account, version: Int)
}

/// Sessions in the keyring, each an item of its own.
public struct SessionStore: Sendable {
  private let store: any SecretStore

  /// Keeps them in the given store.
  public init(_ store: any SecretStore) {
    self.store = store
  }

  /// Gives the session of an account, or nil where there is none.
  ///
  /// Blocks; see ``SecretStore``.
  ///
  /// - Throws: ``StoreError``, ``SessionError``.
  public func load(_ account: Account) throws -> Session? {
    try store.load(key(account)).map { try decode($0, account) }
  }

  /// Gives what handing out an account's token needs, or nil where there is no session.
  ///
  /// Blocks; see ``SecretStore``.
  ///
  /// - Throws: ``StoreError``, ``SessionError``.
  public func loadToken(_ account: Account) throws -> StoredToken? {
    guard let item = try store.load(key(account)) else { return nil }
    if let token = item.withBytes({ LocatedJSON(parsing: $0, refusingRepeats: true) }).flatMap({ StoredToken($0) }) {
      return token
    }
    // Written otherwise than by this version, or not to be read at all: the whole reading tells.
    return StoredToken(try decode(item, account))
  }

  /// Finds the account that a name means and what is stored of it: as named; without an account the default one, else the
  /// provider's only one.
  ///
  /// - Parameter load: reads one account's item, as ``load(_:)`` or ``loadToken(_:)`` do.
  /// - Throws: ``AccountError`` where there are several, or none; what `load` throws.
  public func find<Stored>(
    _ name: AccountName, _ load: (Account) throws -> Stored?
  ) throws -> (account: Account, stored: Stored) {
    if let label = name.account {
      let account = Account(provider: name.provider, name: label)
      if let stored = try load(account) { return (account, stored) }
      throw AccountError.none(account, others: try accounts(of: name.provider))
    }
    // The default account first: it answers to the bare name whatever else there is, and needs no listing.
    let account = Account(provider: name.provider)
    if let stored = try load(account) { return (account, stored) }
    let others = try accounts(of: name.provider)
    guard let only = others.first else { throw AccountError.none(account, others: []) }
    guard others.count == 1 else { throw AccountError.ambiguous(provider: name.provider, accounts: others) }
    guard let stored = try load(only) else { throw AccountError.none(only, others: []) }
    return (only, stored)
  }

  /// Lists the accounts of one provider or of all, by name.
  ///
  /// Works without unlocking anything.
  public func accounts(of provider: String? = nil) throws(StoreError) -> [Account] {
    try store.list(.session, provider: provider)
      // Any program on the session bus can store an item that looks like ours.
      .filter { Name.isValid($0.provider) && Name.isValid($0.name) }.map {
        Account(provider: $0.provider, name: $0.name)
      }
      .sorted { ($0.provider, $0.name) < ($1.provider, $1.name) }
  }

  /// Changes a session that was read, unless somebody who does not hold the account's lock has stored another grant
  /// since: another machine with the same keyring, or a restored backup.
  ///
  /// The caller holds the account's lock. Blocks; see ``SecretStore``.
  ///
  /// - Parameters:
  ///   - isLastCopy: what is saved exists nowhere else; see ``SecretStore/save(_:for:label:isLastCopy:)``.
  ///   - change: what is to be changed of what is stored now.
  /// - Returns: what is stored now, and where.
  /// - Throws: ``Overtaken``, ``StoreError``, ``SessionError``.
  func update(
    _ session: Session, of account: Account, isLastCopy: Bool = false, _ change: (inout Session) -> Void
  ) throws -> Saved {
    var current = session
    do {
      // One that was removed meanwhile comes back: a login is ended by `revoke`, and that waits for the lock.
      current = try load(account) ?? session
    } catch is StoreError where isLastCopy {
      // What cannot be read may still be written beside.
    } catch SessionError.unreadable {
      // It could be read a moment ago, under this lock.
    }
    if current.generation < session.generation {
      current = session
    } else if current.tokens.refreshToken != session.tokens.refreshToken || current.grant?.id != session.grant?.id {
      throw Overtaken(by: current)
    }
    change(&current)
    let place = try save(&current, as: account, isLastCopy: isLastCopy)
    return Saved(session: current, place: place)
  }

  /// What was stored, and where.
  struct Saved: Sendable {
    let session: Session
    let place: SavedPlace
  }

  /// Somebody has stored another grant meanwhile; it is the one to use.
  struct Overtaken: Error {
    let by: Session

    init(by session: Session) { by = session }
  }

  /// Saves a session, one generation on, in the newest layout.
  ///
  /// The caller holds the account's lock. Blocks; see ``SecretStore``.
  @discardableResult
  public func save(_ session: inout Session, as account: Account, isLastCopy: Bool = false) throws -> SavedPlace {
    var next = session
    next.version = Session.currentVersion
    next.generation = min(next.generation, Int.max - 1) + 1
    let encoder = JSONEncoder()
    // Whole seconds, rounded down: no token looks younger or lives longer for it.
    encoder.dateEncodingStrategy = .custom { date, encoder in
      var container = encoder.singleValueContainer()
      try container.encode(Int64(min(max(date.timeIntervalSince1970, 0), 1e15).rounded(.down)))
    }
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var data = try encoder.encode(next)
    defer { data.resetBytes(in: data.indices) }
    let place = try store.save(
      Secret(bytes: data), for: key(account), label: label(next, account), isLastCopy: isLastCopy)
    session = next
    return place
  }

  /// Removes the session of an account.
  public func delete(_ account: Account) throws(StoreError) {
    try store.delete(key(account))
  }

  private func key(_ account: Account) -> SecretKey {
    SecretKey(kind: .session, provider: account.provider, name: account.name)
  }

  private func label(_ session: Session, _ account: Account) -> String {
    let person = session.identity.map { " (\(PrintableText.printable($0, limit: 80)))" } ?? ""
    return "\(session.provider.effectiveTitle) login\(person) – oauthctl \(account)"
  }

  private func decode(_ item: Secret, _ account: Account) throws(SessionError) -> Session {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .secondsSince1970
    var data = item.withBytes { Data($0) }
    defer { data.resetBytes(in: data.indices) }
    if let session = try? decoder.decode(Session.self, from: data),
      Session.readableVersions.contains(session.version)
    {
      return session
    }
    struct Header: Decodable { var version: Int }
    if let header = try? decoder.decode(Header.self, from: data), header.version > Session.currentVersion {
      throw .newer(account, version: header.version)
    }
    throw .unreadable(account)
  }
}

/// A name that does not lead to one account.
public enum AccountError: Error, Sendable, Equatable {
  /// Nobody is logged in under that name; the provider's other accounts.
  case none(Account, others: [Account])
  /// Several accounts, none of them the default one.
  case ambiguous(provider: String, accounts: [Account])
}

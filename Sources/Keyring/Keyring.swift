public import Crypto
public import Flows

/// Keeps secrets in the user's keyring, by the Secret Service (gnome-keyring, KeePassXC and others).
///
/// Making one costs nothing: the bus is not looked for before the first call. It may be used by several threads.
public struct Keyring: SecretStore {
  private let link: Link
  let userFolder: String
  let patience: Patience
  private let generation: @Sendable (Secret) -> Int?

  /// Makes a keyring.
  ///
  /// - Parameters:
  ///   - mayPrompt: whether somebody can be asked for the keyring's password. Without it nothing is ever unlocked.
  ///   - limit: seconds an operation may take, without the time a person is waited for.
  ///   - promptLimit: seconds a person is waited for.
  ///   - willWait: called when a person is asked to unlock the keyring.
  ///   - generation: reads from a value which of two is newer; nil where it does not tell. Not called where there is one
  ///     item alone.
  public init(
    mayPrompt: Bool = false, limit: Int = 4, promptLimit: Int = 120, willWait: @escaping @Sendable () -> Void = {},
    generation: @escaping @Sendable (Secret) -> Int? = { _ in nil }
  ) {
    self.init(
      mayPrompt: mayPrompt, limit: limit, promptLimit: promptLimit, willWait: willWait, generation: generation,
      userFolder: SessionBus.userFolder)
  }

  /// Makes a keyring that looks for the user's bus in another folder than `/run/user/UID`: for tests.
  package init(
    mayPrompt: Bool, limit: Int, promptLimit: Int, willWait: @escaping @Sendable () -> Void = {},
    generation: @escaping @Sendable (Secret) -> Int? = { _ in nil }, userFolder: String
  ) {
    link = Link(userFolder: userFolder)
    self.userFolder = userFolder
    patience = Patience(mayPrompt: mayPrompt, limit: limit, promptLimit: promptLimit, willWait: willWait)
    self.generation = generation
  }

  /// Gives an item's value, or nil where there is none; of several the newest generation, and of its like the one changed last.
  ///
  /// - Throws: ``StoreError/noCollection`` where there is neither the item nor a default collection; ``StoreError/locked``
  ///   where there is no item in sight and the default collection is locked: what a locked keyring does not show, it may
  ///   still hold, and nothing could be stored in it.
  ///   ``StoreError/itemLocked`` where the service keeps the item alone from this program;
  ///   ``StoreError/otherKeyringLocked(label:)`` where it is in another collection than the default one.
  public func load(_ key: SecretKey) throws(StoreError) -> Secret? {
    try talk { service throws(ServiceError) in
      var collection = try service.collection()
      for _ in 1...3 {
        var found = try service.find(ItemAttributes.sought(key), collection)
        if try service.isStale(found) {
          try service.unlock(found.locked, beside: collection)
          found = try service.find(ItemAttributes.sought(key), .open)
        }
        if found.unlocked.isEmpty, !found.locked.isEmpty { try service.unlock(found.locked, beside: collection) }
        guard let item = try service.newest(found.unlocked.isEmpty ? found.locked : found.unlocked, generation) else {
          guard collection == .locked else { break }
          try service.unlock([Conversation.defaultCollection])
          collection = .open
          continue
        }
        do throws(ServiceError) {
          return try service.secret(at: item)
        } catch  where error.reason == .noObject {
          continue  // removed since it was found; another may be in its place
        }
      }
      if collection == .missing { throw ServiceError(.noCollection) }
      return nil
    }
  }

  /// Stores a value in the place of the item there is, or in the default collection, and reads it back.
  ///
  /// Other items of the key are removed after that, as far as that goes, but for newer ones. The last copy of a value goes into a new item where that fails:
  /// in the default collection, in another open one, or in the one that the service keeps in memory.
  @discardableResult
  public func save(
    _ value: Secret, for key: SecretKey, label: String, isLastCopy: Bool
  ) throws(StoreError) -> SavedPlace {
    try talk(saving: true) { service throws(ServiceError) in
      do throws(ServiceError) {
        return try service.put(value, for: key, label: label, generation)
      } catch  where isLastCopy && !error.meansNobodyIsThere {
        guard let place = service.putAnywhere(value, for: key, label: label) else { throw error }
        return place
      }
    }
  }

  /// Removes an item; one that is not there is no error.
  public func delete(_ key: SecretKey) throws(StoreError) {
    try talk { service throws(ServiceError) in
      let found = try service.find(ItemAttributes.sought(key), try service.collection())
      if !found.locked.isEmpty { try service.unlock(found.locked) }
      for item in found.all { try service.remove(item) }
    }
  }

  /// Stores a value and removes it again, where that asks nobody anything.
  ///
  /// KeePassXC asks before it removes an item, and takes everything into memory first, so that it would prove nothing:
  /// there it is only made sure that the keyring is open.
  public func tryOut(_ value: Secret, for key: SecretKey, label: String) throws(StoreError) {
    try talk(saving: true) { service throws(ServiceError) in
      guard service.isAlsoKnown(as: "org.gnome.keyring") else {
        switch try service.collection() {
        case .missing: throw ServiceError(.noCollection)
        case .locked: return try service.unlock([Conversation.defaultCollection])
        case .open: return
        }
      }
      _ = try service.put(value, for: key, label: label, generation)
      for item in try service.search(ItemAttributes.sought(key)).unlocked { _ = try? service.delete(item) }
    }
  }

  /// Lists the items of a kind, of one provider or of all, without reading a secret.
  public func list(_ kind: SecretKey.Kind, provider: String?) throws(StoreError) -> [SecretKey] {
    try talk { service throws(ServiceError) in
      let collection = try service.collection()
      var found = try service.find(ItemAttributes.sought(kind, provider: provider), collection)
      if found.all.isEmpty {
        switch collection {
        case .missing: throw ServiceError(.noCollection)
        case .locked:
          try service.unlock([Conversation.defaultCollection])
          found = try service.find(ItemAttributes.sought(kind, provider: provider), .open)
        case .open: break
        }
      }
      var keys: Set<SecretKey> = []
      for item in found.unlocked {
        if let key = ItemAttributes.key(kind, from: try service.attributes(of: item)) { keys.insert(key) }
      }
      for item in found.locked {
        if let key = ItemAttributes.key(kind, from: try service.attributes(of: item)) {
          keys.insert(key)
        } else {
          // A keyring that was not unlocked since its service started shows hashes: an item, but not which.
          try service.unlock([item])
          if let key = ItemAttributes.key(kind, from: try service.attributes(of: item)) { keys.insert(key) }
        }
      }
      return keys.sorted { ($0.provider, $0.name) < ($1.provider, $1.name) }
    }
  }

  /// Runs an operation under its time limit, and puts what goes wrong in the store's words.
  func talk<Value>(
    saving: Bool = false, _ operation: (Conversation) throws(ServiceError) -> Value
  ) throws(StoreError) -> Value {
    let limit = TimeLimit(seconds: patience.limit)
    do throws(ServiceError) {
      if let value = try attempt(saving, limit, isLast: false, operation) { return value }
      guard let value = try attempt(saving, limit, isLast: true, operation) else { throw ServiceError(.timedOut) }
      return value
    } catch {
      throw error.forStore(patience)
    }
  }

  /// Tries once.
  ///
  /// Gives nil where the connection was an old one that is of no use any more: a service that was started anew does not
  /// know the session that was opened at the one before it. All operations can be done twice.
  private func attempt<Value>(
    _ saving: Bool, _ limit: TimeLimit, isLast: Bool, _ operation: (Conversation) throws(ServiceError) -> Value
  ) throws(ServiceError) -> Value? {
    let (connection, isNew) = try link.connection(within: limit)
    let conversation = Conversation(connection, patience, within: limit)
    do throws(ServiceError) {
      guard saving else { return try operation(conversation) }
      let value = try link.saving.with(within: limit) { () throws(ServiceError) in try operation(conversation) }
      guard let value else { throw ServiceError(.timedOut) }
      return value
    } catch {
      switch error.reason {
      case .noBus, .noService, .noObject, .other:
        link.forget(connection, within: limit)
        if !isNew, !isLast { return nil }
      case .timedOut: link.forget(connection, within: limit)
      case .noCollection, .locked, .itemLocked, .otherLocked, .dismissed, .nobodyAnswered, .denied: break
      }
      throw error
    }
  }
}

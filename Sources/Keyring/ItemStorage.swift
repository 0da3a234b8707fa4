internal import Crypto
internal import Flows

/// The rules for replacing items, and for where a value goes.
extension Conversation {
  /// Stores a value where it belongs.
  ///
  /// What is in the service's memory alone moves to the default collection as soon as that is open.
  func put(
    _ value: Secret, for key: SecretKey, label: String, _ generation: (Secret) -> Int?
  ) throws(ServiceError) -> SavedPlace {
    let collection = try collection()
    let found = try findOpen(ItemAttributes.sought(key), collection)
    // Not every service has such a collection, or knows the name for it.
    let passing = found.isEmpty ? nil : (try? alias("session")) ?? nil
    let lasting = collection == .open ? found.filter { Self.collection(of: $0) != passing } : found
    var home = Self.defaultCollection
    let former = try newest(lasting, generation)
    if let former {
      home = Self.collection(of: former)
    } else {
      switch collection {
      case .missing: throw ServiceError(.noCollection)
      case .locked: try unlock([home])
      case .open: break
      }
    }
    let item = try store(value, for: key, label: label, in: home, insteadOf: former)
    briefly { () throws(ServiceError) in try removeDoubles(of: item, value, for: key, generation) }
    return Self.collection(of: item) == passing ? .sessionOnly : .inPlace
  }

  /// Stores a value that exists nowhere else in a new item, wherever one can be made; nil where that is nowhere.
  func putAnywhere(_ value: Secret, for key: SecretKey, label: String) -> SavedPlace? {
    startAnew()
    let passing = (try? alias("session")) ?? nil
    let others = (try? property(.service("Collections"), at: Self.root)?.texts) ?? nil
    for collection in [Self.defaultCollection] + (others ?? []) where collection != passing {
      if isOpen(collection), isKept(value, for: key, label: label, in: collection) { return .newItem }
    }
    guard let passing, isKept(value, for: key, label: label, in: passing) else { return nil }
    return .sessionOnly
  }

  private func isOpen(_ collection: String) -> Bool {
    let isLocked = (try? property(.collection("Locked"), at: collection)?.bool) ?? nil
    return isLocked == false
  }

  /// Makes an item beside the ones there are, and tells whether the value can be read back from it.
  private func isKept(_ value: Secret, for key: SecretKey, label: String, in collection: String) -> Bool {
    guard let item = try? create(value, for: key, label: label, in: collection, replacing: false) else { return false }
    return (try? secret(at: item)) == value
  }

  /// The collection that the service has under a name; nil where it has none.
  func alias(_ name: String) throws(ServiceError) -> String? {
    let path = try call(.service("ReadAlias"), [.string(name)], reply: "(o)")[0]?.text
    return path == "/" ? nil : path
  }

  /// Stores a value in the place of an item's or in a new item, and makes sure of it.
  func store(
    _ value: Secret, for key: SecretKey, label: String, in collection: String, insteadOf former: String?
  ) throws(ServiceError) -> String {
    for _ in 1...3 {
      var before: Secret?
      var stored: String?
      if let former {
        before = try secretIfThere(at: former)
        stored = before == nil ? nil : try replace(former, value)
      }
      if stored == nil { stored = try create(value, for: key, label: label, in: collection) }
      guard let item = stored, isStored(value, before: before, after: try secretIfThere(at: item)) else { continue }
      return item
    }
    throw ServiceError(.other, "the keyring gives back something else than what was stored")
  }

  /// Removes the other items of a stored value's key, which would outlive their tokens.
  ///
  /// A newer one is somebody else's, stored meanwhile.
  private func removeDoubles(
    of item: String, _ value: Secret, for key: SecretKey, _ generation: (Secret) -> Int?
  ) throws(ServiceError) {
    let others = try search(ItemAttributes.sought(key)).unlocked.filter { $0 != item }
    guard !others.isEmpty else { return }
    let age = generation(value) ?? -1
    for other in others {
      guard let found = (try? secretIfThere(at: other)) ?? nil, generation(found) ?? -1 <= age else { continue }
      try remove(other)
    }
  }

  /// Sets an item's value, and gives its path or, where it was removed since it was found, nil.
  ///
  /// To create it again in its own place would ask for a confirmation at KeePassXC.
  private func replace(_ item: String, _ value: Secret) throws(ServiceError) -> String? {
    do throws(ServiceError) {
      try setSecret(at: item, value)
      return item
    } catch  where error.reason == .noObject {
      return nil
    }
  }

  /// Makes an item and gives its path.
  private func create(
    _ value: Secret, for key: SecretKey, label: String, in collection: String, replacing: Bool = true
  ) throws(ServiceError) -> String {
    let made = try create(
      in: collection, ItemAttributes.stored(with: key), label: label, value, replacing: replacing)
    guard let prompt = made.prompt else { return made.item }
    try finish(prompt: prompt)
    // Of the items of the key it is the one changed last.
    guard let item = try newest(search(ItemAttributes.sought(key)).unlocked, { _ in nil }) else {
      throw ServiceError(.dismissed)
    }
    return item
  }

  /// Whether what is read back shows that the value was stored whole.
  ///
  /// Neither what was there before nor a piece of the value: then another process has stored its own since.
  private func isStored(_ value: Secret, before: Secret?, after: Secret?) -> Bool {
    guard let after else { return false }
    if after == value { return true }
    let isPiece = value.withBytes { value in after.withBytes { value.starts(with: $0) } }
    return !isPiece && after != before
  }

  /// An item's value, or nil where it was removed since it was found.
  func secretIfThere(at item: String) throws(ServiceError) -> Secret? {
    do throws(ServiceError) {
      return try secret(at: item)
    } catch  where error.reason == .noObject {
      return nil
    }
  }
}

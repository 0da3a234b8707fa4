internal import Crypto
internal import Flows
internal import Glibc

/// What there is to know of the default collection before anything else is asked.
enum DefaultCollection {
  case missing, locked, open
}

/// The items that match, by path.
struct Matches {
  var unlocked: [String]
  var locked: [String]

  var all: [String] { unlocked + locked }
}

/// The rules for finding, unlocking and replacing items.
extension Conversation {
  /// Looks at the default collection.
  ///
  /// It costs a round trip, and no service waits for anybody before it answers.
  func collection() throws(ServiceError) -> DefaultCollection {
    do throws(ServiceError) {
      let locked = try property(.collection("Locked"), at: Self.defaultCollection)
      return locked?.bool == true ? .locked : .open
    } catch  where error.reason == .noObject {
      return .missing
    }
  }

  /// Finds the items that have all of the attributes, in every collection.
  func find(_ attributes: [(String, String)], _ collection: DefaultCollection) throws(ServiceError) -> Matches {
    if collection == .locked, try !canSearchLocked() { try unlock([Self.defaultCollection]) }
    let found = try search(attributes)
    return Matches(unlocked: found.unlocked, locked: found.locked)
  }

  /// Whether a search while locked answers truthfully and without asking anybody.
  ///
  /// gnome-keyring finds locked items by their attributes' hashes. KeePassXC knows nothing of a closed database: it
  /// shows its unlock dialog and lets the caller wait. So a service must show that it knows the locked items.
  private func canSearchLocked() throws(ServiceError) -> Bool {
    let items = try property(.collection("Items"), at: Self.defaultCollection)
    return items?.texts.isEmpty == false || isAlsoKnown(as: "org.gnome.keyring")
  }

  /// The item changed last; nil where there are none.
  func newest(_ items: [String]) throws(ServiceError) -> String? {
    guard items.count > 1 else { return items.first }
    var newest: (item: String, modified: UInt64)?
    for item in items {
      do throws(ServiceError) {
        let modified = try property(.item("Modified"), at: item)?.unsigned ?? 0
        if modified >= newest?.modified ?? 0 { newest = (item, modified) }
      } catch  where error.reason == .noObject {
        continue  // removed since it was found
      }
    }
    return newest?.item
  }

  /// An item's attributes, as far as they can be read; none where it was removed since it was found.
  func attributes(of item: String) throws(ServiceError) -> [String: String] {
    var attributes: [String: String] = [:]
    do throws(ServiceError) {
      for entry in try property(.item("Attributes"), at: item)?.members ?? [] {
        guard let name = entry[0]?.text, let value = entry[1]?.text else { continue }
        attributes[name] = value
      }
    } catch  where error.reason == .noObject {
      return [:]
    }
    return attributes
  }

  /// Unlocks items or collections, by a person's help where that is allowed.
  func unlock(_ paths: [String]) throws(ServiceError) {
    guard patience.mayPrompt else { throw ServiceError(.locked) }
    let answer = try requestUnlock(paths)
    var unlocked = answer.unlocked
    if let prompt = answer.prompt { unlocked += try show(prompt: prompt).texts }
    // libsecret does not tell whether a prompt was dismissed; that nothing was unlocked does.
    guard unlocked.isEmpty else { return }
    throw ServiceError(hasPrompter() ? .dismissed : .locked)
  }

  /// Whether the service has gnome-keyring's own interface, through which a program hands over the password itself.
  func unlocksWithoutPrompt() throws(ServiceError) -> Bool {
    let introspect = Method("org.freedesktop.DBus.Introspectable", "Introspect")
    let description = try call(introspect, at: Self.root, [], reply: "(s)")[0]?.text ?? ""
    return strstr(description, "\"org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface\"") != nil
  }

  /// Whether the service has a way to ask: gnome-keyring without one calls its prompt dismissed at once.
  private func hasPrompter() -> Bool {
    !isAlsoKnown(as: "org.gnome.keyring") || isOnBus("org.gnome.keyring.SystemPrompter")
  }

  /// Removes an item that may be gone already.
  func remove(_ item: String) throws(ServiceError) {
    do throws(ServiceError) {
      guard let prompt = try delete(item) else { return }
      try finish(prompt: prompt)
      _ = try property(.item("Locked"), at: item)
    } catch  where error.reason == .noObject {
      return
    }
    throw ServiceError(.dismissed)  // still there
  }

  /// Stores a value in the place of an item's or in a new item, makes sure of it, and removes doubles.
  func store(
    _ value: Secret, for key: SecretKey, label: String, in collection: String, insteadOf former: String?
  ) throws(ServiceError) {
    for _ in 1...3 {
      var before: Secret?
      var stored: String?
      if let former {
        before = try secretIfThere(at: former)
        stored = before == nil ? nil : try replace(former, value)
      }
      if stored == nil { stored = try create(value, for: key, label: label, in: collection) }
      guard let item = stored, isStored(value, before: before, after: try secretIfThere(at: item)) else { continue }
      // Doubles that others made would outlive their tokens.
      for other in try search(ItemAttributes.sought(key)).unlocked where other != item { try remove(other) }
      return
    }
    throw ServiceError(.other, "the keyring gives back something else than what was stored")
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
    _ value: Secret, for key: SecretKey, label: String, in collection: String
  ) throws(ServiceError) -> String {
    let made = try create(in: collection, ItemAttributes.stored(with: key), label: label, value)
    guard let prompt = made.prompt else { return made.item }
    try finish(prompt: prompt)
    guard let item = try newest(search(ItemAttributes.sought(key)).unlocked) else { throw ServiceError(.dismissed) }
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

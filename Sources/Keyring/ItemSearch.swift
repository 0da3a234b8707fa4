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

  /// Finds the items that can be read, of which one may be replaced.
  ///
  /// An item that the service keeps from this program would get a double, or the service would ask about its replacing.
  func findOpen(_ attributes: [(String, String)], _ collection: DefaultCollection) throws(ServiceError) -> [String] {
    let found = try find(attributes, collection)
    guard found.unlocked.isEmpty, let kept = found.locked.first(where: isKept) else { return found.unlocked }
    try unlock([kept])
    return try search(attributes).unlocked
  }

  /// Whether an item is locked although its collection is open: KeePassXC's way to have each program's access allowed.
  private func isKept(_ item: String) -> Bool {
    let isLocked = (try? property(.collection("Locked"), at: Self.collection(of: item))?.bool) ?? nil
    return isLocked == false
  }

  /// Whether what can be read is but an older copy of what is locked: left in the service's memory, or in another
  /// collection.
  ///
  /// Items show while locked when they were changed last, in seconds; 0 where they were not unlocked since the service's
  /// start: then what can be read is taken for the newer one.
  func isStale(_ found: Matches) throws(ServiceError) -> Bool {
    // Nearly always: one item, or all of them locked.
    guard !found.locked.isEmpty, !found.unlocked.isEmpty else { return false }
    return try changed(found.unlocked) < changed(found.locked)
  }

  /// Unlocks items, and where nobody does while the default collection is open, tells which collection they are in.
  func unlock(_ items: [String], beside collection: DefaultCollection) throws(ServiceError) {
    do throws(ServiceError) {
      try unlock(items)
    } catch  where error.reason == .locked && collection == .open {
      let home = items.first.map(Self.collection(of:))
      let label = try home.flatMap { home throws(ServiceError) in try property(.collection("Label"), at: home)?.text }
      throw ServiceError(.otherLocked, oneLine(label ?? ""))
    }
  }

  private func changed(_ items: [String]) throws(ServiceError) -> UInt64 {
    var last: UInt64 = 0
    for item in items {
      do throws(ServiceError) {
        last = max(last, try property(.item("Modified"), at: item)?.unsigned ?? 0)
      } catch  where error.reason == .noObject {
        continue  // removed since it was found
      }
    }
    return last
  }

  /// Whether a search while locked answers truthfully and without asking anybody.
  ///
  /// gnome-keyring finds locked items by their attributes' hashes. KeePassXC knows nothing of a closed database: it
  /// shows its unlock dialog and lets the caller wait. So a service must show that it knows the locked items.
  private func canSearchLocked() throws(ServiceError) -> Bool {
    let items = try property(.collection("Items"), at: Self.defaultCollection)
    return items?.texts.isEmpty == false || isAlsoKnown(as: "org.gnome.keyring")
  }

  /// The item with the newest generation, of several with the same the one changed last; nil where there are none.
  ///
  /// A single one, as nearly always, is not looked at.
  func newest(_ items: [String], _ generation: (Secret) -> Int?) throws(ServiceError) -> String? {
    guard items.count > 1 else { return items.first }
    var newest: (item: String, age: (Int, UInt64))?
    for item in items {
      do throws(ServiceError) {
        let age = (generation(try secret(at: item)) ?? -1, try property(.item("Modified"), at: item)?.unsigned ?? 0)
        if let former = newest?.age, age < former { continue }
        newest = (item, age)
      } catch  where error.reason == .noObject || error.reason == .locked {
        continue  // removed since it was found, or not to be read
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
    guard patience.mayPrompt else { throw ServiceError(paths.contains(where: isKept) ? .itemLocked : .locked) }
    let answer = try requestUnlock(paths)
    var unlocked = answer.unlocked
    let canAsk = hasPrompter()
    if let prompt = answer.prompt {
      if canAsk { patience.willWait() }
      unlocked += try show(prompt: prompt).texts
    }
    // libsecret does not tell whether a prompt was dismissed; that nothing was unlocked does.
    guard unlocked.isEmpty else { return }
    if paths.contains(where: isKept) { throw ServiceError(.itemLocked) }
    throw ServiceError(canAsk ? .dismissed : .locked)
  }

  /// Whether the service has gnome-keyring's own interface, through which a program hands over the password itself.
  func unlocksWithoutPrompt() throws(ServiceError) -> Bool {
    let introspect = Method("org.freedesktop.DBus.Introspectable", "Introspect")
    let description = try call(introspect, at: Self.root, [], reply: "(s)")[0]?.text ?? ""
    return strstr(description, "\"\(Method.unlockingInterface)\"") != nil
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
}

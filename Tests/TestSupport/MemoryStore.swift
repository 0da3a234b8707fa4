package import Crypto
package import Flows
import Synchronization

/// A keyring in memory that fails where a test wants it to.
package final class MemoryStore: SecretStore {
  package enum Operation: Hashable, Sendable { case load, save, delete, list }

  /// One successful save.
  package struct Save: Sendable {
    package let key: SecretKey
    package let value: Secret
    package let label: String
    package let isLastCopy: Bool
  }

  private struct State {
    var items: [SecretKey: Secret] = [:]
    var calls: [Operation: Int] = [:]
    var faults: [Operation: [Int: StoreError]] = [:]
    var permanent: [Operation: StoreError] = [:]
    var saves: [Save] = []
    var place = SavedPlace.inPlace
    var hooks: [Operation: @Sendable (Int) -> Void] = [:]
  }

  private let state = Mutex(State())

  package init() {}

  /// Has the n-th call of an operation fail, counted from now on and from one.
  package func fail(_ operation: Operation, calls: Int..., with error: StoreError) {
    state.withLock { state in
      let done = state.calls[operation] ?? 0
      for call in calls { state.faults[operation, default: [:]][done + call] = error }
    }
  }

  /// Has every call of an operation fail from now on; nil ends that.
  package func failAlways(_ operation: Operation, with error: StoreError?) {
    state.withLock { $0.permanent[operation] = error }
  }

  /// Runs something at each call of an operation, before it is done; it gets the call's number, from one.
  package func before(_ operation: Operation, _ hook: @escaping @Sendable (Int) -> Void) {
    state.withLock { $0.hooks[operation] = hook }
  }

  package var items: [SecretKey: Secret] {
    get { state.withLock { $0.items } }
    set { state.withLock { $0.items = newValue } }
  }

  /// Where saves say that they stored.
  package var place: SavedPlace {
    get { state.withLock { $0.place } }
    set { state.withLock { $0.place = newValue } }
  }

  /// All successful saves, in order.
  package var saves: [Save] { state.withLock { $0.saves } }

  /// How often an operation was called.
  package func count(_ operation: Operation) -> Int { state.withLock { $0.calls[operation] ?? 0 } }

  package func load(_ key: SecretKey) throws(StoreError) -> Secret? {
    try note(.load)
    return state.withLock { $0.items[key] }
  }

  package func save(_ value: Secret, for key: SecretKey, label: String, isLastCopy: Bool) throws(StoreError)
    -> SavedPlace
  {
    try note(.save)
    return state.withLock { state in
      state.items[key] = value
      state.saves.append(Save(key: key, value: value, label: label, isLastCopy: isLastCopy))
      return state.place
    }
  }

  package func delete(_ key: SecretKey) throws(StoreError) {
    try note(.delete)
    state.withLock { $0.items[key] = nil }
  }

  package func list(_ kind: SecretKey.Kind, provider: String?) throws(StoreError) -> [SecretKey] {
    try note(.list)
    return state.withLock { state in
      // The order of a hash table is no order: whoever needs one sorts.
      state.items.keys.filter { $0.kind == kind && (provider == nil || $0.provider == provider) }
    }
  }

  private func note(_ operation: Operation) throws(StoreError) {
    let (number, hook) = state.withLock { state in
      state.calls[operation, default: 0] += 1
      return (state.calls[operation] ?? 0, state.hooks[operation])
    }
    hook?(number)
    let error = state.withLock { $0.faults[operation]?[number] ?? $0.permanent[operation] }
    if let error { throw error }
  }
}

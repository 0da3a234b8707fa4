package import Flows
import Synchronization

/// Excludes tasks as the real one excludes processes, and tells who held what.
package final class FakeLock: AccountLock {
  private struct State {
    var held: Set<String> = []
    var waiters: [String: [CheckedContinuation<Void, Never>]] = [:]
    var taken: [String] = []
    var limits: [Duration] = []
    var error: LockError?
  }

  private let state = Mutex(State())

  package init() {}

  /// The lock that cannot be taken.
  package init(error: LockError) { state.withLock { $0.error = error } }

  package let identity = "fake locks"

  /// The names that were locked, in order.
  package var taken: [String] { state.withLock { $0.taken } }

  /// The limits that waiting had.
  package var limits: [Duration] { state.withLock { $0.limits } }

  /// Whether a name is locked now.
  package func isHeld(_ name: String) -> Bool { state.withLock { $0.held.contains(name) } }

  package func withLock<Value: Sendable>(
    _ name: String, limit: Duration, _ body: @Sendable () async throws -> Value
  ) async throws -> Value {
    if let error = state.withLock({ $0.error }) { throw error }
    await acquire(name)
    state.withLock { state in
      state.taken.append(name)
      state.limits.append(limit)
    }
    defer { release(name) }
    return try await body()
  }

  private func acquire(_ name: String) async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        if state.held.insert(name).inserted { return true }
        state.waiters[name, default: []].append(continuation)
        return false
      }
      if isFree { continuation.resume() }
    }
  }

  /// Hands the lock to who has waited longest.
  private func release(_ name: String) {
    let next: CheckedContinuation<Void, Never>? = state.withLock { state in
      if state.waiters[name]?.isEmpty == false { return state.waiters[name]?.removeFirst() }
      state.held.remove(name)
      return nil
    }
    next?.resume()
  }
}

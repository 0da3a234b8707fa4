import Flows
package import Foundation
import Synchronization

/// A clock that a test sets, and sleeps that take no time.
package final class FakeTime: TimeSource {
  private struct State {
    var now: Date
    /// From what length on sleeps last; nil for none.
    var heldFrom: Duration?
    var sleeps: [Duration] = []
    var sleepers: [Int: CheckedContinuation<Void, any Error>] = [:]
    var cancelled: Set<Int> = []
    var next = 0
  }

  private let state: Mutex<State>

  /// - Parameter holdsSleeps: whether a sleep lasts until ``release()`` or its cancellation; else it ends at once.
  package convenience init(_ now: Date = Sample.now, holdsSleeps: Bool = false) {
    self.init(now, holdsSleepsFrom: holdsSleeps ? .zero : nil)
  }

  /// - Parameter length: how long a sleep must be to last until ``release()`` or its cancellation.
  package init(_ now: Date = Sample.now, holdsSleepsFrom length: Duration?) {
    state = Mutex(State(now: now, heldFrom: length))
  }

  package var now: Date {
    get { state.withLock { $0.now } }
    set { state.withLock { $0.now = newValue } }
  }

  /// All sleeps so far.
  package var sleeps: [Duration] { state.withLock { $0.sleeps } }

  package func sleep(for duration: Duration) async throws {
    let id = state.withLock { state in
      state.sleeps.append(duration)
      state.next += 1
      return state.next
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let outcome: Result<Void, any Error>? = state.withLock { state in
          if state.cancelled.contains(id) || Task.isCancelled { return .failure(CancellationError()) }
          guard let limit = state.heldFrom, duration >= limit else { return .success(()) }
          state.sleepers[id] = continuation
          return nil
        }
        if let outcome { continuation.resume(with: outcome) }
      }
    } onCancel: {
      let sleeper = state.withLock { state in
        state.cancelled.insert(id)
        return state.sleepers.removeValue(forKey: id)
      }
      sleeper?.resume(throwing: CancellationError())
    }
  }

  /// Ends the sleeps under way, and tells how many those were; later ones last.
  package func fire() -> Int {
    let sleepers = state.withLock { state in
      defer { state.sleepers = [:] }
      return state.sleepers.values.map { $0 }
    }
    for sleeper in sleepers { sleeper.resume() }
    return sleepers.count
  }

  /// Ends the sleeps under way, and has later ones end at once.
  package func release() {
    let sleepers = state.withLock { state in
      state.heldFrom = nil
      defer { state.sleepers = [:] }
      return state.sleepers.values.map { $0 }
    }
    for sleeper in sleepers { sleeper.resume() }
  }
}

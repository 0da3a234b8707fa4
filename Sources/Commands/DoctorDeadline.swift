internal import Flows
internal import Synchronization

/// A moment after which nothing is waited for any more, whether or not it can be ended: a look at a network folder that
/// is gone cannot.
struct Deadline: Sendable {
  struct Passed: Error {}

  private let time: any TimeSource
  private let end: ContinuousClock.Instant

  init(_ time: any TimeSource, _ limit: Duration) {
    self.time = time
    end = .now + limit
  }

  /// Runs the body, for a second at least, and leaves it behind when the time is over or the task is cancelled.
  ///
  /// - Throws: ``Passed``, `CancellationError`, what the body throws.
  func bound<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
    let answer = FirstAnswer<Value>()
    let work = Task {
      do { answer.give(.success(try await body())) } catch { answer.give(.failure(error)) }
    }
    let timer = Task { [time, end] in
      guard (try? await time.sleep(for: max(.seconds(1), end - .now))) != nil else { return }
      answer.give(.failure(Passed()))
    }
    defer {
      work.cancel()
      timer.cancel()
    }
    return try await withTaskCancellationHandler {
      try await answer.get()
    } onCancel: {
      answer.give(.failure(CancellationError()))
    }
  }
}

/// Keeps the first of several answers for the one who waits.
private final class FirstAnswer<Value: Sendable>: Sendable {
  private struct State {
    var answer: Result<Value, any Error>?
    var waiting: CheckedContinuation<Value, any Error>?
  }

  private let state = Mutex(State())

  func give(_ answer: Result<Value, any Error>) {
    let waiting = state.withLock { state -> CheckedContinuation<Value, any Error>? in
      guard state.answer == nil else { return nil }
      state.answer = answer
      return state.waiting
    }
    waiting?.resume(with: answer)
  }

  func get() async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      let answer = state.withLock { state in
        if state.answer == nil { state.waiting = continuation }
        return state.answer
      }
      if let answer { continuation.resume(with: answer) }
    }
  }
}

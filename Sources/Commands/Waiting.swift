internal import Dispatch
internal import Flows
internal import Glibc
internal import Host
internal import Synchronization

/// Runs asynchronous work from the synchronous main thread.
///
/// Commands that need none of it never start the machinery.
enum Waiting {
  /// How many threads are wanted: those of Swift's pool on two processors and Dispatch's own, the one for signals, the
  /// keyring's two, and one for what waits in the kernel.
  private static let threads = 8

  /// Runs `body` to its end and gives what it gives.
  ///
  /// SIGINT, SIGTERM and SIGHUP cancel it, and it may finish what must not be cut off; a second signal ends the process.
  ///
  /// - Parameter restore: called before the process ends at a second signal: puts the terminal right.
  static func run<Value: Sendable>(
    restore: @escaping @Sendable () -> Void, _ body: @escaping @Sendable () async throws -> Value
  ) throws -> Value {
    // Swift's and Dispatch's own threads cannot be done without, and where they cannot be had those try again for ever.
    guard WorkerThread.areAvailable(threads) else {
      throw Failure(
        .temporary, "the system gives this process no more threads", hint: "try again later, or see 'ulimit -a'")
    }
    let interruption = Interruption()
    // Before the work starts: a signal that comes at its first moment is heard, too.
    let watch = SignalWatch { number in
      if interruption.isFirst(number) { return }
      restore()
      _exit(128 + number)
    }
    defer { watch?.stop() }
    let outcome = Mutex<Result<Value, any Error>?>(nil)
    let done = DispatchSemaphore(value: 0)
    let task = Task {
      let result: Result<Value, any Error>
      do { result = .success(try await body()) } catch { result = .failure(error) }
      outcome.withLock { $0 = result }
      done.signal()
    }
    interruption.whenInterrupted { task.cancel() }
    done.wait()
    guard let result = outcome.withLock({ $0 }) else { throw CancellationError() }
    do {
      // What was done is done, whatever signal came meanwhile.
      return try result.get()
    } catch {
      let isInterruption = error is CancellationError || (error as? Failure)?.kind == .interrupted
      guard isInterruption, let signal = interruption.signal, signal != SIGINT else { throw error }
      var failure = Failure(.interrupted, "interrupted by signal \(signal)")
      failure.exitCodeOverride = 128 + signal
      throw failure
    }
  }
}

/// The first signal that came, and what it does.
private final class Interruption: Sendable {
  private struct State {
    var signal: Int32?
    var act: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  var signal: Int32? { state.withLock { $0.signal } }

  /// Notes a signal and acts on it; gives false for all but the first.
  func isFirst(_ number: Int32) -> Bool {
    let (isFirst, act) = state.withLock { state in
      let isFirst = state.signal == nil
      if isFirst { state.signal = number }
      return (isFirst, state.act)
    }
    if isFirst { act?() }
    return isFirst
  }

  /// Sets what the first signal does; at once, where it has come already.
  func whenInterrupted(_ act: @escaping @Sendable () -> Void) {
    let hasCome = state.withLock { state in
      state.act = act
      return state.signal != nil
    }
    if hasCome { act() }
  }
}

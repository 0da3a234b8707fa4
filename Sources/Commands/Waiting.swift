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

  /// How many open files: Dispatch's five, those for signals, a child, the keyring, the lock, and of libraries and sockets.
  private static let files = 20

  /// Sees to it that what is begun can be done: without threads of their own Swift and Dispatch wait for ever, and without
  /// open files Dispatch ends the process by a signal.
  private static func checkMeans() throws(Failure) {
    let hint = "try again later, or see 'ulimit -a'"
    guard WorkerThread.areAvailable(threads) else {
      throw Failure(.temporary, "the system gives this process no more threads", hint: hint)
    }
    guard ProcessHardening.canOpen(files) else {
      throw Failure(.temporary, "the system lets this process open no more files", hint: hint)
    }
  }

  /// Runs `body` to its end and gives what it gives.
  ///
  /// SIGINT, SIGTERM and SIGHUP cancel it, and it may finish what must not be cut off; a second signal ends the process,
  /// though not while that is going on.
  ///
  /// - Parameters:
  ///   - restore: called before the process ends at a second signal: puts the terminal right. With nil no signal ends
  ///     the process: for one that nobody waits for, and that ends by itself.
  static func run<Value: Sendable>(
    restore: (@Sendable () -> Void)?, _ body: @escaping @Sendable () async throws -> Value
  ) throws -> Value {
    try checkMeans()
    let interruption = Interruption()
    // Before the work starts: a signal that comes at its first moment is heard, too.
    let watch = SignalWatch { number in
      guard !interruption.isFirst(number), let restore, !Uninterrupted.isGoingOn else { return }
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

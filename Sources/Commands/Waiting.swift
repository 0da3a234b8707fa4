internal import Dispatch
internal import Glibc
internal import Synchronization

/// Runs asynchronous work from the synchronous main thread.
///
/// Commands that need none of it never start the machinery.
enum Waiting {
  /// Runs `body` to its end and gives what it gives.
  ///
  /// SIGINT, SIGTERM and SIGHUP cancel it, and it may finish what must not be cut off; a second signal ends the process.
  ///
  /// - Parameter restore: called before the process ends at a second signal: puts the terminal right.
  static func run<Value: Sendable>(
    restore: @escaping @Sendable () -> Void, _ body: @escaping @Sendable () async throws -> Value
  ) throws -> Value {
    let outcome = Mutex<Result<Value, any Error>?>(nil)
    let done = DispatchSemaphore(value: 0)
    let task = Task {
      let result: Result<Value, any Error>
      do { result = .success(try await body()) } catch { result = .failure(error) }
      outcome.withLock { $0 = result }
      done.signal()
    }
    let signals = Signals(restore: restore) { task.cancel() }
    done.wait()
    signals.stop()
    if let signal = signals.received, signal != SIGINT {
      var failure = Failure(.interrupted, "interrupted by signal \(signal)")
      failure.exitCodeOverride = 128 + signal
      throw failure
    }
    guard let result = outcome.withLock({ $0 }) else { throw CancellationError() }
    return try result.get()
  }
}

/// The signals by which a person or the system asks the process to end.
private final class Signals {
  private let first = FirstSignal()
  private let numbers: [Int32]
  private let sources: [any DispatchSourceSignal]

  /// The first that came.
  var received: Int32? { first.number.withLock { $0 } }

  init(restore: @escaping @Sendable () -> Void, cancel: @escaping @Sendable () -> Void) {
    let first = first
    let queue = DispatchQueue(label: "oauthctl.signals")
    // One that the parent had ignored (nohup) stays ignored.
    numbers = [SIGINT, SIGTERM, SIGHUP].filter { !isIgnored($0) }
    for number in numbers { signal(number, SIG_IGN) }
    sources = numbers.map { number in
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler {
        if first.note(number) { return cancel() }
        restore()
        _exit(128 + number)
      }
      source.activate()
      return source
    }
  }

  func stop() {
    for source in sources { source.cancel() }
    for number in numbers { signal(number, SIG_DFL) }
  }
}

/// Remembers the first signal.
private final class FirstSignal: Sendable {
  let number = Mutex<Int32?>(nil)

  /// Gives true for the first one only.
  func note(_ signal: Int32) -> Bool {
    number.withLock { number in
      defer { number = number ?? signal }
      return number == nil
    }
  }
}

private func isIgnored(_ number: Int32) -> Bool {
  var action = sigaction()
  guard sigaction(number, nil, &action) == 0 else { return false }
  // Functions cannot be compared; SIG_IGN is the address 1.
  return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
}

internal import Dispatch
internal import Glibc
internal import Synchronization

/// Runs asynchronous work from the synchronous main thread. Commands that need none of it never start the machinery.
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
private final class Signals: Sendable {
  private let first = Mutex<Int32?>(nil)
  private let sources = Mutex<[any DispatchSourceSignal]>([])

  var received: Int32? { first.withLock { $0 } }

  init(restore: @escaping @Sendable () -> Void, cancel: @escaping @Sendable () -> Void) {
    let queue = DispatchQueue(label: "oauthctl.signals")
    for number in [SIGINT, SIGTERM, SIGHUP] {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler { [weak self] in
        let isFirst = self?.first.withLock { first in
          defer { first = first ?? number }
          return first == nil
        }
        if isFirst == true { return cancel() }
        restore()
        _exit(128 + number)
      }
      source.activate()
      sources.withLock { $0.append(source) }
    }
  }

  func stop() {
    sources.withLock { sources in
      for source in sources { source.cancel() }
    }
    for number in [SIGINT, SIGTERM, SIGHUP] { signal(number, SIG_DFL) }
  }
}

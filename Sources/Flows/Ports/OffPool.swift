internal import Dispatch
internal import Glibc

/// Runs a blocking call on a thread of its own, and waits for it without blocking one of the cooperative pool's.
///
/// A thread and not a dispatch queue: a queue has as many threads as there are processors, and adds one a second where
/// those wait, so that twenty requests at once would take many seconds to be sent.
public func offPool<Value: Sendable>(_ call: @escaping @Sendable () throws -> Value) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    runOnThread { continuation.resume(with: Result { try call() }) }
  }
}

private final class Work: Sendable {
  let run: @Sendable () -> Void
  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

private func runOnThread(_ run: @escaping @Sendable () -> Void) {
  let work = Unmanaged.passRetained(Work(run))
  var thread = pthread_t()
  let code = pthread_create(
    &thread, nil,
    { context in
      // Retained above for this thread alone.
      if let context { Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run() }
      return nil
    }, work.toOpaque())
  guard code != 0 else {
    pthread_detach(thread)
    return
  }
  // No more threads for this user: then it waits its turn.
  work.release()
  DispatchQueue.global().async(execute: run)
}

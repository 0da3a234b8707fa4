/// Runs a blocking call on a thread of its own, and waits for it without blocking one of the cooperative pool's.
///
/// A thread and not a dispatch queue: a queue has as many threads as there are processors, and adds one a second where
/// those wait, so that twenty requests at once would take many seconds to be sent.
public func offPool<Value: Sendable>(_ call: @escaping @Sendable () throws -> Value) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    let work: @Sendable () -> Void = { continuation.resume(with: Result { try call() }) }
    // No more threads for this user: then it is done here, and what else there is to do waits. Not on a dispatch queue: that
    // would need a thread as well, and tries again for ever.
    if !WorkerThread.start(work) { work() }
  }
}

/// Runs what must not be cut off half-way: cancelling the caller does not reach it.
///
/// For the moment when a server has given something that it will not give again. What runs has time limits of its own.
public func uninterrupted<Value: Sendable>(
  _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  try await Task { try await body() }.value
}

/// Runs what should not be cut off half-way: cancelling the caller reaches it some time later.
///
/// - Parameters:
///   - grace: how long it may go on after the caller was cancelled.
///   - time: what measures that.
func withGrace<Value: Sendable>(
  _ grace: Duration, _ time: any TimeSource, _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  let work = Task { try await body() }
  return try await withTaskCancellationHandler {
    try await work.value
  } onCancel: {
    Task {
      try? await time.sleep(for: grace)
      work.cancel()
    }
  }
}

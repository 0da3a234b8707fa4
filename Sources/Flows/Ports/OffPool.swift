internal import Dispatch

private let blockingCalls = DispatchQueue(label: "oauthctl.blocking", attributes: .concurrent)

/// Runs a blocking call on a thread that is not the cooperative pool's, and waits for it without blocking one.
public func offPool<Value: Sendable>(_ call: @escaping @Sendable () throws -> Value) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    blockingCalls.async { continuation.resume(with: Result { try call() }) }
  }
}

/// Runs what must not be cut off half-way: cancelling the caller does not reach it.
///
/// For the moment when a server has given something that it will not give again. What runs has time limits of its own.
public func uninterrupted<Value: Sendable>(
  _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  try await Task { try await body() }.value
}

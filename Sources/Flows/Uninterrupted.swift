internal import Synchronization

/// Work that must not be cut off half-way: a server has given something that it will not give again.
///
/// All of it has time limits of its own.
public enum Uninterrupted {
  private static let count = Atomic(0)

  /// Whether there is any in this process, so that no signal may end it now.
  public static var isGoingOn: Bool { count.load(ordering: .acquiring) > 0 }

  /// Runs it; cancelling the caller does not reach it.
  static func run<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
    begin()
    defer { end() }
    return try await Task { try await body() }.value
  }

  /// Runs what should not be cut off half-way: cancelling the caller reaches it some time later.
  ///
  /// - Parameters:
  ///   - grace: how long it may go on after the caller was cancelled.
  ///   - time: what measures that.
  static func run<Value: Sendable>(
    grace: Duration, _ time: any TimeSource, _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    begin()
    defer { end() }
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

  private static func begin() { count.wrappingAdd(1, ordering: .acquiringAndReleasing) }
  private static func end() { count.wrappingSubtract(1, ordering: .acquiringAndReleasing) }
}

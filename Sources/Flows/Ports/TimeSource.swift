public import FoundationEssentials

/// Where the time comes from, so that a test can choose it.
public protocol TimeSource: Sendable {
  /// The wall clock.
  var now: Date { get }
  /// Waits.
  ///
  /// - Throws: `CancellationError` where the task is cancelled.
  func sleep(for duration: Duration) async throws
}

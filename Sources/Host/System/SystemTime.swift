public import Flows
public import FoundationEssentials

/// The machine's own time.
public struct SystemTime: TimeSource {
  /// Makes one.
  public init() {}

  /// The wall clock.
  public var now: Date { Date() }

  /// Waits; time that the machine sleeps counts.
  public func sleep(for duration: Duration) async throws {
    try await Task.sleep(for: duration, clock: .continuous)
  }
}

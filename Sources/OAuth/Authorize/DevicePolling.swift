public import FoundationEssentials

/// When to ask again whether a person has approved a login on another device.
///
/// It is arithmetic alone: the caller waits, and says what came of each poll.
///
/// - See: https://www.rfc-editor.org/rfc/rfc8628#section-3.5
public struct DevicePolling: Sendable, Equatable {
  /// What came of a poll that brought no tokens.
  public enum Outcome: Sendable, Equatable {
    /// The server answered that the person has not decided yet.
    case pending
    /// The server answered that the polls come too fast; the interval that it names, if it does.
    case slowDown(interval: Int?)
    /// There was no answer, or none of the server itself; the seconds of `Retry-After`, where given.
    case failure(retryAfter: Int?)
  }

  /// The seconds between two polls; it grows, and never shrinks.
  public private(set) var interval: Int
  /// When the device code ends.
  public let expiresAt: Date
  private var failures = 0

  /// What is added to each interval: the server measures between arrivals, and its clock may run slower than ours.
  static let margin = 1.0
  /// What one `slow_down` adds for good (RFC 8628 section 3.5).
  static let step = 5
  /// The longest wait after an outage, where the interval is not longer: the person is waiting, too.
  static let longestBackOff = 60.0
  /// The longest `Retry-After` that is heeded.
  static let longestRetryAfter = 300

  /// Begins with the interval of the device authorization response.
  public init(_ authorization: DeviceAuthorization) {
    self.init(interval: authorization.interval, expiresAt: authorization.expiresAt)
  }

  init(interval: Int, expiresAt: Date) {
    self.interval = interval
    self.expiresAt = expiresAt
  }

  /// Gives the seconds to wait before the first poll; nil where the code has ended.
  ///
  /// A code that ends before the interval does is asked for as well, just before its end: the interval is one between two
  /// polls (RFC 8628 section 3.2).
  public func firstDelay(now: Date) -> Double? {
    let left = expiresAt.timeIntervalSince(now)
    guard left > 0 else { return nil }
    return left > usual ? usual : max(left - Self.margin, left / 2)
  }

  /// Takes what came of a poll, and gives the seconds to wait before the next; nil where the code ends before that.
  public mutating func delay(after outcome: Outcome, now: Date) -> Double? {
    switch outcome {
    case .pending:
      failures = 0
      return waiting(usual, now)
    case .slowDown(let named):
      failures = 0
      let limit = DeviceAuthorization.intervals.upperBound
      interval = min(max(interval + Self.step, named ?? 0), limit)
      return waiting(usual, now)
    case .failure(let retryAfter):
      failures = min(failures + 1, 10)
      let doubled = Double(interval) * Double(1 << failures)
      let asked = Double(min(retryAfter ?? 0, Self.longestRetryAfter))
      let wait = max(min(doubled, max(Self.longestBackOff, Double(interval))) + Self.margin, asked)
      // Better a last look before the end than none.
      let last = expiresAt.timeIntervalSince(now) - Self.margin
      return waiting(last >= max(usual, asked) ? min(wait, last) : wait, now)
    }
  }

  private var usual: Double { Double(interval) + Self.margin }

  private func waiting(_ seconds: Double, _ now: Date) -> Double? {
    expiresAt.timeIntervalSince(now) > seconds ? seconds : nil
  }
}

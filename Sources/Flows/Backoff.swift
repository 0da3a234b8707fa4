public import FoundationEssentials

/// Kept across processes, so that timers and scripts do not hammer a server that is down.
///
/// A person who asks is not held back.
public struct Backoff: Sendable, Equatable, Codable {
  /// Who would ask the server.
  public enum Asker: Sendable {
    /// A run over all accounts, as from a timer: it comes again by itself.
    case timer
    /// A program that needs a token now.
    case script
    /// Somebody at a terminal, or who insists.
    case person
  }

  /// How often in a row the server could not answer.
  public var failures: Int
  /// When a timer may ask again.
  public var notBefore: Date
  /// Whether it was the server that named the time.
  public var isServersWish: Bool?

  /// The longest back-off, in seconds: a day.
  static let limit = 86400.0
  /// How many failures a script may meet before it is held back: the first ones are as often the network's.
  static let patienceOfScripts = 3

  enum CodingKeys: String, CodingKey {
    case failures
    case notBefore = "not_before"
    case isServersWish = "is_servers_wish"
  }

  /// Makes one.
  init(failures: Int, notBefore: Date, isServersWish: Bool? = nil) {
    self.failures = failures
    self.notBefore = notBefore
    self.isServersWish = isServersWish
  }

  /// What it tells, in words.
  public var sentence: String {
    // None is counted where this machine may have been offline.
    let often = failures <= 1 ? "" : ", \(failures) times in a row"
    return isServersWish == true ? "the server asked to be left alone\(often)" : "the server could not answer\(often)"
  }

  /// When the asker may ask, or nil where that is now.
  ///
  /// A time further ahead than any back-off was noted under a clock that was wrong, and counts for nothing.
  public func holdsBack(_ asker: Asker, at now: Date) -> Date? {
    guard notBefore > now, notBefore.timeIntervalSince(now) <= Self.limit else { return nil }
    return switch asker {
    case .timer: notBefore
    case .script: isServersWish == true || failures >= Self.patienceOfScripts ? notBefore : nil
    case .person: nil
    }
  }

  /// Refuses an asker that is held back.
  ///
  /// - Throws: ``FlowError/backingOff(_:_:seconds:)``.
  public func check(_ asker: Asker, _ account: Account, now: Date) throws(FlowError) {
    guard let until = holdsBack(asker, at: now) else { return }
    throw .backingOff(account, self, seconds: Int(until.timeIntervalSince(now).rounded(.up)))
  }

  /// Gives the back-off after the server was not reached: a minute, which holds no more scripts back than before.
  static func pause(_ previous: Backoff?, now: Date) -> Backoff {
    let next = now.addingTimeInterval(60)
    guard let previous, previous.notBefore > next, previous.holdsBack(.timer, at: now) != nil else {
      return Backoff(failures: min(max(previous?.failures ?? 0, 0), patienceOfScripts - 1), notBefore: next)
    }
    return previous
  }

  /// Gives the back-off after one more failure: a minute, doubled each time up to an hour; longer, up to a day, where
  /// the server asked for it (`Retry-After`, in seconds).
  static func after(_ previous: Backoff?, now: Date, retryAfter: Int?) -> Backoff {
    // What is stored may be any number.
    let failures = min(max(previous?.failures ?? 0, 0), 999) + 1
    let own = min(60.0 * Double(1 << min(failures - 1, 6)), 3600)
    let wish = min(Double(retryAfter ?? 0), limit)
    return Backoff(
      failures: failures, notBefore: now.addingTimeInterval(max(own, wish)), isServersWish: wish > 0 ? true : nil)
  }
}

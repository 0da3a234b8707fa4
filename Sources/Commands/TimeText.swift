internal import FoundationEssentials

extension Date {
  /// The date as RFC 3339 has it, in UTC and whole seconds; what it cannot write becomes the nearest that it can.
  var rfc3339: String {
    Date(timeIntervalSince1970: min(max(timeIntervalSince1970, 0), 253_402_300_799)).formatted(.iso8601)
  }
}

/// A time span for people, rounded down to its largest unit.
enum Relative {
  static func text(_ seconds: Double) -> String {
    let span = Int64(min(abs(seconds), 1e12).rounded(.down))
    let text =
      switch span {
      case 0..<120: "\(span)s"
      case 120..<7200: "\(span / 60)m"
      case 7200..<172_800: "\(span / 3600)h"
      default: "\(span / 86400)d"
      }
    return seconds < 0 ? "\(text) ago" : "in \(text)"
  }
}

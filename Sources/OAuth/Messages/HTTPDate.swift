public import FoundationEssentials

/// Points in time as HTTP headers write them.
public enum HTTPDate {
  /// Reads one, in the form that servers send and in the two that they used to send.
  ///
  /// - Returns: nil where it is none of them.
  /// - See: https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7
  public static func parse(_ text: String) -> Date? {
    // All three name the day of the week first, which says nothing that the rest does not; what is left has a day, a
    // month, a year and a time, in an order that shows in itself.
    let words = text.split { $0 == " " || $0 == "," || $0 == "-" }.dropFirst().map(String.init)
    guard let first = words.first, let month = words.first(where: { months.contains($0.lowercased()) }),
      let monthIndex = months.firstIndex(of: month.lowercased())
    else { return nil }
    let isCTime = first == month  // "Sun Nov  6 08:49:37 1994"
    guard words.count == (isCTime ? 4 : 5), isCTime || words[4] == "GMT",
      let day = number(words[isCTime ? 1 : 0], 1...31), let time = time(words[isCTime ? 2 : 3]),
      let year = number(words[isCTime ? 3 : 2], 0...9999)
    else { return nil }
    let days = days(year: words[isCTime ? 3 : 2].count == 2 ? century(year) : year, month: monthIndex + 1, day: day)
    return Date(timeIntervalSince1970: Double(days * 86400 + time))
  }

  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]

  private static func time(_ text: String) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3, let hours = number(parts[0], 0...23), let minutes = number(parts[1], 0...59),
      let seconds = number(parts[2], 0...60)
    else { return nil }
    return hours * 3600 + minutes * 60 + seconds
  }

  private static func number(_ text: String, _ range: ClosedRange<Int>) -> Int? {
    guard (1...4).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(text).flatMap { range.contains($0) ? $0 : nil }
  }

  /// Two digits mean a year of our time.
  private static func century(_ year: Int) -> Int { year < 70 ? 2000 + year : 1900 + year }

  /// The days since 1970 in the Gregorian calendar, with the year counted from March, so that a leap day is its last.
  private static func days(year: Int, month: Int, day: Int) -> Int {
    let year = month <= 2 ? year - 1 : year
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    return 365 * year + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
  }
}

extension HTTPResponse {
  /// How many seconds the server asks to be left alone (`Retry-After`), or nil where it does not say.
  ///
  /// A point in time is measured against the server's own clock, its `Date`, where it tells that.
  ///
  /// - Parameter now: this machine's time when the response came.
  /// - See: https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3
  func retryAfter(now: Date) -> Int? {
    guard let value = header("Retry-After") else { return nil }
    if let seconds = Int(value) { return seconds >= 0 ? min(seconds, Self.longestRetryAfter) : nil }
    guard let point = HTTPDate.parse(value) else { return nil }
    let wait = point.timeIntervalSince(header("Date").flatMap(HTTPDate.parse) ?? now)
    return Int(min(max(wait.rounded(.up), 0), Double(Self.longestRetryAfter)))
  }

  /// What any longer time is taken for, in seconds: no sum with it overflows.
  private static let longestRetryAfter = 1_000_000_000
}

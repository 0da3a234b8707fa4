/// The time in a `Date` header (RFC 9110 section 5.6.7).
public enum HTTPDate {
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// Reads a date as servers write it, `Sun, 06 Nov 1994 08:49:37 GMT`; gives seconds since 1970, or nil for any other
  /// text, the two obsolete forms among them.
  public static func read(_ text: String) -> Double? {
    let words = text.split(separator: " ")
    guard words.count == 6, words[0].count == 4, words[0].hasSuffix(","), words[5] == "GMT",
      let month = months.firstIndex(of: String(words[2])), let day = number(words[1], digits: 2),
      (1...31).contains(day),
      let year = number(words[3], digits: 4)
    else { return nil }
    let time = words[4].split(separator: ":", omittingEmptySubsequences: false).map { number($0, digits: 2) }
    guard time.count == 3, let hour = time[0], let minute = time[1], let second = time[2], hour < 24, minute < 60,
      second <= 60
    else { return nil }
    return Double(days(year: year, month: month + 1, day: day) * 86400 + hour * 3600 + minute * 60 + second)
  }

  private static func number(_ text: Substring, digits: Int) -> Int? {
    guard text.utf8.count == digits, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(text)
  }

  /// Days from 1970-01-01 in the Gregorian calendar: years are counted from March, so that the leap day is the last.
  private static func days(year: Int, month: Int, day: Int) -> Int {
    let years = month > 2 ? year : year - 1
    let (era, yearOfEra) = (years / 400, years % 400)
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}

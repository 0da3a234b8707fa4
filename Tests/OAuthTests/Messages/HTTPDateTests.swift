import Foundation
import Testing

@testable import OAuth

/// The time that a server tells.
struct HTTPDateTests {
  @Test(arguments: [
    ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
    ("Tue, 29 Feb 2028 23:59:60 GMT", 1_835_481_600), ("Mon, 01 Mar 2100 00:00:00 GMT", 4_107_542_400),
  ]) func `a date is read`(_ text: String, _ seconds: Int) {
    #expect(HTTPDate.read(text) == Double(seconds))
  }

  @Test(arguments: [
    "", "Sun, 06 Nov 1994", "Sun, 06 Nov 1994 08:49:37 +0000", "Sunday, 06-Nov-94 08:49:37 GMT",
    "Sun Nov  6 08:49:37 1994", "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT",
    "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT",
    "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov -994 08:49:37 GMT", "Sun, 06 Nov 1994 08:4٣:37 GMT",
  ]) func `anything else is not`(_ text: String) {
    #expect(HTTPDate.read(text) == nil)
  }

  @Test func `it agrees with the calendar on any day`() {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(identifier: "GMT")
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    for day in stride(from: 0, to: 60_000, by: 7) {
      let date = Date(timeIntervalSince1970: Double(day) * 86_400 + 12_345)
      #expect(HTTPDate.read(formatter.string(from: date)) == date.timeIntervalSince1970)
    }
  }
}

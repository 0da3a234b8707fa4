import Foundation
import TestSupport
import Testing

@testable import OAuth

struct HTTPDateTests {
  /// The examples of RFC 9110 section 5.6.7, and days around the calendar's corners.
  static let dates: [Named<Double>] = [
    Named("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), Named("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
    Named("Sun Nov  6 08:49:37 1994", 784_111_777), Named("Thu, 01 Jan 1970 00:00:00 GMT", 0),
    Named("Thu, 29 Feb 2024 23:59:60 GMT", 1_709_251_200), Named("Fri, 01 Mar 2024 00:00:00 GMT", 1_709_251_200),
    Named("Wed, 31 Dec 1969 23:59:59 GMT", -1), Named("Mon, 30 Nov 2026 04:41:26 GMT", 1_796_013_686),
    Named("Tuesday, 01-Dec-26 00:00:00 GMT", 1_796_083_200), Named("fri, 01 mar 2024 00:00:00 GMT", 1_709_251_200),
  ]

  @Test(arguments: dates) func `a date is read in each of the three forms`(_ row: Named<Double>) {
    #expect(HTTPDate.parse(row.id) == Date(timeIntervalSince1970: row.value))
  }

  @Test(arguments: [
    "", "120", "soon", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 00 Nov 1994 08:49:37 GMT",
    "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:49 GMT",
    "Sun, 06 Nov 1994 8:-1:00 GMT", "Sun, 06 Nov 99999 08:49:37 GMT", "Sun, ٠٦ Nov 1994 08:49:37 GMT",
    "2026-11-30T04:41:26Z", "Nov Nov Nov Nov Nov", "Sun, 06 Nov 1994 08:49:37 GMT extra",
  ]) func `what is none is not taken for one`(_ text: String) {
    #expect(HTTPDate.parse(text) == nil)
  }

  private static let now = Date(timeIntervalSince1970: 784_111_777)
  private static let later = "Sun, 06 Nov 1994 08:51:37 GMT"

  static let waits: [Named<(headers: [HTTPHeader], seconds: Int?)>] = [
    Named("seconds", ([HTTPHeader("Retry-After", "7")], 7)), Named("now", ([HTTPHeader("Retry-After", "0")], 0)),
    Named("more than any clock", ([HTTPHeader("Retry-After", "99999999999999")], 1_000_000_000)),
    Named("negative", ([HTTPHeader("Retry-After", "-1")], nil)), Named("none", ([], nil)),
    Named("nonsense", ([HTTPHeader("Retry-After", "a while")], nil)),
    Named("a date", ([HTTPHeader("Retry-After", later)], 120)),
    Named(
      "a date by a server's clock that is ahead",
      ([HTTPHeader("Retry-After", later), HTTPHeader("Date", "Sun, 06 Nov 1994 08:51:07 GMT")], 30)),
    Named("a date that is over", ([HTTPHeader("Retry-After", "Thu, 01 Jan 1970 00:00:00 GMT")], 0)),
    Named("a date that is far", ([HTTPHeader("Retry-After", "Fri, 31 Dec 9999 00:00:00 GMT")], 1_000_000_000)),
  ]

  @Test(arguments: waits) func `Retry-After is seconds or a date`(
    _ row: Named<(headers: [HTTPHeader], seconds: Int?)>
  ) {
    let response = HTTPResponse(status: 503, headers: row.value.headers)
    #expect(response.retryAfter(now: Self.now) == row.value.seconds)
  }
}

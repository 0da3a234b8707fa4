import Foundation
import TestSupport
import Testing

@testable import OAuth

struct KeptKeySetTests {
  static let lifetimes: [Named<(headers: [(String, String)], seconds: Double)>] = [
    Named("nothing said", ([], 3600)), Named("an hour and a half", ([("Cache-Control", "public, max-age=5400")], 5400)),
    Named("written otherwise", ([("cache-control", #"Public,MAX-AGE="5400""#)], 5400)),
    Named("half of it gone", ([("Cache-Control", "max-age=7200"), ("Age", "3600")], 3600)),
    Named("all of it gone", ([("Cache-Control", "max-age=600"), ("Age", "6000")], 300)),
    Named("an age that is none", ([("Cache-Control", "max-age=7200"), ("Age", "-5")], 7200)),
    Named("none at all", ([("Cache-Control", "max-age=0")], 300)),
    Named("not to be kept", ([("Cache-Control", "no-store, max-age=7200")], 300)),
    Named("a year", ([("Cache-Control", "max-age=31536000")], 86400)),
    Named("no number", ([("Cache-Control", "max-age=soon")], 3600)),
    Named("no sense", ([("Cache-Control", "max-age=-1")], 3600)),
    Named("endless", ([("Cache-Control", "max-age=1e999")], 86400)),
    Named("not a number", ([("Cache-Control", "max-age=nan")], 3600)),
    Named("on lines of their own", ([("Cache-Control", "public"), ("Cache-Control", "max-age=900")], 900)),
  ]

  @Test(arguments: lifetimes) func `a set is kept as long as the server says, within bounds`(
    _ row: Named<(headers: [(String, String)], seconds: Double)>
  ) throws {
    let response = HTTPResponse.json(#"{"keys":[]}"#, headers: row.value.headers.map { HTTPHeader($0.0, $0.1) })
    let kept = try #require(KeptKeySet(response, url: "https://x.example/jwks", now: Sample.now))
    #expect(kept.freshUntil.timeIntervalSince(kept.readAt) == row.value.seconds && kept.readAt == Sample.now)
  }

  @Test func `it is fresh until its time is over, and not where it comes from the future`() throws {
    let kept = try SampleIssuer().kept()
    #expect(kept.isFresh(at: Sample.now) && kept.isFresh(at: Sample.now.addingTimeInterval(3599)))
    #expect(!kept.isFresh(at: Sample.now.addingTimeInterval(3600)))
    #expect(kept.isFresh(at: Sample.now.addingTimeInterval(-59)))
    #expect(!kept.isFresh(at: Sample.now.addingTimeInterval(-61)))
  }

  @Test(arguments: [
    HTTPResponse.json(#"{"keys":[]}"#, status: 404), .json(#"{"error":"x"}"#), .text("<html>"), .json("[]"),
  ]) func `what is no key set is none`(_ response: HTTPResponse) {
    #expect(KeptKeySet(response, url: "u", now: Sample.now) == nil)
  }
}

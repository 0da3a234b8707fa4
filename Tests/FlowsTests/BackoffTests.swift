import Foundation
import TestSupport
import Testing

@testable import Flows

struct BackoffTests {
  @Test func `it doubles from a minute to an hour, and stays there`() {
    var backoff: Backoff?
    var delays: [Double] = []
    for _ in 0..<9 {
      backoff = Backoff.after(backoff, now: Sample.now, retryAfter: nil)
      delays.append(backoff?.notBefore.timeIntervalSince(Sample.now) ?? -1)
    }
    #expect(delays == [60, 120, 240, 480, 960, 1920, 3600, 3600, 3600] && backoff?.failures == 9)
  }

  @Test(
    arguments: [(0, 60.0), (59, 60), (61, 61), (7200, 7200), (86400, 86400), (86401, 86400), (Int.max, 86400)]
      as [(Int, Double)])
  func `a server may ask for longer, up to a day`(_ retryAfter: Int, _ delay: Double) {
    let backoff = Backoff.after(nil, now: Sample.now, retryAfter: retryAfter)
    #expect(backoff.notBefore.timeIntervalSince(Sample.now) == delay)
  }

  @Test(arguments: [(Int.max, 1000), (1000, 1000), (999, 1000), (-1, 1), (Int.min, 1)])
  func `no number of failures overflows it`(_ failures: Int, _ next: Int) {
    let many = Backoff(failures: failures, notBefore: Sample.now)
    #expect(Backoff.after(many, now: Sample.now, retryAfter: nil).failures == next)
  }
}

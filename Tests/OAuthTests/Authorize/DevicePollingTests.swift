import Foundation
import Testing

@testable import OAuth

/// When a device login asks again.
@Suite struct DevicePollingTests {
  static let start = Date(timeIntervalSince1970: 1_700_000_000)

  /// A login and the time that has passed in it.
  struct Run {
    var polling: DevicePolling
    var elapsed = 0.0
    var now: Date { start.addingTimeInterval(elapsed) }

    init(interval: Int = 5, lifetime: Double = 1800) {
      polling = DevicePolling(interval: interval, expiresAt: start.addingTimeInterval(lifetime))
    }

    mutating func first() -> Double? {
      let delay = polling.firstDelay(now: now)
      elapsed += delay ?? 0
      return delay
    }

    mutating func after(_ outcome: DevicePolling.Outcome) -> Double? {
      let delay = polling.delay(after: outcome, now: now)
      elapsed += delay ?? 0
      return delay
    }
  }

  @Test func `it waits the interval and a margin, and asks until the code ends`() {
    var run = Run(interval: 5, lifetime: 60)
    #expect(run.first() == 6)
    var delays: [Double] = []
    while let delay = run.after(.pending) { delays.append(delay) }
    #expect(delays == Array(repeating: 6, count: 8) && run.elapsed == 54, "the next one would come too late")
  }

  @Test func `slow_down adds five seconds for good`() {
    var run = Run()
    #expect(run.first() == 6)
    #expect(run.after(.slowDown(interval: nil)) == 11)
    #expect(run.after(.pending) == 11 && run.after(.pending) == 11)
    #expect(run.after(.slowDown(interval: nil)) == 16)
    #expect(run.after(.pending) == 16)
    #expect(run.polling.interval == 15)
  }

  @Test func `an interval that slow_down names counts where it is longer`() {
    var run = Run()
    #expect(run.after(.slowDown(interval: 30)) == 31)
    #expect(run.after(.slowDown(interval: 10)) == 36)
    #expect(run.after(.pending) == 36)
  }

  @Test func `an endless slow_down does not end the login before the code does`() {
    var run = Run(interval: 5, lifetime: 1800)
    var count = 0
    while run.after(.slowDown(interval: nil)) != nil { count += 1 }
    #expect(count == 25 && run.elapsed > 1600)
    var greedy = Run(interval: 5, lifetime: 100_000)
    for _ in 0..<200 { _ = greedy.after(.slowDown(interval: 300)) }
    #expect(greedy.polling.interval == 300)
  }

  @Test func `failures double the wait up to a bound, and an answer ends that`() {
    var run = Run()
    #expect((0..<5).map { _ in run.after(.failure(retryAfter: nil)) } == [11, 21, 41, 61, 61])
    #expect(run.after(.pending) == 6)
    #expect(run.after(.failure(retryAfter: nil)) == 11)
    #expect(run.polling.interval == 5)
    for _ in 0..<100 { _ = run.polling.delay(after: .failure(retryAfter: nil), now: Self.start) }
    #expect(run.polling.delay(after: .failure(retryAfter: nil), now: Self.start) == 61)
  }

  @Test func `a failure never makes it faster than the interval`() {
    var run = Run(interval: 90)
    #expect(run.after(.failure(retryAfter: nil)) == 91)
  }

  @Test func `what the server asks for is heeded, up to a bound`() {
    var run = Run()
    #expect(run.after(.failure(retryAfter: 30)) == 30)
    #expect(run.after(.failure(retryAfter: 3)) == 21)
    #expect(run.after(.failure(retryAfter: 1_000_000)) == 300)
    #expect(run.after(.failure(retryAfter: -5)) == 61)
  }

  @Test func `after a failure there is a last look before the end`() {
    var run = Run(interval: 5, lifetime: 40)
    #expect(run.after(.failure(retryAfter: nil)) == 11)
    #expect(run.after(.failure(retryAfter: nil)) == 21)
    #expect(run.after(.failure(retryAfter: nil)) == 7, "the whole wait would be 41 of the 8 seconds left")
    #expect(run.after(.failure(retryAfter: nil)) == nil)
    var asked = Run(interval: 5, lifetime: 40)
    #expect(asked.after(.failure(retryAfter: 60)) == nil, "sooner than the server asked for is no last look")
  }

  @Test(arguments: [(5, 6.5, 6.0), (5, 6, 5), (5, 5, 4), (300, 120, 119), (5, 1.5, 0.75), (5, 0.5, 0.25)])
  func `a code that ends before the interval does is asked for once, before its end`(
    _ interval: Int, _ lifetime: Double, _ first: Double
  ) {
    var run = Run(interval: interval, lifetime: lifetime)
    #expect(run.first() == first, "the interval is one between polls, and there was none yet")
    #expect(run.after(.pending) == nil)
  }

  @Test func `a code that has ended is not asked for`() {
    #expect(DevicePolling(interval: 5, expiresAt: Self.start).firstDelay(now: Self.start) == nil)
    var late = Run(interval: 5, lifetime: 100)
    late.elapsed = 200
    #expect(late.after(.pending) == nil && late.after(.slowDown(interval: nil)) == nil)
    #expect(late.after(.failure(retryAfter: nil)) == nil)
  }
}

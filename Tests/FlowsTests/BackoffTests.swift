import Foundation
import OAuth
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

  static let askers: [(id: String, backoff: Backoff, timer: Bool, script: Bool)] = [
    ("one failure", Backoff(failures: 1, notBefore: Sample.now + 60), true, false),
    ("two failures", Backoff(failures: 2, notBefore: Sample.now + 60), true, false),
    ("three failures", Backoff(failures: 3, notBefore: Sample.now + 60), true, true),
    ("the server's wish", Backoff(failures: 1, notBefore: Sample.now + 60, isServersWish: true), true, true),
    ("it is over", Backoff(failures: 9, notBefore: Sample.now, isServersWish: true), false, false),
    ("a day", Backoff(failures: 9, notBefore: Sample.now + 86400), true, true),
    ("noted under a clock that was ahead", Backoff(failures: 9, notBefore: Sample.now + 86401), false, false),
  ]

  @Test(arguments: askers) func `a timer is held back at once, a script after some failures, a person never`(
    _ row: (id: String, backoff: Backoff, timer: Bool, script: Bool)
  ) {
    #expect((row.backoff.holdsBack(.timer, at: Sample.now) == row.backoff.notBefore) == row.timer, "\(row.id)")
    #expect((row.backoff.holdsBack(.script, at: Sample.now) == row.backoff.notBefore) == row.script, "\(row.id)")
    #expect(row.backoff.holdsBack(.person, at: Sample.now) == nil, "\(row.id)")
  }

  @Test func `that the server asked for it is remembered`() {
    #expect(Backoff.after(nil, now: Sample.now, retryAfter: 5).isServersWish == true)
    #expect(Backoff.after(nil, now: Sample.now, retryAfter: 0).isServersWish == nil)
    #expect(Backoff.after(nil, now: Sample.now, retryAfter: nil).isServersWish == nil)
  }

  @Test(arguments: [
    (TransportError.Kind.timedOut, 4), (.tls, 4), (.handshake, 4), (.broken, 4), (.tooLarge, 4), (.cannotConnect, 2),
    (.cannotResolve, 2),
    (.unavailable, 3), (.badCertificates, 3), (.badClientCertificate, 3), (.badProxy, 3), (.refusedURL, 3),
  ]) func `what may be this machine's fault is not held against the server`(
    _ kind: TransportError.Kind, _ failures: Int
  ) async throws {
    let failure = TransportError(kind: kind, host: "h", message: "m", mayHaveArrived: false)
    let before = Sample.expired { $0.backoff = Backoff(failures: 3, notBefore: Sample.now - 1) }
    let harness = RefreshHarness(
      try MemoryStore(before), FakeHTTPClient(.failing(.post, Sample.tokenURL, with: failure)))
    await #expect(throws: failure) { try await harness.run() }
    #expect(try harness.stored().backoff?.failures == failures)
  }

  @Test func `an hour offline holds nobody back who is online again`() {
    var backoff: Backoff?
    for minute in 0..<60 { backoff = Backoff.pause(backoff, now: Sample.now + Double(minute) * 60) }
    #expect(backoff?.holdsBack(.timer, at: Sample.now + 3540) == Sample.now + 3600)
    #expect(backoff?.holdsBack(.script, at: Sample.now + 3540) == nil)
  }

  @Test func `a longer wait that the server asked for is not forgotten offline`() {
    let asked = Backoff(failures: 1, notBefore: Sample.now + 600, isServersWish: true)
    #expect(Backoff.pause(asked, now: Sample.now) == asked)
    let wrong = Backoff(failures: 1, notBefore: Sample.now + 1e7)
    #expect(Backoff.pause(wrong, now: Sample.now).notBefore == Sample.now + 60)
  }
}

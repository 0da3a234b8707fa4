import Crypto
import Foundation
import OAuth
import TestSupport
import Testing

@testable import Flows

/// A refresh token is sent a second time only where the provider's data says that the server bears it.
@Suite(.timeLimit(.minutes(1))) struct ReuseWindowTests {
  private static let lost = TransportError(kind: .broken, host: "h", message: "m", mayHaveArrived: true)
  private static let unsent = TransportError(kind: .cannotConnect, host: "h", message: "m", mayHaveArrived: false)

  private static func expired(window: Int?) -> Session {
    Sample.expired { $0.provider = Sample.provider(quirks: { $0.refreshReuseSeconds = window }) }
  }

  private static func failing(_ error: TransportError, after seconds: Double = 0, _ time: FakeTime) -> Exchange {
    Exchange(.post, Sample.tokenURL) { _ in
      time.now += seconds
      throw error
    }
  }

  @Test func `within the window a request whose answer was lost is sent once more`() async throws {
    let time = FakeTime()
    let harness = RefreshHarness(
      try MemoryStore(Self.expired(window: 30)),
      FakeHTTPClient(Self.failing(Self.lost, after: 14, time), RefreshHarness.exchange(Sample.rotated)), time: time)
    #expect(try await harness.run().tokens.refreshToken == Secret("refresh-2"))
  }

  @Test func `it is not sent a third time`() async throws {
    let time = FakeTime()
    let harness = RefreshHarness(
      try MemoryStore(Self.expired(window: 30)),
      FakeHTTPClient(Self.failing(Self.lost, time), Self.failing(Self.lost, time)), time: time)
    await #expect(throws: Self.lost) { try await harness.run() }
    #expect(try harness.stored().pendingRefresh != nil)
  }

  static let others: [Named<(window: Int?, error: TransportError, seconds: Double)>] = [
    Named("no window", (nil, lost, 0)), Named("an empty window", (0, lost, 0)),
    Named("half of the window is over", (30, lost, 15)), Named("the clock was set back", (30, lost, -1)),
    Named("nothing was sent", (30, unsent, 0)),
  ]

  @Test(arguments: others) func `else it is sent once`(
    _ row: Named<(window: Int?, error: TransportError, seconds: Double)>
  ) async throws {
    let time = FakeTime()
    let harness = RefreshHarness(
      try MemoryStore(Self.expired(window: row.value.window)),
      FakeHTTPClient(Self.failing(row.value.error, after: row.value.seconds, time)), time: time)
    await #expect(throws: row.value.error) { try await harness.run() }
  }
}

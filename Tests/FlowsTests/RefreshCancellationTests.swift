import Crypto
import OAuth
import TestSupport
import Testing

@testable import Flows

/// A request under way may have spent the refresh token already.
@Suite(.timeLimit(.minutes(1))) struct RefreshCancellationTests {
  /// A server that answers when it is let, and says when it was asked.
  private struct SlowServer {
    let asked = AsyncStream<Void>.makeStream()
    let answer = AsyncStream<Void>.makeStream()

    func exchange(_ response: HTTPResponse) -> Exchange {
      Exchange(.post, Sample.tokenURL) { [asked, answer] _ in
        asked.continuation.yield()
        for await _ in answer.stream { return response }
        throw CancellationError()
      }
    }

    func wasAsked() async { for await _ in asked.stream { return } }
  }

  @Test func `an answer that comes within the grace is saved, though nobody waits any more`() async throws {
    let server = SlowServer()
    let harness = RefreshHarness(
      try MemoryStore(Sample.expired()), FakeHTTPClient(server.exchange(Sample.rotated)),
      time: FakeTime(holdsSleeps: true))
    let task = Task { try await harness.run() }
    await server.wasAsked()
    task.cancel()
    server.answer.continuation.yield()
    #expect(try await task.value.tokens.refreshToken == Secret("refresh-2"))
    #expect(try harness.stored().tokens.refreshToken == Secret("refresh-2"))
  }

  @Test func `after the grace the request is ended, and the mark stays`() async throws {
    let server = SlowServer()
    let time = FakeTime(holdsSleeps: true)
    let harness = RefreshHarness(
      try MemoryStore(Sample.expired()), FakeHTTPClient(server.exchange(Sample.rotated)), time: time)
    let task = Task { try await harness.run() }
    await server.wasAsked()
    task.cancel()
    while time.sleeps.isEmpty { await Task.yield() }
    #expect(time.sleeps == [RefreshSession.grace] && !harness.lock.taken.isEmpty)
    time.release()
    await #expect(throws: CancellationError.self) { try await task.value }
    let stored = try harness.stored()
    #expect(stored.pendingRefresh != nil && stored.tokens == Sample.expired().tokens && stored.backoff == nil)
  }
}

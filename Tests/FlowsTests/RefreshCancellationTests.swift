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

  @Test func `an answer is saved however late it comes, though nobody waits any more`() async throws {
    let server = SlowServer()
    let harness = RefreshHarness(
      try MemoryStore(Sample.expired()), FakeHTTPClient(server.exchange(Sample.rotated)),
      time: FakeTime(holdsSleeps: true))
    let task = Task { try await harness.run() }
    await server.wasAsked()
    task.cancel()
    for _ in 1...1000 { await Task.yield() }
    #expect(harness.lock.isHeld("acme/work") && harness.time.sleeps.isEmpty)
    server.answer.continuation.yield()
    #expect(try await task.value.tokens.refreshToken == Secret("refresh-2"))
    #expect(try harness.stored().tokens.refreshToken == Secret("refresh-2"))
  }

  @Test func `cancelled before the server is asked, it does not ask`() async throws {
    let harness = RefreshHarness(try MemoryStore(Sample.expired()), FakeHTTPClient())
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await harness.run()
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try harness.stored() == Sample.expired())
  }
}

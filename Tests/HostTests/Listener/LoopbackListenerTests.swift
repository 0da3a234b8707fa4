import Flows
import Foundation
import Glibc
import Testing

@testable import Host

/// The redirect listener over real sockets; the judge accepts `code=good`, refuses `error=…`, ignores the rest.
@Suite(.timeLimit(.minutes(1)))
struct LoopbackListenerTests {
  @Test func `the browser gets its page and the wait gives the verdict's value`() async throws {
    let login = try Login()
    let response = try await exchange(login.port, get("/callback?code=good&state=s", port: login.port))
    #expect(response.status == 200)
    #expect(response.body.contains("Authorization received"))
    #expect(Int(response.field("Content-Length") ?? "") == response.body.utf8.count)
    #expect(try await login.value() == "code=good&state=s")
    #expect(login.judged.all == ["code=good&state=s"])
  }

  @Test func `a refusal shows the failure page with the server's words escaped`() async throws {
    let login = try Login()
    let response = try await exchange(login.port, get("/callback?error=denied", port: login.port))
    #expect(response.status == 200)
    #expect(response.body.contains("Authorization failed"))
    #expect(response.body.contains("&lt;b&gt;no &amp; never&lt;/b&gt;"))
    #expect(!response.body.contains("<b>no"))
    #expect(try await login.value() == "error=denied")
  }

  @Test func `the wait ends within a moment, while the browser keeps its connections open`() async throws {
    let login = try Login(limits: .init(request: 20_000, linger: 20_000))
    let idle = try (0..<4).map { _ in try RawClient(port: login.port) }
    let clock = ContinuousClock()
    let client = try RawClient(port: login.port)
    client.send(get("/callback?code=good", port: login.port))
    let took = try await clock.measure { _ = try await login.value() }
    #expect(took < .seconds(5))
    // The page was handed over before the wait returned, although nobody read it until now.
    #expect(try await client.readAll().body.contains("</html>"))
    _ = idle.count
  }

  @Test func `the port is free as soon as the wait is over`() async throws {
    let login = try Login(limits: .init(request: 20_000, linger: 20_000))
    let idle = try RawClient(port: login.port)
    defer { withExtendedLifetime(idle) {} }
    _ = try await exchange(login.port, get("/callback?code=good", port: login.port))
    _ = try await login.value()
    let again = try Login(RedirectAddress(ports: [login.port]))
    #expect(again.port == login.port)
    _ = try await exchange(again.port, get("/callback?code=good", port: again.port))
    #expect(try await again.value() == "code=good")
  }

  @Test func `cancelling closes the port and throws at once`() async throws {
    let login = try Login(RedirectAddress(host: "localhost", ports: quietPorts()))
    let idle = try RawClient(port: login.port)
    _ = try await exchange(login.port, get("/callback?state=stale", port: login.port))
    let took = await ContinuousClock().measure {
      login.task.cancel()
      await #expect(throws: CancellationError.self) { try await login.task.value }
    }
    #expect(took < .seconds(5))
    #expect(throws: SystemFailure(call: "connect", code: ECONNREFUSED)) { try RawClient(port: login.port) }
    _ = try? await idle.readAll()
  }

  @Test func `a task that is cancelled before it waits does not wait`() async throws {
    let listener = try LoopbackListenerFactory().bind(RedirectAddress())
    let task = Task {
      try? await Task.sleep(for: .seconds(60))
      return try await listener.wait { .accepted($0) }
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `dropping the listener closes the port`() throws {
    var listener: (any CallbackListener)? = try LoopbackListenerFactory().bind(RedirectAddress())
    let port = try #require(listener?.port)
    _ = try RawClient(port: port)
    listener = nil
    #expect(throws: SystemFailure(call: "connect", code: ECONNREFUSED)) { try RawClient(port: port) }
  }

  @Test func `a listener is waited on once`() async throws {
    let login = try Login()
    _ = try await exchange(login.port, get("/callback?code=good", port: login.port))
    _ = try await login.value()
    await #expect(throws: ListenerError.self) { try await login.listener.wait { CallbackVerdict.accepted($0) } }
  }

  @Test func `a replay gets the page again and is not judged, another late callback is turned away`() async throws {
    let login = try Login()
    let (early, late) = (try RawClient(port: login.port), try RawClient(port: login.port))
    // Both are let in before the verdict: the order of the queue.
    _ = try await exchange(login.port, get("/callback?state=stale", port: login.port))
    _ = try await exchange(login.port, get("/callback?code=good", port: login.port))
    #expect(try await login.value() == "code=good")
    early.send(get("/callback?code=good", port: login.port))
    late.send(get("/callback?code=good&other", port: login.port))
    #expect(try await early.readAll().body.contains("Authorization received"))
    #expect(try await late.readAll().status == 400)
    #expect(login.judged.all == ["state=stale", "code=good"])
  }

  @Test func `of two callbacks at once exactly one is taken`() async throws {
    for _ in 0..<20 {
      let login = try Login()
      let port = login.port
      async let one = try? exchange(port, get("/callback?code=good&n=1", port: port))
      async let two = try? exchange(port, get("/callback?code=good&n=2", port: port))
      let bodies = [await one, await two].compactMap { $0?.body.contains("Authorization received") }
      let value = try await login.value()
      #expect(bodies.filter(\.self).count == 1)
      #expect(login.judged.all == [value])
    }
  }
}

/// A listener with somebody waiting on it.
final class Login: Sendable {
  let listener: any CallbackListener
  let task: Task<String, any Error>
  let judged = Recorded()
  var port: Int { listener.port }

  init(
    _ address: RedirectAddress = RedirectAddress(), limits: CallbackServer.Limits = .init(),
    for part: CallbackPart = .query
  ) throws {
    let listener = try LoopbackListenerFactory(appName: "oauthctl", limits: limits).bind(address)
    self.listener = listener
    task = Task { [judged] in
      try await listener.wait(for: part) { query in
        judged.add(query)
        if query.contains("code=good") { return .accepted(query) }
        if query.contains("error=") { return .refused(query, message: "<b>no & never</b>") }
        return .ignored
      }
    }
  }

  deinit { task.cancel() }

  /// The value of the wait, which has to be over soon.
  func value() async throws -> String { try await task.value }

  /// Proves that the wait goes on and a good callback is still taken, quickly.
  func finishes(v6: Bool = false, within limit: Duration = .seconds(4)) async throws -> Bool {
    let took = try await ContinuousClock().measure {
      let response = try await exchange(port, get("/callback?code=good&last", port: port), v6: v6)
      guard response.status == 200 else { throw SystemFailure(call: "GET \(response.status)", code: 0) }
      guard try await value() == "code=good&last" else { throw SystemFailure(call: "value", code: 0) }
    }
    return took < limit
  }
}

/// What a closure was called with.
final class Recorded: Sendable {
  private let lock = NSLock()
  // Guarded by the lock.
  nonisolated(unsafe) private var values: [String] = []
  var all: [String] { lock.withLock { values } }
  func add(_ value: String) { lock.withLock { values.append(value) } }
}

/// Ports to try that the system gives to nobody who asks for any: no other test takes one in the moment when it is free.
func quietPorts() -> [Int] { (0..<20).map { _ in Int.random(in: 20000..<30000) } }

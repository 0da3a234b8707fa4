import Crypto
import Foundation
import OAuth
import TestSupport
import Testing

@testable import Flows

/// The race of the ways in which an answer to a login can come back.
@Suite(.timeLimit(.minutes(1))) struct WaysBackTests {
  private static let callback = "http://127.0.0.1:4711/callback?code=c-1&state=\(LoginHarness.state)"

  /// A login that no browser is opened for; its polls come at once, its time limit does not.
  private func harness(
    _ exchanges: FakeHTTPClient, _ listeners: FakeListeners = FakeListeners(), browser: FakeBrowser? = nil,
    terminal: FakeTerminal = FakeTerminal()
  ) -> LoginHarness {
    LoginHarness(
      http: exchanges, time: FakeTime(holdsSleepsFrom: .seconds(100)), listeners: listeners, browser: browser,
      terminal: terminal)
  }

  private static func plan(
    redirect: LoginPlan.RedirectPlan = .listen(RedirectAddress()), _ change: (inout LoginPlan) -> Void = { _ in }
  ) -> LoginPlan {
    LoginHarness.plan(DeviceStory.provider(), redirect: redirect) {
      $0.mayUseDevice = true
      change(&$0)
    }
  }

  @Test func `a code that is entered elsewhere wins`() async throws {
    let harness = harness(
      FakeHTTPClient(DeviceStory.start(), DeviceStory.poll(DeviceStory.pending), DeviceStory.poll()),
      terminal: FakeTerminal(.nothing))
    let result = try await harness.run(Self.plan())
    #expect(result.tokens.accessToken == Secret("access-2") && result.isFromOtherDevice)
    #expect(
      harness.terminal.shown.all.map { String($0.prefix(20)) } == [
        "open this page in a ", "on any device, open:", "and enter the code: ",
      ])
    // The listener is not left waiting.
    #expect(harness.listener.parts.all == [.query] && harness.listener.verdicts.all.isEmpty)
  }

  @Test func `a callback wins while a poll is under way, which is cancelled`() async throws {
    let listeners = FakeListeners()
    let asking = Exchange(.post, Sample.tokenURL, form: DeviceStory.form) { _ in
      listeners.listener.request("code=c-1&state=\(LoginHarness.state)")
      try await Task.sleep(for: .seconds(3600))
      return DeviceStory.pending
    }
    let harness = harness(
      FakeHTTPClient(DeviceStory.start(), asking, LoginHarness.exchange()), listeners, terminal: FakeTerminal(.nothing))
    let result = try await harness.run(Self.plan())
    #expect(result.tokens.accessToken == Secret("access-2") && !result.isFromOtherDevice)
    #expect(listeners.listener.verdicts.all == ["accepted"])
  }

  @Test func `a paste wins before the first poll`() async throws {
    let harness = LoginHarness(
      http: FakeHTTPClient(DeviceStory.start(), LoginHarness.exchange()), browser: nil,
      terminal: FakeTerminal(.line(Self.callback)))
    #expect(try await harness.run(Self.plan()).tokens.accessToken == Secret("access-2"))
  }

  @Test func `who has no browser here is told of the code first`() async throws {
    let harness = harness(
      FakeHTTPClient(DeviceStory.start(), DeviceStory.poll()),
      browser: FakeBrowser(error: .noDisplay(reason: "over SSH")))
    _ = try await harness.run(Self.plan())
    #expect(
      harness.terminal.shown.all.map { String($0.prefix(20)) } == [
        "on any device, open:", "and enter the code: ", "or open this page in",
      ])
    #expect(harness.terminal.notes.all == ["no browser was opened (over SSH)"])
  }

  @Test func `where a browser opens there is no code`() async throws {
    let listeners = FakeListeners()
    let harness = harness(
      FakeHTTPClient(LoginHarness.exchange()), listeners, browser: LoginHarness.willing(listeners.listener))
    #expect(try await harness.run(Self.plan()).isFromOtherDevice == false)
  }

  @Test func `a refusal on the other device ends the login`() async {
    let harness = harness(
      FakeHTTPClient(DeviceStory.start(), DeviceStory.poll(.error("access_denied"))), terminal: FakeTerminal(.nothing))
    await #expect(throws: TokenFailure.grantRefused(ServerError(status: 400, code: "access_denied"))) {
      try await harness.run(Self.plan())
    }
  }

  static let losses: [Named<Exchange>] = [
    Named("expired", DeviceStory.poll(.error("expired_token"))),
    Named("unknown", DeviceStory.poll(.error("invalid_grant"))),
    Named("no right to it", DeviceStory.poll(.error("unauthorized_client"))),
    Named("no tokens in it", DeviceStory.poll(.json("{}"))),
    Named(
      "no trust",
      .failing(
        .post, Sample.tokenURL, with: TransportError(kind: .tls, host: "h", message: "m", mayHaveArrived: false))),
  ]

  @Test(arguments: losses) func `a code that is of no use any more is told, and leaves the others`(
    _ row: Named<Exchange>
  ) async throws {
    let listeners = FakeListeners()
    let terminal = FakeTerminal(isInteractive: false)
    let harness = harness(
      FakeHTTPClient(DeviceStory.start(), row.value, LoginHarness.exchange()), listeners, terminal: terminal)
    let task = Task { try await harness.run(Self.plan()) }
    while !terminal.notes.all.contains(where: { $0.hasPrefix("the code is of no use any more (") }) {
      await Task.yield()
    }
    listeners.listener.request("code=c-1&state=\(LoginHarness.state)")
    #expect(try await task.value.tokens.accessToken == Secret("access-2"))
  }

  private static let unreachable = TransportError(
    kind: .cannotConnect, host: "id.acme.example", message: "connection refused", mayHaveArrived: false)

  static let noCodes: [Named<(Exchange, String)>] = [
    Named("refused", (.post(DeviceStory.startURL, .error("unauthorized_client")), "unauthorized_client")),
    Named(
      "a page",
      (
        .post(DeviceStory.startURL, .text("<html>", status: 503)),
        "HTTP status 503, a web page instead of a reply"
      )),
    Named("nothing", (.post(DeviceStory.startURL, .json("{}")), "no usable device_code in it")),
    Named(
      "nobody there",
      (.failing(.post, DeviceStory.startURL, with: unreachable), "id.acme.example: connection refused")),
  ]

  @Test(arguments: noCodes) func `a server that gives no code leaves the others, and that is said`(
    _ row: Named<(Exchange, String)>
  ) async throws {
    let listeners = FakeListeners()
    listeners.listener.request("code=c-1&state=\(LoginHarness.state)")
    let harness = harness(FakeHTTPClient(row.value.0, LoginHarness.exchange()), listeners)
    _ = try await harness.run(Self.plan())
    #expect(harness.terminal.shown.all.count == 1)
    #expect(
      harness.terminal.notes.all == [
        "there is no code for another device: the device authorization endpoint gave none (\(row.value.1))"
      ])
  }

  @Test func `where nobody could come back the code alone is shown`() async throws {
    let harness = harness(FakeHTTPClient(DeviceStory.start(), DeviceStory.poll()), browser: FakeBrowser())
    let result = try await harness.run(Self.plan(redirect: .paste("https://app.example/cb")))
    #expect(result.isFromOtherDevice && harness.terminal.shown.all.count == 2)
    #expect(harness.browser?.opened.all.isEmpty == true)
  }

  @Test func `where nobody could come back, and there is no code, that is said`() async {
    let harness = harness(FakeHTTPClient(.post(DeviceStory.startURL, .error("unauthorized_client"))))
    let error = await #expect(throws: FlowError.self) {
      try await harness.run(Self.plan(redirect: .paste("https://app.example/cb")))
    }
    guard case .noWayBack(redirectURI: "https://app.example/cb") = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `when the last way is closed, its reason is told`() async {
    let ended = harness(FakeHTTPClient(DeviceStory.start(), DeviceStory.poll(.error("expired_token"))))
    await #expect(throws: TokenFailure.grantRefused(ServerError(status: 400, code: "expired_token"))) {
      try await ended.run(Self.plan(redirect: .paste("https://app.example/cb")))
    }
    let closed = harness(FakeHTTPClient(), terminal: FakeTerminal(.end))
    let error = await #expect(throws: FlowError.self) {
      try await closed.run(LoginHarness.plan(redirect: .paste("https://app.example/cb")))
    }
    guard case .noWayBack = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test(
    arguments: [
      Named("as long as the code", (nil, 900, true, Duration.seconds(900))),
      Named("no longer than a person types", (nil, 86400, true, .seconds(1800))),
      Named("as for a browser where nobody is there", (nil, 900, false, .seconds(300))),
      Named("at least as for a browser", (nil, 100, true, .seconds(300))),
      Named("as long as was said", (.seconds(120), 900, true, .seconds(120))),
    ] as [Named<(Duration?, Int, Bool, Duration)>]) func `the wait lasts`(
      _ row: Named<(Duration?, Int, Bool, Duration)>
    ) async throws
  {
    let (timeout, life, isSomeoneThere, expected) = row.value
    let start = DeviceStory.start(#","interval":5,"expires_in":\#(life)"#)
    let terminal = isSomeoneThere ? FakeTerminal(.end) : FakeTerminal()
    let harness = harness(FakeHTTPClient(start, DeviceStory.poll()), terminal: terminal)
    _ = try await harness.run(Self.plan { $0.timeout = timeout })
    #expect(harness.time.sleeps.contains(expected))
  }

  @Test func `a login that is cancelled while it asks for a code ends`() async {
    let asked = AsyncStream<Void>.makeStream()
    let slow = Exchange(.post, DeviceStory.startURL) { _ in
      asked.continuation.yield()
      try await Task.sleep(for: .seconds(3600))
      return .json("{}")
    }
    let harness = harness(FakeHTTPClient(slow))
    let task = Task { try await harness.run(Self.plan()) }
    for await _ in asked.stream { break }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}

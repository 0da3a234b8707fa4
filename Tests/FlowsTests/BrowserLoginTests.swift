import Crypto
import Foundation
import OAuth
import TestSupport
import Testing

@testable import Flows

@Suite(.timeLimit(.minutes(1))) struct BrowserLoginTests {
  @Test func `a browser comes back, and its code is redeemed`() async throws {
    let listeners = FakeListeners()
    let harness = LoginHarness(
      http: FakeHTTPClient(LoginHarness.exchange()), listeners: listeners,
      browser: LoginHarness.willing(listeners.listener))
    let result = try await harness.run()
    let (tokens, identity) = (result.tokens, result.identity)
    #expect(tokens.accessToken == Secret("access-2") && tokens.refreshToken == Secret("refresh-2") && identity == nil)
    #expect(tokens.expiresAt == Sample.now.addingTimeInterval(3600))
    #expect(listeners.listener.verdicts.all == ["accepted"])
    #expect(listeners.bound.all == [RedirectAddress()])
    let opened = harness.browser?.opened.all ?? []
    #expect(opened.count == 1 && opened.first?.parameter("redirect_uri") == "http://127.0.0.1:4711/callback")
    #expect(opened.first?.parameter("state") == LoginHarness.state && opened.first?.parameter("nonce") == nil)
    #expect(harness.terminal.notes.all.contains { $0.contains(opened.first ?? "-") })
    // What was being waited for is taken away again.
    #expect(harness.terminal.statuses.all.last == .some(nil))
  }

  @Test func `the listener is bound before the browser opens`() async throws {
    let events = Recorder<String>()
    let listener = FakeListener()
    let harness = LoginHarness(
      http: FakeHTTPClient(LoginHarness.exchange()), listeners: FakeListeners(listener) { events.add("bound") },
      browser: FakeBrowser { _ in
        events.add("opened")
        listener.request("code=c-1&state=\(LoginHarness.state)")
      })
    _ = try await harness.run()
    #expect(events.all == ["bound", "opened"])
  }

  @Test func `a port that is in use ends the login before anyone is sent away`() async {
    let error = ListenerError.portsInUse(ports: [8085], holder: "nginx")
    let harness = LoginHarness(listeners: FakeListeners(error: error))
    await #expect(throws: error) { try await harness.run() }
    #expect(harness.browser?.opened.all.isEmpty == true && harness.terminal.shown.all.isEmpty)
  }

  @Test func `without an authorization endpoint nothing is bound`() async {
    let harness = LoginHarness()
    let plan = LoginHarness.plan(Sample.provider { $0.endpoints?.authorization = nil })
    let error = await #expect(throws: FlowError.self) { try await harness.run(plan) }
    guard case .noEndpoint(provider: "acme", endpoint: "authorization") = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(harness.listeners.bound.all.isEmpty)
  }

  @Test func `strays are ignored and said, and the wait goes on`() async throws {
    let listeners = FakeListeners()
    let harness = LoginHarness(
      http: FakeHTTPClient(LoginHarness.exchange()), listeners: listeners,
      browser: FakeBrowser { _ in
        for query in ["", "code=evil", "code=evil&state=x", "error=access_denied", "error=access_denied&state=x"] {
          listeners.listener.request(query)
        }
        listeners.listener.request("code=c-1&state=\(LoginHarness.state)")
      })
    #expect(try await harness.run().tokens.accessToken == Secret("access-2"))
    #expect(listeners.listener.verdicts.all == ["ignored", "ignored", "ignored", "ignored", "ignored", "accepted"])
    #expect(harness.terminal.notes.all.filter { $0 == "ignored a callback with a wrong state" }.count == 3)
  }

  @Test func `a flood of strays is told in a few lines`() {
    let strays = StrayCallbacks()
    let told = (1...12_345).compactMap { _ in strays.next() }
    #expect(told.count == 7)
    #expect(told.last == "ignored 10000 callbacks with a wrong state; a web page or another program keeps sending them")
  }

  static let refusals: [Named<(String, String)>] = [
    Named("denied", ("error=access_denied", "the server answered: access_denied")),
    Named(
      "denied, in words",
      ("error=access_denied&error_description=No%1B%5B31m%0Away", "the server answered: access_denied: No way")),
    Named("neither code nor error", ("x=y", "the answer has neither a code nor an error")),
    Named(
      "another issuer",
      (
        "code=c&iss=https%3A%2F%2Fevil",
        "the answer comes from another issuer: expected https://id.acme.example, got https://evil"
      )),
  ]

  @Test(arguments: refusals) func `an answer that says no ends the login, on the page and here`(
    _ row: Named<(String, String)>
  ) async {
    let listeners = FakeListeners()
    let harness = LoginHarness(
      listeners: listeners,
      browser: FakeBrowser { _ in listeners.listener.request("\(row.value.0)&state=\(LoginHarness.state)") })
    let plan = LoginHarness.plan(Sample.provider { $0.issuer = Sample.issuer })
    let error = await #expect(throws: FlowError.self) { try await harness.run(plan) }
    guard case .callback(let failure) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(failure.sentence == row.value.1)
    #expect(listeners.listener.verdicts.all == ["refused: \(row.value.1)"])
  }

  @Test func `an issuer that was promised must be named`() async {
    let listeners = FakeListeners()
    let harness = LoginHarness(listeners: listeners, browser: LoginHarness.willing(listeners.listener))
    let plan = LoginHarness.plan(Sample.provider { $0.issuer = Sample.issuer }) { $0.requiresIssuer = true }
    let error = await #expect(throws: FlowError.self) { try await harness.run(plan) }
    guard case .callback(.issuerMismatch(_, got: nil)) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `a denial that does not name the issuer that was promised is a denial, and needs the state`() async {
    let listeners = FakeListeners()
    let harness = LoginHarness(
      listeners: listeners,
      browser: FakeBrowser { url in
        listeners.listener.request("error=access_denied")
        listeners.listener.request("error=access_denied&state=guess")
        listeners.listener.request("error=access_denied&state=\(url.parameter("state") ?? "")")
      })
    let plan = LoginHarness.plan(Sample.provider { $0.issuer = Sample.issuer }) { $0.requiresIssuer = true }
    let error = await #expect(throws: FlowError.self) { try await harness.run(plan) }
    guard case .callback(.server(let said)) = error, said.code == "access_denied" else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(
      listeners.listener.verdicts.all == ["ignored", "ignored", "refused: the server answered: access_denied"])
  }

  @Test func `nobody comes back`() async {
    let harness = LoginHarness(time: FakeTime())
    let error = await #expect(throws: FlowError.self) {
      try await harness.run(LoginHarness.plan { $0.timeout = .seconds(120) })
    }
    guard case .loginTimedOut(seconds: 120) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(harness.time.sleeps == [.seconds(120)])
  }

  @Test func `the wait can be cancelled`() async {
    let opened = AsyncStream<Void>.makeStream()
    let harness = LoginHarness(browser: FakeBrowser { _ in opened.continuation.yield() })
    let task = Task { try await harness.run() }
    for await _ in opened.stream { break }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test(arguments: [
    (BrowserError.noDisplay(reason: "over SSH"), "no browser was opened (over SSH)"),
    (.notFound(tried: ["a", "b"]), "no browser could be started (tried a, b)"),
    (.noPrivateWindow(browser: "lynx"), "it is not known how lynx opens a private window"),
  ]) func `where no browser opens the URL is shown, and the login goes on`(_ error: BrowserError, _ words: String)
    async throws
  {
    let listeners = FakeListeners()
    listeners.listener.request("code=c-1&state=\(LoginHarness.state)")
    let harness = LoginHarness(
      http: FakeHTTPClient(LoginHarness.exchange()), listeners: listeners, browser: FakeBrowser(error: error))
    _ = try await harness.run()
    #expect(harness.terminal.shown.all.count == 1)
    #expect(
      harness.terminal.shown.all[0].hasPrefix(
        "\(words); open this page in a browser: https://id.acme.example/authorize?"))
  }

  @Test func `without a browser the URL is shown`() async throws {
    let listeners = FakeListeners()
    listeners.listener.request("code=c-1&state=\(LoginHarness.state)")
    let harness = LoginHarness(http: FakeHTTPClient(LoginHarness.exchange()), listeners: listeners, browser: nil)
    _ = try await harness.run()
    #expect(harness.terminal.shown.all[0].hasPrefix("open this page in a browser: https://id.acme.example/authorize?"))
  }

  @Test func `a redirect URI that is fixed is sent byte for byte, at both steps`() async throws {
    let uri = "http://LocalHost:8085/cb/?x=%7e"
    let listeners = FakeListeners()
    let harness = LoginHarness(
      http: FakeHTTPClient(LoginHarness.exchange(redirectURI: uri)), listeners: listeners,
      browser: LoginHarness.willing(listeners.listener))
    let address = RedirectAddress(host: "localhost", ports: [8085], path: "/cb/")
    _ = try await harness.run(LoginHarness.plan(redirect: .listenAs(uri, address)))
    #expect(listeners.bound.all == [address])
    #expect(harness.browser?.opened.all.first?.parameter("redirect_uri") == uri)
  }

  @Test func `a host that the provider wants is kept in the redirect URI, with the port that was bound`() async throws {
    let listeners = FakeListeners(FakeListener(port: 9001))
    let harness = LoginHarness(
      http: FakeHTTPClient(LoginHarness.exchange(redirectURI: "http://localhost:9001/cb")), listeners: listeners,
      browser: LoginHarness.willing(listeners.listener))
    _ = try await harness.run(
      LoginHarness.plan(redirect: .listen(RedirectAddress(host: "localhost", ports: [9000, 9001], path: "/cb"))))
  }

  @Test func `a token endpoint that refuses the code ends the login`() async {
    let listeners = FakeListeners()
    let harness = LoginHarness(
      http: FakeHTTPClient(LoginHarness.exchange(answers: .error("invalid_grant"))), listeners: listeners,
      browser: LoginHarness.willing(listeners.listener))
    await #expect(throws: TokenFailure.grantRefused(ServerError(status: 400, code: "invalid_grant"))) {
      try await harness.run()
    }
    #expect(harness.terminal.statuses.all.last == .some(nil))
  }

  @Test func `no randomness, no login`() async {
    struct NoRandomness: Error {}
    let login = BrowserLogin(
      network: Network(http: FakeHTTPClient(), time: FakeTime(), random: { _ in throw NoRandomness() }),
      listeners: FakeListeners(), browser: FakeBrowser(), terminal: FakeTerminal())
    await #expect(throws: NoRandomness.self) { try await login.run(LoginHarness.plan()) }
  }
}

import Crypto
import Flows
import OAuth
import TestSupport
import Testing

/// The way back that a person makes by hand.
@Suite(.timeLimit(.minutes(1))) struct PasteTests {
  private let elsewhere = LoginPlan.RedirectPlan.paste("https://app.example/cb")

  @Test func `the pasted redirect URL is as good as the callback`() async throws {
    let harness = LoginHarness(
      http: FakeHTTPClient(LoginHarness.exchange()),
      terminal: FakeTerminal(.line("http://127.0.0.1:4711/callback?code=c-1&state=\(LoginHarness.state)")))
    #expect(try await harness.run().tokens.accessToken == Secret("access-2"))
    #expect(harness.terminal.questions.all.map(\.echo) == [true] && harness.listener.verdicts.all.isEmpty)
  }

  @Test func `the callback ends the question`() async throws {
    let listeners = FakeListeners()
    let harness = LoginHarness(
      http: FakeHTTPClient(LoginHarness.exchange()), listeners: listeners,
      browser: LoginHarness.willing(listeners.listener), terminal: FakeTerminal(.nothing))
    #expect(try await harness.run().tokens.accessToken == Secret("access-2"))
  }

  @Test func `what is not of this login is said, and asked for again; a blank line is nothing`() async throws {
    let harness = LoginHarness(
      http: FakeHTTPClient(LoginHarness.exchange()),
      terminal: FakeTerminal(
        .line(""), .line("http://127.0.0.1:4711/callback?code=evil&state=x"),
        .line("https://id.acme.example/authorize"),
        .line("code=c-1&state=\(LoginHarness.state)")))
    _ = try await harness.run()
    #expect(harness.terminal.notes.all.filter { $0 == "that is not the redirect URL of this login" }.count == 2)
    #expect(harness.terminal.questions.all.count == 4)
  }

  @Test(arguments: [false, true]) func `an address elsewhere is not this login's, whatever it says`(_ isImplicit: Bool)
    async throws
  {
    let (mark, what) = isImplicit ? ("#", "access_token=a-1&token_type=Bearer") : ("?", "code=c-1")
    let answer = "\(mark)\(what)&state=\(LoginHarness.state)"
    let harness = LoginHarness(
      http: isImplicit ? FakeHTTPClient() : FakeHTTPClient(LoginHarness.exchange()),
      terminal: FakeTerminal(
        .line("http://evil.example/callback\(answer)"), .line("http://127.0.0.1:4711/callback\(answer)")))
    _ = try await harness.run(LoginHarness.plan { $0.isImplicit = isImplicit })
    #expect(harness.terminal.notes.all.contains("that is not the redirect URL of this login"))
    #expect(harness.terminal.questions.all.count == 2)
  }

  @Test func `a bare code is redeemed`() async throws {
    let harness = LoginHarness(
      http: FakeHTTPClient(LoginHarness.exchange("4/0Ab")), browser: nil, terminal: FakeTerminal(.line(" 4/0Ab ")))
    _ = try await harness.run()
  }

  @Test func `a word that is no code does not end the login, nor does the page's own URL`() async throws {
    let harness = LoginHarness(
      http: FakeHTTPClient(
        .post(Sample.tokenURL, form: ["code": "clear"], .error("invalid_grant")), LoginHarness.exchange()),
      terminal: FakeTerminal(
        .line("clear"), .line("https://id.acme.example/authorize?client_id=app&state=\(LoginHarness.state)"),
        .line("code=c-1&state=\(LoginHarness.state)")))
    #expect(try await harness.run().tokens.accessToken == Secret("access-2"))
    #expect(
      harness.terminal.notes.all.suffix(2) == [
        "the server took that for no code (invalid_grant); paste the whole address",
        "that is not the redirect URL of this login",
      ])
  }

  @Test func `a pasted refusal ends the login`() async {
    let harness = LoginHarness(terminal: FakeTerminal(.line("error=access_denied&state=\(LoginHarness.state)")))
    let error = await #expect(throws: FlowError.self) { try await harness.run() }
    guard case .callback(.server(let said)) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(said.code == "access_denied")
  }

  @Test func `a redirect elsewhere binds nothing, and is pasted`() async throws {
    let harness = LoginHarness(
      http: FakeHTTPClient(LoginHarness.exchange(redirectURI: "https://app.example/cb")),
      terminal: FakeTerminal(.line("https://app.example/cb?state=\(LoginHarness.state)&code=c-1#x")))
    _ = try await harness.run(LoginHarness.plan(redirect: elsewhere))
    #expect(harness.listeners.bound.all.isEmpty)
    #expect(harness.browser?.opened.all.first?.parameter("redirect_uri") == "https://app.example/cb")
  }

  @Test func `without a listener and without a person there is no way back, and nobody is sent away`() async {
    let harness = LoginHarness()
    let error = await #expect(throws: FlowError.self) { try await harness.run(LoginHarness.plan(redirect: elsewhere)) }
    guard case .noWayBack(redirectURI: "https://app.example/cb") = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(harness.browser?.opened.all.isEmpty == true)
  }

  @Test func `closed input ends a login that nothing else can end`() async {
    let harness = LoginHarness(terminal: FakeTerminal(.end))
    let error = await #expect(throws: FlowError.self) { try await harness.run(LoginHarness.plan(redirect: elsewhere)) }
    guard case .noWayBack = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `closed input is no matter where the browser can come back`() async throws {
    let listeners = FakeListeners()
    let terminal = FakeTerminal(.end)
    let harness = LoginHarness(http: FakeHTTPClient(LoginHarness.exchange()), listeners: listeners, terminal: terminal)
    async let login = harness.run()
    while terminal.questions.all.isEmpty { await Task.yield() }
    listeners.listener.request("code=c-1&state=\(LoginHarness.state)")
    #expect(try await login.tokens.accessToken == Secret("access-2"))
  }
}

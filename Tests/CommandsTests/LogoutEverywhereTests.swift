import Crypto
import OAuth
import TestSupport
import Testing

@testable import Commands
@testable import Flows

@Suite(.timeLimit(.minutes(1))) struct LogoutEverywhereTests {
  private static let page = "https://id.acme.example/end"
  private static let metadataURL = "https://id.acme.example/.well-known/openid-configuration"

  private func revocation(_ response: HTTPResponse = .text("")) -> Exchange {
    .post(Sample.revocationURL, form: ["token": "refresh-1"], response)
  }

  private func harness(
    _ session: Session, _ http: FakeHTTPClient, browser: FakeBrowser = FakeBrowser(),
    terminal: FakeTerminal = FakeTerminal()
  ) throws -> CommandHarness {
    try CommandHarness(MemoryStore(session), http: http, terminal: terminal, browser: browser)
  }

  private func session(_ change: (inout Provider) -> Void = { $0.endpoints?.endSession = page }) -> Session {
    Sample.session(
      provider: Sample.provider(change),
      tokens: Sample.tokens {
        $0.idToken = Sample.idToken()
        $0.refreshToken = Secret("refresh-1")
      })
  }

  private var revoked: FakeHTTPClient {
    FakeHTTPClient(revocation(), .post(Sample.revocationURL, form: ["token": "access-1"], .text("")))
  }

  @Test func `the browser is sent to the logout page, without the ID token`() async throws {
    let harness = try harness(session(), revoked)
    let outcome = try await harness.run("logout", "acme/work", "--everywhere", "--json", "--browser", "b")
    #expect(outcome.code == 0 && harness.store.items.isEmpty && harness.browsersMade.all.map(\.command) == ["b"])
    let url = try #require(harness.browser.opened.all.first)
    #expect(url == "\(Self.page)?client_id=app&logout_hint=ada%40example.com")
    #expect(outcome.json?.members?["end_session_url"]?.text == url)
    #expect(outcome.json?.members?["end_session_opened"] == .bool(true))
  }

  @Test(arguments: [true, false]) func `where no browser opens the URL is shown`(_ isAsked: Bool) async throws {
    let harness = try harness(
      session(), revoked, browser: FakeBrowser(error: isAsked ? nil : .noDisplay(reason: "no display")))
    let words = ["logout", "acme/work", "--everywhere"] + (isAsked ? ["--no-browser"] : [])
    #expect(try await harness.run(words: words).code == 0)
    #expect(harness.terminal.shown.all.last?.contains("\(Self.page)?client_id=app") == true)
    #expect(harness.browser.opened.all.isEmpty)
    let json = try await self.harness(
      session(), revoked, browser: FakeBrowser(error: isAsked ? nil : .noDisplay(reason: "no display"))
    ).run(words: words + ["--json"])
    #expect(json.code == 0 && json.json?.members?["result"] == .string("ok"))
    #expect(json.json?.members?["end_session_opened"] == .bool(false))
    #expect(json.json?.members?["end_session_url"]?.text?.hasPrefix(Self.page) == true)
  }

  @Test func `with JSON the result is the error, and says what became of the tokens`() async throws {
    let noPage = try harness(session { _ in }, revoked)
    let failed = try harness(session(), FakeHTTPClient(revocation(.text("", status: 503))))
    for (harness, code, tokens) in [(noPage, 78, JSONValue.string("revoked")), (failed, 75, nil)] {
      let outcome = try await harness.run("logout", "acme/work", "--everywhere", "--json")
      #expect(outcome.code == code)
      let members = try #require(outcome.json?.members)
      #expect(members["account"] == .string("work") && members["tokens"] == tokens)
      #expect(members["end_session_opened"] == nil)
      let result = try #require(members["result"])
      #expect(Failure(json: result)?.exitCode == Int32(code))
      #expect(JSONValue(parsing: Array(outcome.messages.last?.utf8 ?? "".utf8)) == result)
    }
  }

  @Test func `a login that knows no page asks the issuer`() async throws {
    let http = FakeHTTPClient(
      .get(
        Self.metadataURL,
        .json(
          #"{"issuer":"\#(Sample.issuer)","end_session_endpoint":"\#(Self.page)","authorization_endpoint":"\#(Sample.issuer)/a","token_endpoint":"\#(Sample.tokenURL)","revocation_endpoint":"\#(Sample.revocationURL)"}"#
        )), revocation(), .post(Sample.revocationURL, form: ["token": "access-1"], .text("")))
    let harness = try harness(session { $0.issuer = Sample.issuer }, http)
    #expect(try await harness.run("logout", "acme/work", "--everywhere").code == 0)
    #expect(harness.browser.opened.all.count == 1)
  }

  @Test func `an issuer that cannot be asked leaves everything`() async throws {
    let harness = try harness(
      session { $0.issuer = Sample.issuer },
      FakeHTTPClient(
        .get(Self.metadataURL, .text("", status: 503))))
    let outcome = try await harness.run("logout", "acme/work", "--everywhere")
    #expect(outcome.code == 75 && harness.store.items.count == 1 && harness.browser.opened.all.isEmpty)
  }

  @Test func `the provider's file may have named the page since`() async throws {
    let harness = try harness(session { _ in }, revoked)
    try harness.add(Sample.provider { $0.endpoints?.endSession = Self.page })
    #expect(try await harness.run("logout", "acme/work", "--everywhere").code == 0)
    #expect(harness.browser.opened.all.count == 1)
  }

  @Test func `without such a page the tokens are revoked, and what was not done is told`() async throws {
    let harness = try harness(session { _ in }, revoked)
    let outcome = try await harness.run("logout", "acme/work", "--everywhere")
    #expect(outcome.code == 78 && harness.store.items.isEmpty && harness.browser.opened.all.isEmpty)
    #expect(
      outcome.messages.contains(
        "oauthctl: error: acme has no end_session endpoint: the login in your browser goes on"))
    #expect(!outcome.messages.joined().contains("nothing was forgotten"))
  }

  @Test func `a client that cannot be forgotten now does not keep the page from being opened`() async throws {
    let uri = "https://id.acme.example/register/app"
    for hasPage in [true, false] {
      var client = ClientRegistration(id: "app")
      client.management = RegistrationManagement(uri: uri, token: Secret("reg-1"), redirectURIs: [])
      let store = try MemoryStore(session { $0.endpoints?.endSession = hasPage ? Self.page : nil })
      try store.put(client)
      let http = FakeHTTPClient(
        revocation(), .post(Sample.revocationURL, form: ["token": "access-1"], .text("")),
        Exchange(.delete, uri) { _ in .text("", status: 503) })
      let harness = try CommandHarness(store, http: http, browser: FakeBrowser())
      let outcome = try await harness.run("logout", "acme/work", "--everywhere", "--forget-client", "--json")
      #expect(outcome.code == 75 && harness.browser.opened.all.count == (hasPage ? 1 : 0))
      #expect(outcome.json?.members?["end_session_opened"] == (hasPage ? .bool(true) : nil))
      #expect(outcome.json?.members?["tokens"] == .string("revoked"))
      #expect(outcome.messages.contains { $0.contains("acme has no end_session endpoint") } != hasPage)
    }
  }

  @Test func `a revocation that fails opens nothing`() async throws {
    let harness = try harness(session(), FakeHTTPClient(revocation(.text("", status: 503))))
    #expect(try await harness.run("logout", "acme/work", "--everywhere").code == 75)
    #expect(harness.store.items.count == 1 && harness.browser.opened.all.isEmpty)
  }

  @Test(arguments: [
    ["--everywhere", "--local"], ["--browser", "b"], ["--no-browser"],
    ["--everywhere", "--browser", "b", "--no-browser"],
  ])
  func `what does not go together`(_ options: [String]) async throws {
    let harness = try harness(session(), FakeHTTPClient())
    #expect(try await harness.run(words: ["logout", "acme/work"] + options).code == 64)
    #expect(harness.store.items.count == 1)
  }
}

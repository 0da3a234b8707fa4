import Crypto
import OAuth
import TestSupport
import Testing

@testable import Commands
@testable import Flows

/// `oauthctl login` by the grants that need no browser, and `token` with what they brought.
@Suite(.timeLimit(.minutes(1))) struct LoginGrantTests {
  private func harness(
    _ exchanges: FakeHTTPClient, terminal: FakeTerminal = FakeTerminal(), files: [String: Secret] = [:],
    time: FakeTime = FakeTime(), _ change: (inout Provider) -> Void = { $0.clientID = "app" }
  ) throws -> CommandHarness {
    let harness = try CommandHarness(
      MemoryStore(), http: exchanges, terminal: terminal, files: files, time: time)
    try harness.add(Sample.provider(change))
    return harness
  }

  private static let reply = HTTPResponse.json(#"{"access_token":"access-2","expires_in":3600}"#)

  @Test func `a client's own token is kept with its grant, and renewed`() async throws {
    let form = ["grant_type": "client_credentials", "client_id": "app", "client_secret": "s", "scope": "read"]
    let harness = try harness(
      FakeHTTPClient(.post(Sample.tokenURL, form: form, Self.reply), .post(Sample.tokenURL, form: form, Self.reply)),
      files: ["f": Secret("s")])
    let words = [
      "login", "acme/work", "--flow", "client-credentials", "--client-secret-file", "f", "--client-auth", "post",
    ]
    let outcome = try await harness.run(words: words + ["--scope", "read"])
    #expect(
      outcome.code == 0 && outcome.messages == ["oauthctl: logged in to acme as app; try 'oauthctl token acme/work'"])
    #expect(try harness.store.session()?.grant?.kind == .clientCredentials)
    #expect(try await harness.run("token", "acme/work", "--force-refresh").code == 0)
    #expect(harness.browser.opened.all.isEmpty && harness.listeners.bound.all.isEmpty)
  }

  @Test func `a client without a secret cannot speak for itself: a script is told, a person is asked`() async throws {
    let words = ["login", "acme", "--flow", "client-credentials"]
    let script = try await harness(FakeHTTPClient()).run(words: words)
    #expect(script.code == 78 && script.messages.last?.contains("--client-secret-file") == true)
    let terminal = FakeTerminal(.line("s"))
    let exchange = Exchange.post(Sample.tokenURL, form: ["grant_type": "client_credentials"], Self.reply)
    let person = try harness(FakeHTTPClient(exchange), terminal: terminal)
    #expect(try await person.run(words: words).code == 0)
    #expect(person.http.requests[0].headers("Authorization").first?.hasPrefix("Basic ") == true)
    #expect(
      terminal.questions.all.map(\.prompt) == ["client secret: "] && terminal.questions.all.map(\.echo) == [false])
  }

  @Test func `an account that has no client is asked for one by a grant that needs it`() async throws {
    let harness = try CommandHarness(MemoryStore(Sample.session { $0.clientID = "" }))
    try harness.add(Sample.provider())
    let outcome = try await harness.run("login", "acme/work", "--flow", "code")
    #expect(outcome.code == 78 && outcome.messages.contains { $0.contains("no client id is known for acme") })
  }

  @Test func `who says that there is none is believed`() async throws {
    let exchange = Exchange.post(Sample.tokenURL, form: ["client_id": "app"], .error("unauthorized_client"))
    let outcome = try await harness(FakeHTTPClient(exchange)).run(
      "login", "acme", "--flow", "client-credentials", "--client-auth", "none")
    #expect(outcome.code == 78 && outcome.messages.last == "oauthctl: hint: try 'oauthctl login acme --flow code'")
  }

  @Test func `a key that signs assertions is not the client's own, unless that is said`() async throws {
    let pem = try PrivateKey.generate(.p256).pem()
    let words = ["login", "acme", "--flow", "jwt-bearer", "--private-key-file", "f", "--assertion-issuer", "robot"]
    let grant = try harness(FakeHTTPClient(.post(Sample.tokenURL, Self.reply)), files: ["f": pem])
    #expect(try await grant.run(words: words).code == 0)
    #expect(grant.http.requests[0].form["client_assertion"] == nil && grant.http.requests[0].form["assertion"] != nil)
    #expect(try ClientStore(grant.store).load("app", provider: "acme")?.key == nil)
    let both = try harness(FakeHTTPClient(.post(Sample.tokenURL, Self.reply)), files: ["f": pem])
    #expect(try await both.run(words: words + ["--client-auth", "private-key-jwt"]).code == 0)
    #expect(both.http.requests[0].form["client_assertion"] != nil)
  }

  @Test func `an option for the browser is refused at a client's account, and changes no grant`() async throws {
    let stored = Sample.session {
      $0.choices = LoginChoices()
      $0.choices?.flow = "client-credentials"
    }
    for option in [
      ["--timeout", "2"], ["--browser", "x"], ["--login-hint", "bob"], ["--no-browser"], ["--prompt", "login"],
    ] {
      let harness = try CommandHarness(MemoryStore(stored))
      try harness.add(Sample.provider { $0.clientID = "app" })
      let outcome = try await harness.run(words: ["login", "acme/work"] + option)
      #expect(outcome.code == 64)
      #expect(
        outcome.messages == [
          "oauthctl: error: \(option[0]) does not go with --flow client-credentials, as the former login was",
          "oauthctl: hint: name --flow code to log in by the browser",
        ])
    }
  }

  @Test func `whoever begins anew takes no grant, no scope and no client over`() async throws {
    let stored = Sample.session(tokens: Sample.tokens { $0.refreshToken = nil }) {
      ($0.clientID, $0.requestedScopes) = ("former", ["mail"])
      $0.binding = DPoPBinding(key: Secret("k"))
      $0.choices = LoginChoices()
      $0.choices?.flow = "client-credentials"
    }
    let form = ["grant_type": "password", "client_id": "app", "scope": "read", "username": "ada"]
    let harness = try CommandHarness(
      MemoryStore(stored), http: FakeHTTPClient(.post(Sample.tokenURL, form: form, Self.reply)),
      files: ["f": Secret("p")])
    try harness.add(
      Sample.provider {
        $0.clientID = "app"
        $0.scopes = ["read"]
      })
    let outcome = try await harness.run(
      "login", "acme/work", "--anew", "--username", "ada", "--password-file", "f")
    #expect(outcome.code == 0 && !outcome.messages.contains { $0.contains("former login") }, "\(outcome.messages)")
    let session = try #require(try harness.store.session())
    #expect(session.binding == nil && session.clientID == "app" && session.requestedScopes == ["read"])
  }

  @Test func `without a terminal it is said what is taken over before a password is missed`() async throws {
    let stored = Sample.session {
      $0.choices = LoginChoices()
      $0.choices?.flow = "password"
      $0.choices?.username = "ada"
    }
    let harness = try CommandHarness(MemoryStore(stored))
    try harness.add(Sample.provider { $0.clientID = "app" })
    let outcome = try await harness.run("login", "acme/work")
    #expect(outcome.code == 64 && outcome.messages.count == 3)
    #expect(outcome.messages.first?.contains("--flow password --username ada") == true)
    #expect(outcome.messages.last?.contains("'oauthctl login acme/work --password-file FILE'") == true)
  }

  @Test func `without an end said, a code on another device may be entered as long as it lasts`() async throws {
    let start = Exchange.post(
      "https://id.acme.example/device",
      .json(
        #"{"device_code":"d","user_code":"U-1","verification_uri":"https://id.acme.example/a","expires_in":86000,"interval":300}"#
      ))
    let polls = [HTTPResponse.error("authorization_pending"), .error("slow_down"), Sample.rotated].map {
      Exchange.post(Sample.tokenURL, form: ["device_code": "d"], $0)
    }
    let harness = try harness(FakeHTTPClient(start, polls[0], polls[1], polls[2])) {
      $0.clientID = "app"
      $0.endpoints?.deviceAuthorization = "https://id.acme.example/device"
    }
    #expect(try await harness.run("login", "acme", "--flow", "device", "--no-browser").code == 0)
    #expect(harness.time.sleeps == [.seconds(301), .seconds(301), .seconds(301)])
    #expect(
      harness.terminal.shown.all == ["on any device, open: https://id.acme.example/a", "and enter the code:  U-1"])
  }

  @Test func `a token that is not for access is printed, and not put into a header`() async throws {
    let tokens = Sample.tokens { $0.tokenType = "N_A" }
    let harness = try CommandHarness(MemoryStore(Sample.session(tokens: tokens)))
    #expect(try await harness.run("token", "acme").output == "access-1\n")
    #expect(try await harness.run("token", "acme", "--json").json?.members?["token_type"] == .string("N_A"))
    for words in [["--format", "header"], ["--format", "header", "--url", "https://api.example/"]] {
      let outcome = try await harness.run(words: ["token", "acme"] + words)
      #expect(outcome.code == 78 && outcome.output.isEmpty && outcome.messages.first?.contains("N_A") == true)
    }
  }
}

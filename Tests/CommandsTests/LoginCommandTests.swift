import Crypto
import Foundation
import OAuth
import TestSupport
import Testing

@testable import Commands
@testable import Flows

@Suite(.timeLimit(.minutes(1))) struct LoginCommandTests {
  private func harness(
    _ store: MemoryStore = MemoryStore(), provider: Provider? = Sample.provider { $0.clientID = "app" },
    _ exchanges: FakeHTTPClient = FakeHTTPClient(LoginStory.exchange()), terminal: FakeTerminal = FakeTerminal(),
    browser: FakeBrowser? = nil, files: [String: Secret] = [:], lock: FakeLock = FakeLock()
  ) throws -> CommandHarness {
    let harness = try CommandHarness(
      store, http: exchanges, terminal: terminal, browser: browser, files: files, lock: lock)
    if let provider { try harness.add(provider) }
    return harness
  }

  @Test func `a login stores the client, then the tokens, and says what to do next`() async throws {
    let harness = try harness()
    let outcome = try await harness.run("login", "acme/work", "--scope", "read write")
    #expect(outcome.code == 0 && outcome.output.isEmpty)
    #expect(outcome.messages == ["oauthctl: logged in to acme; try 'oauthctl token acme/work'"])
    // First whether the keyring takes it at all.
    #expect(harness.store.saves.map(\.key.kind) == [.keys, .client, .session])
    #expect(Set(harness.store.items.keys) == [Sample.clientKey, Sample.key])
    let session = try #require(try harness.store.session())
    #expect(session.tokens.accessToken == Secret("access-2") && session.requestedScopes == ["read", "write"])
    #expect(
      session.clientID == "app" && session.account == "work" && session.generation == 1_800_000_001
        && session.version == 4)
    #expect(harness.lock.taken == ["login acme/work", "acme/work"])
    #expect(harness.browsersMade.all.map(\.isPrivate) == [false])
  }

  @Test func `a second login of the account is told who is at it, and opens no browser`() async throws {
    let harness = try harness(MemoryStore(), FakeHTTPClient(), lock: FakeLock(error: .busy(holder: 4711, seconds: 0)))
    let outcome = try await harness.run("login", "acme/work")
    #expect(outcome.code == 75 && harness.browser.opened.all.isEmpty)
    #expect(
      outcome.messages == [
        "oauthctl: error: a login to acme/work is in progress already (pid 4711)",
        "oauthctl: hint: finish it in its browser, or end it: kill 4711",
      ])
  }

  @Test func `a script gets an object without a secret`() async throws {
    let outcome = try await harness().run("login", "acme", "--json", "--scope=read")
    #expect(
      outcome.output
        == #"{"account":"default","expires_at":"2027-01-15T09:00:00Z","provider":"acme","result":"ok","scope":["read"]}"#
        + "\n")
  }

  @Test func `a client secret is kept apart from the session`() async throws {
    let harness = try harness(
      FakeHTTPClient(LoginStory.exchange(form: ["client_secret": "s3cr3t"])), files: ["-": Secret("s3cr3t")])
    let outcome = try await harness.run("login", "acme/work", "--client-secret-file", "-", "--client-auth", "post")
    #expect(outcome.code == 0)
    var kept = ClientRegistration(id: "app", secret: Secret("s3cr3t"), method: .post)
    kept.server = ClientServer(Sample.provider())
    #expect(try ClientStore(harness.store).load("app", provider: "acme") == kept)
    #expect(harness.store.items[Sample.key]?.reveal().contains("s3cr3t") == false)
  }

  private func harness(_ exchanges: FakeHTTPClient, files: [String: Secret]) throws -> CommandHarness {
    try harness(MemoryStore(), exchanges, files: files)
  }

  @Test func `a new login replaces the old one, one generation on, and clears its marks`() async throws {
    let store = try MemoryStore(
      Sample.session { session in
        session.generation = 7
        session.backoff = Backoff(failures: 3, notBefore: Sample.now)
      })
    let harness = try harness(store)
    #expect(try await harness.run("login", "acme/work").code == 0)
    let session = try #require(try store.session())
    #expect(
      session.generation == 1_800_000_001 && session.backoff == nil && session.tokens.accessToken == Secret("access-2"))
  }

  @Test func `an item that cannot be read is replaced, one of a newer version is not`() async throws {
    let store = MemoryStore()
    store.items[Sample.key] = Secret("rubbish")
    #expect(try await harness(store).run("login", "acme/work").code == 0)
    store.items[Sample.key] = Secret(#"{"version":5}"#)
    let newer = try harness(store, FakeHTTPClient())
    #expect(try await newer.run("login", "acme/work").code == 78)
    #expect(store.items[Sample.key] == Secret(#"{"version":5}"#) && newer.browser.opened.all.isEmpty)
  }

  @Test func `a keyring that cannot be read sends nobody away`() async throws {
    let harness = try harness(MemoryStore(), FakeHTTPClient())
    harness.store.failAlways(.load, with: .locked)
    #expect(try await harness.run("login", "acme/work").code == 69)
    #expect(harness.browser.opened.all.isEmpty && harness.clientsMade.all.isEmpty)
  }

  @Test func `a keyring that takes nothing sends nobody away`() async throws {
    let harness = try harness(MemoryStore(), FakeHTTPClient())
    harness.store.failAlways(.save, with: .failed(detail: "no space left"))
    let outcome = try await harness.run("login", "acme/work")
    #expect(outcome.code == 69 && outcome.messages.first?.contains("no space left") == true)
    #expect(harness.browser.opened.all.isEmpty && harness.http.requests.isEmpty)
  }

  @Test(arguments: [true, false]) func `tokens that the keyring did not take are taken back`(_ isRevoked: Bool)
    async throws
  {
    let revocations = ["refresh-2", "access-2"].map {
      Exchange.post(
        Sample.revocationURL, form: ["token": $0], isRevoked ? .json("{}") : .error("server_error", status: 503))
    }
    let harness = try harness(MemoryStore(), FakeHTTPClient(LoginStory.exchange(), revocations[0], revocations[1]))
    harness.store.before(.save) { [store = harness.store] in if $0 == 2 { store.failAlways(.save, with: .noCollection) }
    }
    let outcome = try await harness.run("login", "acme/work")
    #expect(outcome.code == 69 && harness.http.requests.count == 3)
    let fate = isRevoked ? "the server has taken them back" : "they are lost, and the server did not take them back"
    #expect(outcome.messages.first?.hasSuffix("; \(fate)") == true)
  }

  @Test func `tokens whose end may be that of a stored login are left`() async throws {
    let store = try MemoryStore(Sample.session())
    let harness = try harness(store, FakeHTTPClient(LoginStory.exchange()))
    store.before(.save) { if $0 == 2 { store.failAlways(.save, with: .noCollection) } }
    let outcome = try await harness.run("login", "acme/work")
    #expect(outcome.code == 69 && outcome.messages.contains { $0.hasSuffix("; they are lost") })
  }

  @Test func `PKCE is left out of one login alone, and that is said`() async throws {
    let harness = try harness()
    let outcome = try await harness.run("login", "acme/work", "--no-pkce")
    #expect(outcome.messages.contains { $0.contains("warning: without PKCE the code is not protected") })
    #expect(harness.browser.opened.all.first?.parameter("code_challenge") == nil)
    let session = try #require(try harness.store.session())
    #expect(session.provider.pkce == nil && session.choices?.skipsPKCE == true)
  }

  @Test func `a login that fails leaves what was stored`() async throws {
    let store = try MemoryStore(Sample.session())
    let before = store.items
    let failing = try harness(store, FakeHTTPClient(LoginStory.exchange(answers: .error("invalid_grant"))))
    let outcome = try await failing.run("login", "acme/work")
    #expect(outcome.code == 77 && outcome.messages.last == "oauthctl: hint: run 'oauthctl login acme/work'")
    #expect(store.items == before)
  }

  @Test func `the way back by hand, over a terminal`() async throws {
    let terminal = FakeTerminal(
      .reading { shown in
        "http://127.0.0.1:4711/callback?code=c-1&state=\(shown.last?.parameter("state") ?? "")"
      })
    let harness = try harness(MemoryStore(), terminal: terminal, browser: FakeBrowser())
    #expect(try await harness.run("login", "acme", "--no-browser").code == 0)
    #expect(harness.browsersMade.all.isEmpty)
  }

  @Test func `the options reach the request and the browser`() async throws {
    let harness = try harness(
      MemoryStore(), FakeHTTPClient(LoginStory.exchange(form: ["y": "2", "resource": "https://r"])))
    let outcome = try await harness.run(
      "login", "acme/work", "--param", "x=1", "--token-param", "y=2", "--resource", "https://r", "--header", "X-A=1",
      "--browser", "b",
      "--private", "--prompt", "login")
    #expect(outcome.code == 0)
    let url = try #require(harness.browser.opened.all.first)
    #expect(url.parameter("x") == "1" && url.parameter("resource") == "https://r" && url.parameter("prompt") == "login")
    #expect(url.parameter("code_challenge_method") == "S256" && harness.http.requests[0].headers("X-A") == ["1"])
    #expect(harness.browsersMade.all.map(\.command) == ["b"] && harness.browsersMade.all.map(\.isPrivate) == [true])
    // A refresh sends the header too.
    #expect(try harness.store.session()?.provider.headers == ["X-A": "1"])
  }

  @Test func `PKCE is left out where that is asked for`() async throws {
    let harness = try harness()
    _ = try await harness.run("login", "acme", "--no-pkce")
    #expect(harness.browser.opened.all.first?.parameter("code_challenge") == nil)
    #expect(harness.http.requests[0].form["code_verifier"] == nil)
  }

  @Test func `an issuer's URL is enough, and a server that wants the secret in the body gets it there`() async throws {
    let metadata = HTTPResponse.json(
      #"{"issuer":"https://id.acme.example","authorization_endpoint":"https://id.acme.example/authorize","token_endpoint":"https://id.acme.example/token","revocation_endpoint":"https://id.acme.example/revoke","token_endpoint_auth_methods_supported":["client_secret_post"],"scopes_supported":["openid","email"]}"#
    )
    let token = Sample.idToken(nonce: "ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8").reveal()
    let http = FakeHTTPClient(
      .get("https://id.acme.example/.well-known/openid-configuration", metadata),
      // It may name what the first document does not: where the keys are.
      .get("https://id.acme.example/.well-known/oauth-authorization-server", .text("", status: 404)),
      LoginStory.exchange(
        form: ["client_secret": "s"], answers: .json(#"{"access_token":"access-2","id_token":"\#(token)"}"#)))
    let harness = try harness(MemoryStore(), provider: nil, http, files: ["f": Secret("s")])
    let outcome = try await harness.run(
      "login", "https://id.acme.example", "--client-id", "app", "--client-secret-file", "f")
    #expect(outcome.code == 0)
    #expect(
      outcome.messages.first
        == "oauthctl: logged in to id.acme.example as ada@example.com; try 'oauthctl token id.acme.example'")
    let session = try #require(try harness.store.session(Account(provider: "id.acme.example")))
    #expect(session.clientAuth == .post && session.requestedScopes == ["openid", "email"])
    #expect(
      session.provider.endpoints?.revocation == "https://id.acme.example/revoke"
        && session.identity == "ada@example.com")
  }

  @Test func `what cannot be logged in at is said`() async throws {
    let harness = try harness(MemoryStore(), FakeHTTPClient())
    #expect(try await harness.run("login", "acm").messages.last == "oauthctl: hint: did you mean 'acme'?")
    #expect(try await harness.run("login", "acm").code == 78)
    #expect(try await harness.run("login", "http://id.example").code == 64)
    #expect(try await harness.run("login", "a/b/c").code == 64)
    #expect(try await harness.run("login").code == 64)
  }
}

import Crypto
import Foundation
import OAuth
import TestSupport
import Testing

@testable import Commands
@testable import Flows

@Suite(.timeLimit(.minutes(1))) struct TwoStepCommandTests {
  private static let state = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
  private static let verifier = "QEFCQ0RFRkdISUpLTE1OT1BRUlNUVVZXWFlaW1xdXl8"
  private static let redirectURI = "http://127.0.0.1:28765/callback"
  private static let good = "\(redirectURI)?code=c-1&state=\(state)"
  /// What the fakes' clock and randomness make.
  private static let id = "1lkjlc4-00082"

  private func harness(
    _ store: MemoryStore = MemoryStore(), _ http: FakeHTTPClient = FakeHTTPClient(), pasted: String? = good,
    provider: Provider = Sample.provider { $0.clientID = "app" }, terminal: FakeTerminal = FakeTerminal(),
    variables: [String: String] = [:], lock: FakeLock = FakeLock(), after seconds: Double = 0
  ) throws -> CommandHarness {
    let harness = try CommandHarness(
      store, http: http, terminal: terminal, browser: FakeBrowser(), variables: variables,
      files: pasted.map { ["-": Secret($0)] } ?? [:], lock: lock,
      time: FakeTime(Sample.now.addingTimeInterval(seconds), holdsSleeps: true))
    try harness.add(provider)
    return harness
  }

  @Test func `a script gets the URL and the id, a line each`() async throws {
    let harness = try harness()
    let outcome = try await harness.run("login", "acme/work", "--print-url")
    #expect(outcome.code == 0)
    let lines = outcome.output.split(separator: "\n").map(String.init)
    #expect(lines.count == 2 && lines[1] == Self.id && lines[0].hasPrefix("https://id.acme.example/authorize?"))
    #expect(lines[0].parameter("redirect_uri") == Self.redirectURI && lines[0].parameter("state") == Self.state)
    #expect(
      outcome.messages.last
        == "oauthctl: then run 'oauthctl login --finish \(Self.id)' here, before 2027-01-15T08:15:00Z")
    #expect(outcome.messages.first?.contains("cannot reach 127.0.0.1") == true)
    #expect(harness.store.items.keys.map(\.kind) == [.login] && harness.browsersMade.all.isEmpty)
    #expect(harness.listeners.bound.all.isEmpty)
    #expect(!"\(outcome)".contains(Self.verifier))
  }

  @Test func `an object has all that is known`() async throws {
    let outcome = try await harness().run("login", "acme/work", "--print-url", "--json", "--timeout", "1h")
    let members = try #require(outcome.json?.members)
    #expect(Set(members.keys) == ["account", "expires_at", "id", "provider", "url"])
    #expect(members["expires_at"]?.text == "2027-01-15T09:00:00Z" && members["account"]?.text == "work")
  }

  @Test func `a client that the login's one has taken the place of is forgotten when it is finished`() async throws {
    let store = MemoryStore()
    var client = ClientRegistration(id: "c-1", secret: Secret("s-1"), method: .basic)
    client.secretExpiresAt = Sample.now
    client.management = RegistrationManagement(redirectURIs: [Self.redirectURI])
    try store.put(client)
    let provider = Sample.provider { $0.endpoints?.registration = "https://id.acme.example/register" }
    let registration = FakeHTTPClient(
      .post("https://id.acme.example/register", .json(#"{"client_id":"c-2"}"#, status: 201)))
    let first = try await harness(store, registration, provider: provider).run("login", "acme/work", "--print-url")
    #expect(first.code == 0)
    // An account may use it as long as this one is not there.
    #expect(try ClientStore(store).ids(provider: "acme") == ["c-1", "c-2"])
    let http = FakeHTTPClient(LoginStory.exchange(form: ["client_id": "c-2"]))
    #expect(try await harness(store, http, provider: provider).run("login", "--finish", Self.id).code == 0)
    #expect(try ClientStore(store).ids(provider: "acme") == ["c-2"])
  }

  @Test func `what a server gives the client meanwhile is neither lost nor undone`() async throws {
    let store = MemoryStore()
    var client = ClientRegistration(id: "app", secret: Secret("s-1"), method: .basic)
    client.management = RegistrationManagement(token: Secret("reg-1"), redirectURIs: [Self.redirectURI])
    try store.put(client)
    // So that the login changes something of the client.
    _ = try await harness(store).run("login", "acme/work", "--print-url", "--client-auth", "post")
    client.secret = Secret("s-2")
    client.management?.token = Secret("reg-2")
    try store.put(client)
    let http = FakeHTTPClient(LoginStory.exchange(form: ["client_secret": "s-2"]))
    #expect(try await harness(store, http).run("login", "--finish", Self.id).code == 0)
    let kept = try ClientStore(store).load("app", provider: "acme")
    #expect(kept?.secret == Secret("s-2") && kept?.management?.token == Secret("reg-2") && kept?.method == .post)
  }

  @Test func `one that a newer program began is left as it is`() async throws {
    let store = MemoryStore()
    _ = try await harness(store).run("login", "acme/work", "--print-url")
    let (key, item) = try #require(store.items.first)
    store.items[key] = Secret(item.reveal().replacing(#""version":1"#, with: #""version":2,"x":0"#))
    let items = store.items
    let outcome = try await harness(store).run("login", "--finish", Self.id)
    #expect(outcome.code == 78 && outcome.messages.joined().contains("upgrade oauthctl") && store.items == items)
  }

  @Test func `the redirect URL on standard input finishes it, and uses it up`() async throws {
    let store = MemoryStore()
    _ = try await harness(store).run("login", "acme/work", "--print-url", "--scope", "a b")
    let http = FakeHTTPClient(
      LoginStory.exchange(form: ["code_verifier": Self.verifier, "redirect_uri": Self.redirectURI]))
    let second = try harness(store, http)
    let outcome = try await second.run("login", "--finish", Self.id, "--json")
    #expect(outcome.code == 0 && outcome.json?.members?["account"]?.text == "work")
    #expect(try store.session()?.tokens.accessToken == Secret("access-2"))
    #expect(try store.session()?.requestedScopes == ["a", "b"])
    #expect(!store.items.keys.contains { $0.kind == .login })
    #expect(second.lock.taken == ["login acme/work", "acme/work"])
    let again = try await harness(store).run("login", "--finish", Self.id)
    #expect(again.code == 78)
    #expect(again.messages.first == "oauthctl: error: no login '\(Self.id)' waits to be finished")
  }

  @Test func `a login that is never finished changes no client`() async throws {
    let store = try MemoryStore(Sample.session())
    try store.put(ClientRegistration(id: "app", secret: Secret("old")))
    let before = store.items
    let first = try harness(store, variables: ["OAUTHCTL_ACME_CLIENT_SECRET": "new"])
    #expect(try await first.run("login", "acme/work", "--print-url", "--client-auth", "post").code == 0)
    #expect(before.allSatisfy { store.items[$0.key] == $0.value } && store.items.count == before.count + 1)
    // The second step needs neither the option nor the variable.
    let second = try harness(store, FakeHTTPClient(LoginStory.exchange(form: ["client_secret": "new"])))
    #expect(try await second.run("login", "--finish", Self.id).code == 0)
    #expect(try ClientStore(store).load("app", provider: "acme")?.secret == Secret("new"))
  }

  @Test func `a client that the keyring has stays in its own item`() async throws {
    let store = MemoryStore()
    try store.put(ClientRegistration(id: "app", secret: Secret("s3cr3t"), method: .post))
    _ = try await harness(store).run("login", "acme/work", "--print-url")
    let item = try #require(store.items.first { $0.key.kind == .login })
    #expect(!item.value.reveal().contains("s3cr3t"))
    let second = try harness(store, FakeHTTPClient(LoginStory.exchange(form: ["client_secret": "s3cr3t"])))
    #expect(try await second.run("login", "--finish", Self.id).code == 0)
  }

  @Test func `the key that the tokens are to be bound to waits too`() async throws {
    let store = MemoryStore()
    _ = try await harness(store).run("login", "acme/work", "--print-url", "--dpop")
    let reply = HTTPResponse.json(#"{"access_token":"a","token_type":"DPoP","expires_in":60}"#)
    let http = FakeHTTPClient(LoginStory.exchange(answers: reply))
    #expect(try await harness(store, http).run("login", "--finish", Self.id).code == 0)
    let binding = try #require(try store.session()?.binding)
    #expect(http.requests.first?.headers("DPoP").count == 1 && binding.key.reveal().contains("PRIVATE KEY"))
  }

  static let failures: [Named<(String, code: Int32, stays: Bool)>] = [
    Named("another login's", ("\(redirectURI)?code=c&state=x", 76, true)),
    Named("nothing", ("", 64, true)),
    Named("denied", ("\(redirectURI)?error=access_denied&state=\(state)", 77, false)),
  ]

  @Test(arguments: failures) func `what becomes of a login whose answer is no good`(
    _ row: Named<(String, code: Int32, stays: Bool)>
  ) async throws {
    let store = MemoryStore()
    _ = try await harness(store).run("login", "acme/work", "--print-url")
    let outcome = try await harness(store, pasted: row.value.0).run("login", "--finish", Self.id)
    #expect(outcome.code == row.value.code && outcome.output.isEmpty)
    #expect(store.items.keys.contains { $0.kind == .login } == row.value.stays)
    #expect(!outcome.messages.joined().contains(Self.state))
  }

  @Test func `one that has ended is told, and removed by the next login`() async throws {
    let store = MemoryStore()
    _ = try await harness(store).run("login", "acme/work", "--print-url")
    let outcome = try await harness(store, after: 900).run("login", "--finish", Self.id)
    #expect(outcome.code == 77)
    #expect(outcome.messages.first == "oauthctl: error: the login \(Self.id) has ended at 2027-01-15T08:15:00Z")
    let next = try harness(store, FakeHTTPClient(), after: 900)
    #expect(try await next.run("login", "acme/work", "--print-url").code == 0)
    #expect(store.items.count == 1 && store.items.first?.key.name != Self.id)
  }

  @Test func `an id that is not there names those that are`() async throws {
    let store = MemoryStore()
    _ = try await harness(store).run("login", "acme/work", "--print-url")
    let outcome = try await harness(store).run("login", "--finish", "1lkjlc4-00083")
    #expect(outcome.code == 78)
    #expect(
      outcome.messages == [
        "oauthctl: error: no login '1lkjlc4-00083' waits to be finished; there is \(Self.id) (acme)",
        "oauthctl: hint: did you mean '\(Self.id)'?",
      ])
  }

  @Test func `of two that finish one login the second is told`() async throws {
    let store = MemoryStore()
    _ = try await harness(store).run("login", "acme/work", "--print-url")
    let busy = try harness(store, lock: FakeLock(error: .busy(holder: 4711, seconds: 0)))
    #expect(try await busy.run("login", "--finish", Self.id).code == 75)
    #expect(store.items.count == 1)
  }

  @Test(arguments: [
    ["login", "acme", "--print-url", "--flow", "device"],
    ["login", "acme", "--print-url", "--flow", "client-credentials"],
    ["login", "acme", "--print-url", "--browser", "b"], ["login", "acme", "--print-url", "--private"],
    ["login", "acme", "--finish", id], ["login", "--finish", id, "--scope", "a"],
    ["login", "--finish", id, "--print-url"],
    ["login"], ["login", "--print-url"],
  ]) func `what does not go together`(_ words: [String]) async throws {
    let harness = try harness(MemoryStore(), pasted: nil)
    let outcome = try await harness.run(words: words)
    #expect(outcome.code == 64 && outcome.messages.count == 2 && harness.store.items.isEmpty)
  }

  static let redirects: [Named<([String], Redirect?, String)>] = [
    Named(
      "registered ports", ([], Redirect(host: "localhost", port: [0, 8085], path: "/cb"), "http://localhost:8085/cb")),
    Named("a port", (["--port", "9000"], nil, "http://127.0.0.1:9000/callback")),
    Named("a redirect URI", (["--redirect-uri", "http://127.0.0.1:1/x"], nil, "http://127.0.0.1:1/x")),
    Named("a page", (["--redirect-uri", "urn:ietf:wg:oauth:2.0:oob"], nil, "urn:ietf:wg:oauth:2.0:oob")),
  ]

  @Test(arguments: redirects) func `where the browser goes back to`(
    _ row: Named<([String], Redirect?, String)>
  ) async throws {
    let harness = try harness(
      provider: Sample.provider {
        $0.clientID = "app"
        $0.redirect = row.value.1
      })
    let outcome = try await harness.run(words: ["login", "acme", "--print-url"] + row.value.0)
    #expect(outcome.output.split(separator: "\n").first.map { String($0).parameter("redirect_uri") } == row.value.2)
    #expect(outcome.messages.first?.contains("cannot reach") == row.value.2.hasPrefix("http://"))
  }

  @Test func `accounts and status know nothing of it, and a shell completes its id`() async throws {
    let store = MemoryStore()
    _ = try await harness(store).run("login", "acme/work", "--print-url")
    #expect(try await harness(store).run("status", "--json").output == "[]\n")
    #expect(try await harness(store).run("__complete", "logins").output == "\(Self.id)\tacme\n")
  }
}

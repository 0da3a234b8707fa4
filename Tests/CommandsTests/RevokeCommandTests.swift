import Crypto
import OAuth
import TestSupport
import Testing

@testable import Commands
@testable import Flows

@Suite(.timeLimit(.minutes(1))) struct RevokeCommandTests {
  private func login(_ account: String) -> Session { Sample.session { $0.account = account } }

  private func exchanges(_ response: HTTPResponse = .text("")) -> (Exchange, Exchange) {
    (
      .post(Sample.revocationURL, form: ["token": "refresh-1"], response),
      .post(Sample.revocationURL, form: ["token": "access-1"], response)
    )
  }

  @Test(arguments: ["revoke", "logout"]) func `a login is ended at the server and here`(_ word: String) async throws {
    let (first, second) = exchanges()
    let harness = try CommandHarness(MemoryStore(login("work")), http: FakeHTTPClient(first, second))
    let outcome = try await harness.run(word, "acme/work", "--json")
    #expect(outcome.code == 0 && outcome.messages == ["oauthctl: revoked and forgot acme/work"])
    #expect(outcome.output == #"{"account":"work","provider":"acme","result":"ok","tokens":"revoked"}"# + "\n")
    #expect(harness.store.items.isEmpty)
  }

  @Test func `a server that cannot be asked makes nothing forgotten, and the way out is named`() async throws {
    let (first, _) = exchanges(.text("", status: 503))
    let harness = try CommandHarness(MemoryStore(login("work")), http: FakeHTTPClient(first))
    let outcome = try await harness.run("revoke", "acme/work")
    #expect(outcome.code == 75 && !harness.store.items.isEmpty)
    #expect(
      outcome.messages.last?.hasSuffix(
        "nothing was forgotten; 'oauthctl logout acme/work --local' forgets without asking the server") == true)
  }

  @Test func `a server that says no is a warning`() async throws {
    let (first, second) = exchanges(.error("unsupported_token_type"))
    let harness = try CommandHarness(MemoryStore(login("work")), http: FakeHTTPClient(first, second))
    let outcome = try await harness.run("revoke", "acme/work")
    #expect(outcome.code == 0 && harness.store.items.isEmpty)
    #expect(
      outcome.messages == [
        "oauthctl: warning: forgot acme/work, but the server would not revoke (unsupported_token_type): its tokens stay valid until they end"
      ])
  }

  @Test func `locally no client is made, whatever is stored`() async throws {
    let store = try MemoryStore(login("work"))
    store.items[SecretKey(kind: .session, provider: "acme", name: "bad")] = Secret("rubbish")
    let harness = try CommandHarness(store)
    let outcome = try await harness.run("revoke", "--all", "--local")
    #expect(outcome.code == 0 && store.items.isEmpty && harness.clientsMade.all.isEmpty)
    #expect(outcome.messages.count == 2)
  }

  @Test func `of all accounts each is tried, and the worst code is the command's`() async throws {
    let (first, second) = exchanges()
    let store = try MemoryStore(login("b"))
    store.items[SecretKey(kind: .session, provider: "acme", name: "a")] = Secret("rubbish")
    let outcome = try await CommandHarness(store, http: FakeHTTPClient(first, second)).run("revoke", "--all")
    #expect(outcome.code == 77 && store.items.count == 1)
    #expect(
      outcome.messages.first?.hasPrefix("oauthctl: error: the keyring item of acme/a cannot be read") == true)
  }

  @Test func `the client is forgotten where that is wanted`() async throws {
    let (first, second) = exchanges()
    let store = try MemoryStore(login("work"))
    try store.put(ClientRegistration(id: "app"))
    _ = try await CommandHarness(store, http: FakeHTTPClient(first, second)).run(
      "revoke", "acme/work", "--forget-client")
    #expect(store.items.isEmpty)
  }

  @Test func `the environment's secret is used for its own client alone`() async throws {
    for (id, isUsed) in [("app", true), ("another", false)] {
      let (first, second) = exchanges()
      let harness = try CommandHarness(
        MemoryStore(login("work")), http: FakeHTTPClient(first, second),
        variables: ["OAUTHCTL_ACME_CLIENT_ID": id, "OAUTHCTL_ACME_CLIENT_SECRET": "s"])
      _ = try await harness.run("revoke", "acme/work")
      #expect(harness.http.requests[0].headers("Authorization").isEmpty != isUsed)
    }
  }

  @Test func `names or all, not both and not neither`() async throws {
    let harness = try CommandHarness(MemoryStore(login("work")))
    #expect(try await harness.run("revoke").code == 64)
    #expect(try await harness.run("revoke", "--all", "acme").code == 64)
    #expect(harness.store.items.count == 1)
    #expect(try await CommandHarness().run("revoke", "--all").messages == ["oauthctl: no account is logged in"])
  }

  @Test func `a name that leads nowhere does not stop the others`() async throws {
    let (first, second) = exchanges()
    let harness = try CommandHarness(MemoryStore(login("work")), http: FakeHTTPClient(first, second))
    let outcome = try await harness.run("revoke", "acme/wrk", "acme/work")
    #expect(outcome.code == 78 && harness.store.items.isEmpty)
    #expect(outcome.messages.contains("oauthctl: hint: did you mean 'acme/work'?"))
    let other = try await CommandHarness(MemoryStore(login("work"))).run("logout", "acme/elsewhere")
    #expect(other.messages.contains("oauthctl: hint: see 'oauthctl status' for the accounts that there are"))
    let several = try await CommandHarness(MemoryStore(login("home"), login("work"))).run("logout", "acme")
    #expect(several.code == 78)
    #expect(several.messages.contains("oauthctl: hint: name one of them, as 'acme/home'"), "\(several.messages)")
    let near = try CommandHarness()
    try near.add(Sample.provider())
    #expect(try await near.run("logout", "acm").messages.contains("oauthctl: hint: did you mean 'acme'?"))
  }

  @Test func `the way out without the server forgets the client, too, where that was wanted`() async throws {
    let down = Exchange.post(Sample.revocationURL, .error("temporarily_unavailable", status: 503))
    let harness = try CommandHarness(MemoryStore(login("work")), http: FakeHTTPClient(down))
    let outcome = try await harness.run("logout", "acme/work", "--forget-client")
    #expect(outcome.code == 75)
    #expect(
      outcome.messages.last?.contains("'oauthctl logout acme/work --local --forget-client' forgets") == true,
      "\(outcome.messages)")
  }

  @Test func `with JSON each account has its line, with what became of it`() async throws {
    let (first, second) = exchanges()
    let store = try MemoryStore(login("work"))
    store.items[SecretKey(kind: .session, provider: "acme", name: "a")] = Secret("rubbish")
    let outcome = try await CommandHarness(store, http: FakeHTTPClient(first, second)).run(
      "revoke", "acme/a", "acme/wrk", "acme/work", "--json")
    let lines = outcome.output.split(separator: "\n").compactMap { JSONValue(parsing: Array($0.utf8))?.members }
    #expect(outcome.code == 78 && lines.map { $0["account"]?.text } == ["wrk", "a", "work"])
    #expect(lines.map { $0["result"].flatMap { Failure(json: $0) }?.exitCode } == [78, 77, nil])
    #expect(lines.map { $0["tokens"]?.text } == [nil, nil, "revoked"])
    #expect(outcome.messages.filter { $0.hasPrefix(#"{"error""#) }.count == 2)
  }

  @Test func `the client of a provider where nobody is logged in can be forgotten`() async throws {
    let store = MemoryStore()
    try store.put(ClientRegistration(id: "app", secret: Secret("s")))
    let harness = try CommandHarness(store)
    let outcome = try await harness.run("revoke", "acme", "--forget-client", "--json")
    #expect(outcome.code == 0 && store.items.isEmpty)
    #expect(outcome.output == #"{"clients":1,"provider":"acme","result":"ok"}"# + "\n")
  }

  @Test func `a mistyped account does not take the client of those that are logged in`() async throws {
    let store = try MemoryStore(login("work"))
    try store.put(ClientRegistration(id: "app", secret: Secret("s")))
    #expect(try await CommandHarness(store).run("revoke", "acme/wrk", "--forget-client").code == 78)
    #expect(store.items.count == 2)
  }
}

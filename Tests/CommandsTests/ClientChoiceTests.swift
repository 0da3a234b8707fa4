import Crypto
import Flows
import OAuth
import TestSupport
import Testing

@testable import Commands

/// Options win over the environment, that over files, those over the keyring; a person is asked last.
struct ClientChoiceTests {
  private func choose(
    _ harness: CommandHarness, _ provider: Provider = Sample.provider(), stored: Session? = nil, _ arguments: String...
  ) async throws -> ClientRegistration {
    let invocation = try CommandHarness.invocation(["login", "acme"] + arguments)
    let environment = harness.environment(invocation, output: .silent)
    return try await ClientChoice(environment, provider, LoginOptions(invocation, environment)).choose(
      stored: stored, isOptional: false)
  }

  private let inFile = Sample.provider { $0.clientID = "file" }
  private let variables = ["OAUTHCTL_ACME_CLIENT_ID": "variable"]

  private func keyring(_ ids: String..., secret: String? = nil, method: ClientAuthMethod? = nil) throws -> MemoryStore {
    let store = MemoryStore()
    for id in ids { try store.put(ClientRegistration(id: id, secret: secret.map { Secret($0) }, method: method)) }
    return store
  }

  @Test func `an id is taken from the first place that has one`() async throws {
    let store = try keyring("kept")
    let stored = Sample.session { $0.clientID = "session" }
    #expect(
      try await choose(CommandHarness(store, variables: variables), inFile, stored: stored, "--client-id", "option").id
        == "option")
    #expect(try await choose(CommandHarness(store, variables: variables), inFile, stored: stored).id == "variable")
    #expect(try await choose(CommandHarness(store), inFile, stored: stored).id == "file")
    #expect(try await choose(CommandHarness(store), stored: stored).id == "session")
    #expect(try await choose(CommandHarness(store)).id == "kept")
  }

  @Test(arguments: ["a\u{1B}[2J", "a\nb", "é", "\u{202E}x"]) func `an id that could not be sent or shown is refused`(
    _ id: String
  ) async throws {
    for harness in [try CommandHarness(variables: ["OAUTHCTL_ACME_CLIENT_ID": id]), try CommandHarness()] {
      try harness.add(Sample.provider())
      let words = ["login", "acme"] + (harness.variables["OAUTHCTL_ACME_CLIENT_ID"] == nil ? ["--client-id", id] : [])
      let outcome = try await harness.run(words: words)
      #expect(outcome.code == 78 && outcome.messages.allSatisfy { !$0.contains("\u{1B}") && !$0.contains("\u{202E}") })
    }
  }

  @Test func `of several in the keyring none is guessed`() async throws {
    let failure = await #expect(throws: Failure.self) { try await choose(CommandHarness(keyring("b", "a"))) }
    #expect(failure?.exitCode == 78 && failure?.message == "several clients of acme are known: a, b")
    #expect(
      try await choose(CommandHarness(keyring("b", "a")), Sample.provider(), stored: nil, "--client-id", "b").id == "b")
  }

  @Test func `a client of the user's own goes before those that were registered, any of which will do`() async throws {
    let store = try keyring("own")
    let provider = Sample.provider { $0.issuer = Sample.issuer }
    for id in ["a", "z"] { try store.put(registered(id, at: Sample.issuer)) }
    #expect(try await choose(CommandHarness(store), provider).id == "own")
    try ClientStore(store).delete("own", provider: "acme")
    #expect(try await choose(CommandHarness(store), provider).id == "a")
  }

  @Test func `a client that was registered at another server is none`() async throws {
    let store = MemoryStore()
    try store.put(registered("other", at: "https://other.example"))
    try store.put(registered("right", at: Sample.issuer))
    let provider = Sample.provider { $0.issuer = Sample.issuer }
    #expect(try await choose(CommandHarness(store), provider).id == "right")
    // Of a resource, whose server may be another one any day, nothing counts that is not known to be that server's.
    let harness = try CommandHarness(keyring("own"))
    let environment = try harness.environment("login", "acme")
    let options = try LoginOptions(CommandHarness.invocation(["login", "acme"]), environment)
    let choice = ClientChoice(environment, provider, options, isForResource: true)
    #expect(try await choice.knownID(nil) == nil)
    let stored = Sample.session { $0.provider.issuer = "https://other.example" }
    #expect(try await choice.knownID(stored) == nil)
    #expect(try await choice.knownID(Sample.session { $0.provider.issuer = Sample.issuer }) == "app")
  }

  @Test func `the account's own client goes before the file's, unless somebody has changed that since`() async throws {
    let stored = Sample.session(provider: inFile) { $0.clientID = "session" }
    #expect(try await choose(CommandHarness(), inFile, stored: stored).id == "session")
    #expect(try await choose(CommandHarness(variables: variables), inFile, stored: stored).id == "variable")
    let edited = Sample.provider { $0.clientID = "edited" }
    #expect(try await choose(CommandHarness(), edited, stored: stored).id == "edited")
    // A grant that tells who asks has no client to go on with.
    let nobody = Sample.session { $0.clientID = "" }
    #expect(try await choose(CommandHarness(keyring("kept")), stored: nobody).id == "kept")
  }

  @Test func `what was given to another server is not offered under another name`() async throws {
    let harness = try CommandHarness(keyring("session", secret: "s"))
    let environment = try harness.environment("login", "acme")
    var options = try LoginOptions(CommandHarness.invocation(["login", "acme"]), environment)
    options.isForOtherServer = true
    let stored = Sample.session { $0.clientID = "session" }
    #expect(try await ClientChoice(environment, Sample.provider(), options).knownID(stored) == nil)
    try harness.store.put(ClientRegistration(id: "own"))
    #expect(try await ClientChoice(environment, Sample.provider(), options).knownID(stored) == "own")
  }

  private func registered(_ id: String, at issuer: String) -> ClientRegistration {
    var client = ClientRegistration(id: id)
    client.management = RegistrationManagement(redirectURIs: [])
    client.management?.issuer = issuer
    return client
  }

  @Test func `a secret is taken from the first place that has one`() async throws {
    let files = ["f": Secret("option")]
    let variables = ["OAUTHCTL_ACME_CLIENT_SECRET": "variable"]
    let store = try keyring("file", secret: "kept")
    let option = try await choose(
      CommandHarness(store, variables: variables, files: files), inFile, stored: nil, "--client-secret-file", "f")
    #expect(option.secret == Secret("option"))
    #expect(try await choose(CommandHarness(store, variables: variables), inFile).secret == Secret("variable"))
    #expect(try await choose(CommandHarness(store), inFile).secret == Secret("kept"))
    #expect(try await choose(CommandHarness(), inFile).secret == nil)
  }

  @Test func `a secret of another client is not mixed in`() async throws {
    let variables = ["OAUTHCTL_ACME_CLIENT_ID": "another", "OAUTHCTL_ACME_CLIENT_SECRET": "s"]
    let chosen = try await choose(
      CommandHarness(keyring("kept", secret: "k"), variables: variables), Sample.provider(), stored: nil, "--client-id",
      "mine")
    #expect(chosen == ClientRegistration(id: "mine"))
  }

  @Test func `a method is the option's, else the one that was kept`() async throws {
    let store = try keyring("file", secret: "s", method: .post)
    #expect(try await choose(CommandHarness(store), inFile).method == .post)
    #expect(try await choose(CommandHarness(store), inFile, stored: nil, "--client-auth", "basic").method == .basic)
  }

  @Test func `a public client keeps no secret`() async throws {
    let store = try keyring("file", secret: "s")
    #expect(try await choose(CommandHarness(store), inFile, stored: nil, "--client-auth", "none").secret == nil)
    let open = Sample.provider { ($0.clientID, $0.clientAuth) = ("file", ClientAuthMethod.none) }
    #expect(try await choose(CommandHarness(store), open).secret == nil)
  }

  @Test func `a person is asked last, told where to register and what for`() async throws {
    let provider = Sample.provider { provider in
      provider.title = "ACME"
      provider.registerURL = "https://acme.example/apps"
      provider.redirect = Redirect(host: "localhost", port: [0, 8085], path: "/cb")
      provider.notes = ["take 'Desktop'"]
    }
    let harness = try CommandHarness(terminal: FakeTerminal(.line(" app\t"), .line("s3cr3t")))
    #expect(try await choose(harness, provider) == ClientRegistration(id: "app", secret: Secret("s3cr3t")))
    #expect(
      harness.terminal.questions.all.map(\.prompt) == ["client id: ", "client secret (empty for a public client): "])
    #expect(harness.terminal.questions.all.map(\.echo) == [true, false])
    #expect(
      harness.terminal.shown.all == [
        "ACME needs a client of yours (register one at https://acme.example/apps)",
        "its redirect URI is http://localhost:8085/cb", "take 'Desktop'",
      ])
  }

  @Test func `an empty secret means a public client, unless the provider wants one`() async throws {
    #expect(
      try await choose(CommandHarness(terminal: FakeTerminal(.line("app"), .line("")))) == ClientRegistration(id: "app")
    )
    let strict = Sample.provider { $0.clientAuth = .post }
    let failure = await #expect(throws: Failure.self) {
      try await choose(CommandHarness(terminal: FakeTerminal(.line("app"), .line(""))), strict)
    }
    #expect(failure?.exitCode == 78)
    let empty = await #expect(throws: Failure.self) {
      try await choose(CommandHarness(terminal: FakeTerminal(.line("  "))))
    }
    #expect(empty?.exitCode == 78)
  }

  @Test func `a public provider is asked for no secret`() async throws {
    let open = Sample.provider { $0.clientAuth = ClientAuthMethod.none }
    #expect(
      try await choose(CommandHarness(terminal: FakeTerminal(.line("app"))), open) == ClientRegistration(id: "app"))
  }

  @Test func `a secret that the provider wants is asked for, though the id is known`() async throws {
    let strict = Sample.provider { ($0.clientID, $0.clientAuth) = ("file", .basic) }
    let chosen = try await choose(CommandHarness(terminal: FakeTerminal(.line("s"))), strict)
    #expect(chosen == ClientRegistration(id: "file", secret: Secret("s")))
    let failure = await #expect(throws: Failure.self) { try await choose(CommandHarness(), strict) }
    #expect(failure?.exitCode == 78 && failure?.hint == "give it with --client-secret-file FILE (- for standard input)")
  }

  @Test func `where nobody can be asked it is said how to give it`() async throws {
    let failure = await #expect(throws: Failure.self) { try await choose(CommandHarness()) }
    #expect(failure?.exitCode == 78 && failure?.hint?.contains("--client-id") == true)
  }

  @Test func `closed input is an interruption`() async throws {
    await #expect(throws: CancellationError.self) { try await choose(CommandHarness(terminal: FakeTerminal(.end))) }
    await #expect(throws: CancellationError.self) {
      try await choose(CommandHarness(terminal: FakeTerminal(.line("app"), .end)))
    }
  }
}

import Crypto
import OAuth
import TestSupport
import Testing

@testable import Commands
@testable import Flows

/// What the grants without a browser are given by files, and by a person.
struct GrantFilesTests {
  private func read<Value: Sendable>(
    _ words: [String], files: [String: Secret] = [:], terminal: FakeTerminal = FakeTerminal(),
    _ body: @escaping @Sendable (GrantFiles) throws -> Value
  ) async throws -> Value {
    let harness = try CommandHarness(terminal: terminal, files: files)
    let invocation = try CommandHarness.invocation(["login", "acme"] + words)
    let environment = harness.environment(invocation, output: .silent)
    // A question blocks its thread, and the pool has few.
    return try await offPool { try body(GrantFiles(invocation, environment)) }
  }

  @Test func `a name and a password are asked for, the password unseen`() async throws {
    let terminal = FakeTerminal(.line("ada"), .line("p w"))
    guard
      case .password(username: "ada", password: Secret("p w")) = try await read(
        [], terminal: terminal, { try $0.password() })
    else {
      Issue.record("something else")
      return
    }
    #expect(terminal.questions.all.map(\.prompt) == ["user name: ", "ada's password: "])
    #expect(terminal.questions.all.map(\.echo) == [true, false])
  }

  @Test func `a password comes from a file`() async throws {
    let words = ["--username", "ada", "--password-file", "f"]
    guard
      case .password(username: "ada", password: Secret("p")) = try await read(
        words, files: ["f": Secret("p")], { try $0.password() })
    else {
      Issue.record("something else")
      return
    }
  }

  @Test func `a script is told what is missing`() async throws {
    for (words, option) in [([], "--username"), (["--username", "ada"], "--password-file")] {
      let failure = await #expect(throws: Failure.self) { try await read(words) { try $0.password() } }
      #expect(failure?.exitCode == 64 && failure?.hint?.contains(option) == true)
    }
  }

  @Test func `of a name that is known only the password is asked for`() throws {
    let invocation = try CommandHarness.invocation(["login", "acme"])
    let environment = try CommandHarness().environment(invocation, output: .silent)
    let failure = #expect(throws: Failure.self) {
      try GrantFiles(invocation, environment, FormerGrant(username: "ada")).password()
    }
    #expect(failure?.message == "no password was given")
    #expect(failure?.hint == "run 'oauthctl login acme --password-file FILE' (- for standard input)")
  }

  @Test func `who closes the input gives up`() async throws {
    await #expect(throws: CancellationError.self) {
      try await read([], terminal: FakeTerminal(.end)) { try $0.password() }
    }
    await #expect(throws: CancellationError.self) {
      try await read([], terminal: FakeTerminal(.line("ada"), .end)) { try $0.password() }
    }
  }

  private static let jwt = Sample.jwt(#"{"iss":"robot"}"#)

  @Test func `an assertion of somebody else is taken as it is`() async throws {
    guard
      case .assertion(Self.jwt) = try await read(
        ["--assertion-file", "f"], files: ["f": Self.jwt], { try $0.assertion() })
    else {
      Issue.record("something else")
      return
    }
  }

  private func account(_ more: String = "", type: String = "service_account") throws -> Secret {
    let pem = try PrivateKey.generate(.p256).pem().reveal().replacing("\n", with: "\\n")
    return Secret(
      #"{"type":"\#(type)","client_email":"robot@x","private_key_id":"k1","private_key":"\#(pem)"\#(more)}"#)
  }

  private func assertion(_ words: [String], _ content: Secret) async throws -> StandingGrant.Assertion {
    guard case .signedAssertion(let assertion) = try await read(words, files: ["f": content], { try $0.assertion() })
    else {
      throw UnexpectedUse()
    }
    return assertion
  }

  @Test func `a service account's key signs in its own name, for the address in the file`() async throws {
    let made = try await assertion(["--assertion-file", "f"], account(#","token_uri":"https://as.example/token""#))
    #expect(made.issuer == "robot@x" && made.subject == nil && made.audience == "https://as.example/token")
    #expect(made.key.keyID == "k1" && made.holdsScope)
  }

  @Test func `whom it acts for and whom it speaks to can be said`() async throws {
    let words = ["--assertion-file", "f", "--assertion-subject", "ann", "--audience", "https://other"]
    let made = try await assertion(words, account(#","token_uri":"https://as.example/token""#))
    #expect(made.subject == "ann" && made.audience == "https://other")
    // Without one the token endpoint is meant.
    #expect(try await assertion(["--assertion-file", "f"], account()).audience == nil)
  }

  @Test func `a private key signs in the name that is given`() async throws {
    let pem = try PrivateKey.generate(.p256).pem()
    let made = try await assertion(["--private-key-file", "f", "--assertion-issuer", "robot"], pem)
    #expect(made.issuer == "robot" && made.subject == "robot" && made.audience == nil && !made.holdsScope)
    let other = try await assertion(
      ["--private-key-file", "f", "--assertion-issuer", "robot", "--assertion-subject", "ann"], pem)
    #expect(other.subject == "ann")
  }

  static let bad: [Named<(words: [String], content: String, code: Int32, said: String)>] = [
    Named("nothing", ([], "", 64, "an assertion, or what signs one")),
    Named("no issuer", (["--private-key-file", "f"], "KEY", 64, "needs an issuer")),
    Named("both", (["--assertion-file", "f", "--assertion-issuer", "i"], "a.b.c", 64, "exclude each other")),
    Named("no JWT", (["--assertion-file", "f"], "my dog's name", 78, "it is no JWT")),
    Named(
      "no key", (["--assertion-file", "f"], #"{"type":"service_account","client_email":"e"}"#, 78, "no private_key")),
    Named("other", (["--assertion-file", "f"], #"{"type":"authorized_user"}"#, 78, "but authorized_user")),
    Named("no type", (["--assertion-file", "f"], "{}", 78, "it is no service account's key")),
    Named("no JSON", (["--assertion-file", "f"], "{", 78, "it is not JSON")),
    Named(
      "bad address",
      (
        ["--assertion-file", "f"],
        #"{"type":"service_account","client_email":"e","private_key":"k","token_uri":"http://evil"}"#, 78, "token_uri"
      )),
    Named(
      "bad key",
      (["--assertion-file", "f"], #"{"type":"service_account","client_email":"e","private_key":"k"}"#, 78, "f: ")),
  ]

  @Test(arguments: bad) func `what cannot be used is said, and not shown`(
    _ row: Named<(words: [String], content: String, code: Int32, said: String)>
  ) async throws {
    let content = row.value.content == "KEY" ? try PrivateKey.generate(.p256).pem() : Secret(row.value.content)
    let failure = await #expect(throws: Failure.self) {
      try await read(row.value.words, files: ["f": content]) { try $0.assertion() }
    }
    #expect(failure?.exitCode == row.value.code && failure?.message.contains(row.value.said) == true)
    #expect(failure?.message.contains("dog") == false)
  }

  private func exchange(_ words: String...) async throws -> TokenExchange {
    try await read(words, files: ["s": Secret("subject"), "a": Secret("actor")]) { try $0.tokenExchange() }
  }

  private static let prefix = "urn:ietf:params:oauth:token-type:"

  @Test func `tokens to be exchanged are access tokens unless something else is said`() async throws {
    let plain = try await exchange("--subject-token-file", "s")
    #expect(plain.subjectToken == Secret("subject") && plain.subjectTokenType == TokenExchange.accessTokenType)
    #expect(plain.actorToken == nil && plain.actorTokenType == nil && plain.requestedTokenType == nil)
    let full = try await exchange(
      "--subject-token-file", "s", "--subject-token-type", "id-token", "--actor-token-file", "a",
      "--requested-token-type",
      "https://own.example/type")
    #expect(full.subjectTokenType == Self.prefix + "id_token" && full.actorToken == Secret("actor"))
    #expect(
      full.actorTokenType == TokenExchange.accessTokenType && full.requestedTokenType == "https://own.example/type")
  }

  @Test func `an exchange that cannot be meant is a usage error`() async throws {
    for (words, said) in [
      ([], "no token to exchange"),
      (["--subject-token-file", "s", "--subject-token-type", "x"], "'x' is no type of token"),
      (["--subject-token-file", "s", "--actor-token-type", "jwt"], "--actor-token-type is for an actor's token"),
    ] {
      let failure = await #expect(throws: Failure.self) {
        try await read(words, files: ["s": Secret("subject")]) { try $0.tokenExchange() }
      }
      #expect(failure?.exitCode == 64 && failure?.message.contains(said) == true)
    }
  }
}

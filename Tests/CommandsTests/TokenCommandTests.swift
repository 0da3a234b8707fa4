import Crypto
import Foundation
import OAuth
import TestSupport
import Testing

@testable import Commands
@testable import Flows

@Suite(.timeLimit(.minutes(1))) struct TokenCommandTests {
  @Test func `a valid token is printed with one look at the keyring, and nothing else is asked`() async throws {
    let harness = try CommandHarness(MemoryStore(Sample.session()))
    let outcome = try await harness.run("token", "acme/work")
    #expect(outcome.code == 0 && outcome.output == "access-1\n" && outcome.messages.isEmpty)
    #expect(harness.store.count(.load) == 1 && harness.store.count(.list) == 0 && harness.store.saves.isEmpty)
    #expect(harness.clientsMade.all.isEmpty && harness.lock.taken.isEmpty)
  }

  @Test(arguments: [
    ("raw", "access-1\n"), ("header", "Authorization: Bearer access-1\n"),
    ("env", "export ACCESS_TOKEN='access-1'\nexport ACCESS_TOKEN_EXPIRES_AT='2027-01-15T09:00:00Z'\n"),
    (
      "json",
      #"{"access_token":"access-1","account":"work","expires_at":"2027-01-15T09:00:00Z","expires_in":3600,"fields":{},"provider":"acme","scope":["read"],"token_type":"Bearer"}"#
        + "\n"
    ),
  ]) func `a token is printed in each format`(_ format: String, _ text: String) async throws {
    let harness = try CommandHarness(MemoryStore(Sample.session()))
    #expect(try await harness.run("token", "acme/work", "--format", format).output == text)
    if format == "json" { #expect(try await harness.run("token", "acme/work", "--json").output == text) }
  }

  @Test func `a token with quotes is safe for a shell, and one without an end takes the old one's away`() async throws {
    let tokens = Sample.tokens { tokens in
      tokens.accessToken = Secret("a'b$(id)")
      tokens.expiresAt = nil
    }
    let harness = try CommandHarness(MemoryStore(Sample.session(tokens: tokens)))
    let text = try await harness.run("token", "acme", "--format", "env").output
    #expect(text == #"export ACCESS_TOKEN='a'\''b$(id)'"# + "\nunset ACCESS_TOKEN_EXPIRES_AT\n")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = [
      "-c", "ACCESS_TOKEN_EXPIRES_AT=old; \(text)printf '%s|%s' \"$ACCESS_TOKEN\" \"${ACCESS_TOKEN_EXPIRES_AT-none}\"",
    ]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    #expect(String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self) == "a'b$(id)|none")
  }

  @Test func `the ID token and the kept fields are printed where there are any`() async throws {
    let tokens = Sample.tokens { tokens in
      tokens.idToken = Secret("i.d.t")
      tokens.fields = ["url": .string("https://t"), "n": .integer(7), "o": .object(["a": .null]), "nothing": .null]
    }
    let harness = try CommandHarness(MemoryStore(Sample.session(tokens: tokens)))
    #expect(try await harness.run("token", "acme", "--id-token").output == "i.d.t\n")
    for (name, text) in [("url", "https://t\n"), ("n", "7\n"), ("o", "{\"a\":null}\n")] {
      #expect(try await harness.run("token", "acme", "--field", name).output == text)
    }
    let json = try await harness.run("token", "acme", "--json").json?.members
    #expect(json?["id_token"] == .string("i.d.t") && json?["fields"] == .object(tokens.fields))
    for name in ["access_token", "nothing", "x y"] {
      let outcome = try await harness.run("token", "acme", "--field", name)
      #expect(
        outcome.code == 78 && outcome.output.isEmpty
          && outcome.messages.last == "oauthctl: hint: it has n, nothing, o, url")
    }
    let bare = try CommandHarness(MemoryStore(Sample.session()))
    #expect(try await bare.run("token", "acme", "--id-token").code == 77)
    #expect(
      try await bare.run("token", "acme", "--field", "x").messages.last == "oauthctl: hint: it has no further fields")
  }

  private func refreshable(_ response: HTTPResponse = Sample.rotated) -> FakeHTTPClient {
    FakeHTTPClient(.post(Sample.tokenURL, form: ["grant_type": "refresh_token"], response))
  }

  @Test func `a token that has ended, or ends too soon, is renewed, and what the keyring holds is printed`()
    async throws
  {
    let harness = try CommandHarness(MemoryStore(Sample.expired()), http: refreshable())
    #expect(try await harness.run("token", "acme/work").output == "access-2\n")
    #expect(try harness.store.session()?.tokens.refreshToken == Secret("refresh-2"))
    #expect(harness.terminal.statuses.all == ["refreshing acme/work", nil])
    let soon = Sample.session(tokens: Sample.tokens { $0.expiresAt = Sample.now.addingTimeInterval(59) })
    #expect(
      try await CommandHarness(MemoryStore(soon), http: refreshable()).run("token", "acme").output == "access-2\n")
    #expect(
      try await CommandHarness(MemoryStore(soon)).run("token", "acme", "--min-valid", "59").output == "access-1\n")
    let hour = try CommandHarness(MemoryStore(Sample.session()), http: refreshable())
    #expect(try await hour.run("token", "acme", "--min-valid=2h").output == "access-2\n")
  }

  @Test func `a token is renewed on demand, and never where that is forbidden`() async throws {
    let harness = try CommandHarness(MemoryStore(Sample.session()), http: refreshable())
    #expect(try await harness.run("token", "acme", "--force-refresh").output == "access-2\n")
    let stale = try CommandHarness(MemoryStore(Sample.expired()))
    let outcome = try await stale.run("token", "acme/work", "--no-refresh")
    #expect(outcome.code == 77 && outcome.output.isEmpty)
    #expect(
      try await CommandHarness(MemoryStore(Sample.session())).run("token", "acme", "--no-refresh").output
        == "access-1\n")
    #expect(try await stale.run("token", "acme", "--no-refresh", "--force-refresh").code == 64)
  }

  @Test func `a script leaves alone a server that cannot answer; a person and who insists do not`() async throws {
    let held = Sample.expired { $0.backoff = Backoff(failures: 3, notBefore: Sample.now + 100) }
    let script = try CommandHarness(MemoryStore(held))
    let outcome = try await script.run("token", "acme/work")
    #expect(outcome.code == 75 && outcome.output.isEmpty)
    #expect(
      outcome.messages.first
        == "oauthctl: error: acme/work: the server could not answer, 3 times in a row; the next try is in 100s, "
        + "at 2027-01-15T08:01:40Z")
    #expect(outcome.messages.last == "oauthctl: hint: run 'oauthctl token acme/work --force-refresh' to ask now")
    #expect(
      try await CommandHarness(MemoryStore(held), http: refreshable()).run("token", "acme", "--force-refresh").output
        == "access-2\n")
    let person = try CommandHarness(
      MemoryStore(held), http: refreshable(), terminal: FakeTerminal(isInteractive: true))
    #expect(try await person.run("token", "acme").output == "access-2\n")
  }

  @Test(arguments: [
    ["--json", "--format", "header"], ["--json", "--format=raw"], ["--format", "env", "--json"],
    ["--json", "--format", "json", "--format", "header"], ["--json", "--id-token"], ["--json", "--field", "x"],
    ["--id-token", "--field", "x"], ["--id-token", "--format", "json"], ["--field", "x", "--format", "raw"],
    ["--no-refresh", "--force-refresh"], ["--url", "https://a.example"], ["--json", "--url", "https://a.example"],
    ["--format", "raw", "--url", "https://a.example"], ["--format", "header", "--method", "GET"],
    ["--format", "header", "--nonce", "n"], ["--format", "header", "--id-token", "--url", "https://a.example"],
  ]) func `options that exclude each other are a mistake`(_ options: [String]) async throws {
    let outcome = try await CommandHarness(MemoryStore(Sample.session())).run(words: ["token", "acme"] + options)
    #expect(outcome.code == 64 && outcome.output.isEmpty)
  }

  @Test func `options that say the same go together`() async throws {
    let harness = try CommandHarness(MemoryStore(Sample.session()))
    let text = try await harness.run("token", "acme", "--json").output
    #expect(try await harness.run("token", "acme", "--json", "--format", "json").output == text)
    #expect(try await harness.run("token", "acme", "--json", "--format", "raw", "--format", "json").output == text)
  }

  @Test func `a token of unknown expiry is printed as it is`() async throws {
    let harness = try CommandHarness(MemoryStore(Sample.session(tokens: Sample.tokens { $0.expiresAt = nil })))
    #expect(try await harness.run("token", "acme").output == "access-1\n")
    let json = try await harness.run("token", "acme", "--json").json?.members
    #expect(json?["expires_at"] == nil && json?["expires_in"] == nil)
  }

  @Test func `a refusal that is known is told without asking`() async throws {
    let mark = RefusedGrant(fingerprint: Secret("refresh-1").fingerprint, at: Sample.now, error: "invalid_grant")
    let harness = try CommandHarness(MemoryStore(Sample.expired { $0.refused = mark }))
    let outcome = try await harness.run("token", "acme/work")
    #expect(outcome.code == 77 && outcome.output.isEmpty && harness.lock.taken.isEmpty)
    #expect(outcome.messages.last == "oauthctl: hint: run 'oauthctl login acme/work'")
  }

  @Test(
    arguments: [
      (HTTPResponse.text("", status: 503), 75), (.error("invalid_grant"), 77),
      (.error("invalid_client", status: 401), 78),
      (.text("", status: 400), 77), (.json("{}"), 76), (.text("<html>", status: 403), 75),
    ] as [(HTTPResponse, Int32)]) func `a failed refresh prints no token and has its code`(
      _ response: HTTPResponse, _ code: Int32
    ) async throws
  {
    let harness = try CommandHarness(MemoryStore(Sample.expired()), http: refreshable(response))
    let outcome = try await harness.run("token", "acme/work")
    #expect(outcome.code == code && outcome.output.isEmpty)
    #expect(try harness.store.session()?.tokens == Sample.expired().tokens)
  }

  @Test func `names that lead nowhere are told apart`() async throws {
    let harness = try CommandHarness(MemoryStore(Sample.session()))
    try harness.add(Provider.withIssuer("other"))
    let account = try await harness.run("token", "acme/wrk")
    #expect(
      account.code == 78
        && account.messages == [
          "oauthctl: error: unknown account 'acme/wrk': acme has acme/work",
          "oauthctl: hint: did you mean 'acme/work'?",
        ])
    let provider = try await harness.run("token", "othr")
    #expect(
      provider.code == 78
        && provider.messages == ["oauthctl: error: unknown provider 'othr'", "oauthctl: hint: did you mean 'other'?"])
    let login = try await harness.run("token", "other")
    #expect(login.code == 77 && login.messages.last == "oauthctl: hint: run 'oauthctl login other'")
    #expect(try await harness.run("token", "a/b/c").code == 64)
    #expect(try await harness.run("token").code == 64)
  }

  @Test func `an answer that cannot be written is no success`() async throws {
    let harness = try CommandHarness(MemoryStore(Sample.session()))
    harness.canWrite.value = false
    #expect(try await harness.run("token", "acme").code == 75)
  }

  @Test(
    arguments: [(StoreError.locked, 69), (.noBus(detail: "x"), 69), (.timedOut(seconds: 5), 69)]
      as [(StoreError, Int32)])
  func `a keyring that cannot be asked is no missing login`(_ error: StoreError, _ code: Int32) async throws {
    let harness = try CommandHarness(MemoryStore(Sample.session()))
    harness.store.failAlways(.load, with: error)
    let outcome = try await harness.run("token", "acme/work", "--json")
    #expect(outcome.code == code && outcome.output.isEmpty && outcome.messages.count == 1)
    #expect(
      outcome.messages.first.flatMap { Failure(json: JSONValue(parsing: Array($0.utf8)) ?? .null) } == Failure(error))
  }
}

extension Provider {
  /// A provider that can be logged in at, with nothing but its name and issuer.
  static func withIssuer(_ name: String) -> Provider {
    var provider = Provider(name: name)
    provider.issuer = "https://\(name).example"
    return provider
  }
}

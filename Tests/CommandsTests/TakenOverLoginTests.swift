import Crypto
import Flows
import OAuth
import TestSupport
import Testing

@testable import Commands

/// `oauthctl login --refresh-token-file`.
@Suite(.timeLimit(.minutes(1))) struct TakenOverLoginTests {
  private func harness(
    _ http: FakeHTTPClient, _ content: String, store: MemoryStore = MemoryStore(),
    terminal: FakeTerminal = FakeTerminal()
  ) throws -> CommandHarness {
    let harness = try CommandHarness(store, http: http, terminal: terminal, files: ["f": Secret(content)])
    try harness.add(
      Sample.provider {
        $0.clientID = "app"
        $0.scopes = ["read", "write"]
      })
    return harness
  }

  private static let form = ["grant_type": "refresh_token", "refresh_token": "given-1", "client_id": "app"]
  private static let words = ["login", "acme/work", "--refresh-token-file", "f"]

  @Test func `a token becomes a login, with no scopes that nobody asked for, and no browser`() async throws {
    let harness = try harness(FakeHTTPClient(.post(Sample.tokenURL, form: Self.form, Sample.rotated)), "given-1")
    let outcome = try await harness.run(words: Self.words)
    #expect(outcome.code == 0 && harness.http.requests[0].form["scope"] == nil)
    let session = try #require(try harness.store.session())
    #expect(session.tokens.refreshToken == Secret("refresh-2") && session.requestedScopes == [])
    #expect(session.clientID == "app" && harness.browser.opened.all.isEmpty && harness.listeners.bound.all.isEmpty)
  }

  @Test func `a refusal tells whose the token must be, and stores nothing`() async throws {
    let http = FakeHTTPClient(.post(Sample.tokenURL, form: Self.form, .error("invalid_grant")))
    let harness = try harness(http, "given-1")
    let outcome = try await harness.run(words: Self.words)
    #expect(
      outcome.code == 77
        && outcome.messages.first
          == "oauthctl: error: the server refused the refresh token: invalid_grant"
    )
    #expect(outcome.messages.last?.contains("--client-id") == true)
    #expect(outcome.messages.last?.contains("'oauthctl login acme/work'") == true)
    #expect(try harness.store.session() == nil)
  }

  @Test(arguments: [#"{"refresh_token":"x"}"#, "two words", "é"]) func `what is no token is not sent`(
    _ content: String
  ) async throws {
    let outcome = try await harness(FakeHTTPClient(), content).run(words: Self.words)
    #expect(outcome.code == 64 && outcome.messages.last?.contains("jq -r .refresh_token") == true)
  }

  @Test func `without a token there is nothing to begin with`() async throws {
    let outcome = try await harness(FakeHTTPClient(), "x").run("login", "acme", "--flow", "refresh-token")
    #expect(outcome.code == 64 && outcome.messages.last?.contains("--refresh-token-file") == true)
  }

  @Test func `at a terminal it is asked for, unseen`() async throws {
    let terminal = FakeTerminal(.line("given-1"))
    let http = FakeHTTPClient(.post(Sample.tokenURL, form: Self.form, Sample.rotated))
    let harness = try harness(http, "x", terminal: terminal)
    #expect(try await harness.run("login", "acme/work", "--refresh-token-file", "-").code == 0)
    #expect(
      terminal.questions.all.map(\.prompt) == ["refresh token: "] && terminal.questions.all.map(\.echo) == [false])
  }

  @Test func `it is no way to begin that another grant's failure would name`() async throws {
    let metadata = try ServerMetadata(
      parsing:
        #"{"issuer":"https://id.acme.example","grant_types_supported":["authorization_code","refresh_token"]}"#)
    let error = TokenFailure.clientRefused(ServerError(code: "unsupported_grant_type"))
    let failure = LoginFlow.direct(.clientCredentials).failure(error, "acme", Sample.client(), metadata)
    #expect(failure?.hint == "try 'oauthctl login acme --flow code'")
  }
}

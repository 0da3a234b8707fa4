import Crypto
import Foundation
import OAuth
import TestSupport
import Testing

@testable import Flows

/// Logins that begin with a refresh token from elsewhere.
struct TakenOverTokenTests {
  private func run(
    _ http: FakeHTTPClient, provider: Provider = Sample.provider(), terminal: FakeTerminal = FakeTerminal(),
    _ change: (inout LoginPlan) -> Void = { _ in }
  ) async throws -> LoginResult {
    var plan = LoginPlan(client: Sample.client(at: provider), scopes: [])
    change(&plan)
    return try await DirectLogin(network: Sample.network(http), terminal: terminal).run(
      plan, .refreshToken(Secret("given-1")))
  }

  private static let form = ["grant_type": "refresh_token", "refresh_token": "given-1", "client_id": "app"]

  @Test func `it is redeemed as any refresh token is, and what takes its place is kept`() async throws {
    let http = FakeHTTPClient(.post(Sample.tokenURL, form: Self.form, Sample.rotated))
    let result = try await run(http)
    #expect(result.tokens.accessToken == Secret("access-2") && result.tokens.refreshToken == Secret("refresh-2"))
    #expect(result.grant == nil && result.scopes == [] && http.requests[0].form["scope"] == nil)
  }

  @Test(arguments: [#""#, #","refresh_token":null"#, #","refresh_token":"""#])
  func `a reply without one leaves the one that was given`(_ more: String) async throws {
    let reply = HTTPResponse.json(#"{"access_token":"a","scope":"x y"\#(more)}"#)
    let result = try await run(FakeHTTPClient(.post(Sample.tokenURL, form: Self.form, reply)))
    #expect(result.tokens.refreshToken == Secret("given-1") && result.scopes == ["x", "y"])
  }

  @Test func `scopes that are asked for go along, and the refresh endpoint is asked`() async throws {
    let provider = Sample.provider {
      $0.endpoints?.refresh = "https://id.acme.example/refresh"
      $0.refreshParams = ["a": "b"]
    }
    let http = FakeHTTPClient(
      .post("https://id.acme.example/refresh", form: ["scope": "read", "a": "b"], Sample.rotated))
    let result = try await run(http, provider: provider) { $0.scopes = ["read"] }
    #expect(result.scopes == nil && http.requests.count == 1)
  }

  private func identified(_ token: Secret, _ issuer: SampleIssuer, _ terminal: FakeTerminal) async throws -> LoginResult
  {
    let reply = HTTPResponse.json(#"{"access_token":"a","id_token":"\#(token.reveal())"}"#)
    let http = FakeHTTPClient(issuer.publishes(), .post(Sample.tokenURL, form: Self.form, reply))
    return try await run(http, provider: SampleIssuer.provider(), terminal: terminal)
  }

  @Test func `an ID token that holds says who it is`() async throws {
    let (issuer, terminal) = (try SampleIssuer(), FakeTerminal())
    let result = try await identified(try issuer.idToken(), issuer, terminal)
    #expect(result.identity == "ada@example.com" && result.tokens.idToken != nil && result.scopes == ["openid"])
    #expect(result.keys != nil && terminal.notes.all.isEmpty)
  }

  @Test(arguments: ["aud", "iss"]) func `one that does not hold is dropped, and the tokens beside it are kept`(
    _ claim: String
  ) async throws {
    let (issuer, terminal) = (try SampleIssuer(), FakeTerminal())
    let result = try await identified(try issuer.idToken([claim: .string("other")]), issuer, terminal)
    #expect(result.tokens.accessToken == Secret("a") && result.tokens.refreshToken == Secret("given-1"))
    #expect(result.identity == nil && result.tokens.idToken == nil)
    #expect(terminal.notes.all.count == 1 && terminal.notes.all[0].contains("'\(claim)' does not hold"))
  }

  @Test func `a token that is not bound as was asked is kept, and told of`() async throws {
    let (terminal, key) = (FakeTerminal(), try PrivateKey.generate(.p256).pem())
    let http = FakeHTTPClient(.post(Sample.tokenURL, form: Self.form, Sample.rotated))
    let result = try await run(http, terminal: terminal) { $0.client.binding = DPoPBinding(key: key) }
    #expect(result.tokens.refreshToken == Secret("refresh-2"))
    #expect(terminal.notes.all.count == 1 && terminal.notes.all[0].contains("--dpop"))
  }

  @Test func `a refusal is one, with the token hidden where the server repeats it`() async {
    let http = FakeHTTPClient(
      .post(Sample.tokenURL, form: Self.form, .error("invalid_grant", description: "given-1 is spent")))
    let error = await #expect(throws: TokenFailure.self) { try await run(http) }
    guard case .grantRefused(let said) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(said.description == "[redacted] is spent")
  }

  @Test func `who is interrupted while the server answers still gets the tokens`() async throws {
    let sent = AsyncStream<Void>.makeStream()
    let http = FakeHTTPClient(
      Exchange(.post, Sample.tokenURL, form: Self.form) { _ in
        sent.continuation.finish()
        try await Task.sleep(for: .milliseconds(50))
        return Sample.rotated
      })
    let login = Task { try await run(http) }
    for await _ in sent.stream {}
    login.cancel()
    #expect(try await login.value.tokens.refreshToken == Secret("refresh-2"))
  }
}

import Crypto
import Foundation
import OAuth
import TestSupport
import Testing

@testable import Flows

/// Logins by one request to the token endpoint.
struct DirectLoginTests {
  private static let service = ClientRegistration(id: "svc", secret: Secret("s"), method: .post)

  private func run(
    _ kind: DirectLogin.Kind, _ http: FakeHTTPClient, _ client: ClientRegistration = service,
    provider: Provider = Sample.provider(), _ change: (inout LoginPlan) -> Void = { _ in }
  ) async throws -> LoginResult {
    var plan = LoginPlan(client: Sample.client(client, at: provider), scopes: ["read", "write"])
    change(&plan)
    return try await DirectLogin(network: Sample.network(http), terminal: FakeTerminal()).run(plan, kind)
  }

  private static let reply = HTTPResponse.json(#"{"access_token":"a","expires_in":60,"refresh_token":"r"}"#)

  @Test func `client credentials stand, with their parameters, and without a refresh token`() async throws {
    let http = FakeHTTPClient(
      .post(
        Sample.tokenURL,
        form: [
          "grant_type": "client_credentials", "scope": "read write", "client_id": "svc", "client_secret": "s",
          "tenant": "t-1", "resource": "https://api.example/",
        ], Self.reply))
    let result = try await run(.clientCredentials, http) {
      $0.tokenParameters = [Parameter("tenant", "t-1")]
      $0.resources = ["https://api.example/"]
    }
    #expect(result.tokens.accessToken == Secret("a") && result.tokens.refreshToken == nil)
    let grant = try #require(result.grant)
    #expect(grant.kind == .clientCredentials && grant.parameters == ["tenant": "t-1"] && !grant.id.isEmpty)
  }

  @Test func `a parameter that is given twice is sent twice, now and again`() async throws {
    let twice = [Parameter("x", "1"), Parameter("a", "0"), Parameter("x", "2")]
    func sent(_ http: FakeHTTPClient) -> [Parameter] {
      FormEncoding.decode(http.requests[0].text).filter { $0.name == "x" || $0.name == "a" }
    }
    let http = FakeHTTPClient(.post(Sample.tokenURL, Self.reply))
    let grant = try #require(try await run(.clientCredentials, http) { $0.tokenParameters = twice }.grant)
    let expected = [Parameter("a", "0"), Parameter("x", "1"), Parameter("x", "2")]
    #expect(sent(http) == expected)
    let stored = try JSONDecoder().decode(StandingGrant.self, from: JSONEncoder().encode(grant))
    let again = RefreshHarness(
      try MemoryStore(
        Sample.expired {
          $0.tokens.refreshToken = nil
          $0.grant = stored
        }), FakeHTTPClient(.post(Sample.tokenURL, Self.reply)))
    _ = try await again.run()
    #expect(sent(again.http) == expected)
    // What the provider's grant has for a name gives way to all of them.
    let own = FakeHTTPClient(.post(Sample.tokenURL, Self.reply))
    _ = try await run(.extension(type: "t", parameters: ["x": "0", "a": "9"]), own) { $0.tokenParameters = twice }
    #expect(sent(own) == expected)
  }

  @Test func `a password is for once`() async throws {
    let http = FakeHTTPClient(
      .post(Sample.tokenURL, form: ["grant_type": "password", "username": "ada", "password": "p w"], Self.reply))
    let result = try await run(.password(username: "ada", password: Secret("p w")), http)
    #expect(result.grant == nil && result.tokens.refreshToken == Secret("r"))
  }

  @Test func `a server's echo of a password is not shown`() async {
    let http = FakeHTTPClient(.post(Sample.tokenURL, .error("invalid_grant", description: "hunter2-horse is wrong")))
    let error = await #expect(throws: TokenFailure.self) {
      try await run(.password(username: "ada", password: Secret("hunter2-horse")), http)
    }
    #expect(error?.serverError.description == "[redacted] is wrong")
  }

  @Test func `somebody else's assertion is for once, and needs no client`() async throws {
    let http = FakeHTTPClient(.post(Sample.tokenURL, form: ["assertion": "a.b.c", "scope": "read write"], Self.reply))
    let result = try await run(
      .assertion(Secret("a.b.c")), http, ClientRegistration(id: "", method: ClientAuthMethod.none))
    #expect(result.grant == nil && http.requests[0].form["client_id"] == nil)
  }

  private func assertion(holdsScope: Bool, audience: String? = nil) throws -> StandingGrant.Assertion {
    let key = try PrivateKey.generate(.p256)
    return StandingGrant.Assertion(
      issuer: "robot", subject: nil, audience: audience, key: ClientKey(pem: try key.pem(), keyID: "k1"),
      holdsScope: holdsScope)
  }

  @Test(arguments: [true, false]) func `an assertion is signed anew each time`(_ holdsScope: Bool) async throws {
    let kind = DirectLogin.Kind.signedAssertion(
      try assertion(holdsScope: holdsScope, audience: holdsScope ? "aud" : nil))
    let http = FakeHTTPClient(.post(Sample.tokenURL, Self.reply))
    let result = try await run(kind, http, ClientRegistration(id: "", method: ClientAuthMethod.none))
    #expect(result.grant?.kind == .jwtBearer && result.tokens.refreshToken == nil)
    let form = http.requests[0].form
    let sent = try #require(JWT.Parsed(Secret(form["assertion"] ?? "")))
    #expect(sent.claims["iss"] == .string("robot") && sent.claims["sub"] == nil && sent.header["kid"] == .string("k1"))
    #expect(sent.claims["aud"] == .string(holdsScope ? "aud" : Sample.tokenURL))
    #expect(sent.claims["scope"] == (holdsScope ? .string("read write") : nil))
    #expect(form["scope"] == (holdsScope ? nil : "read write"))
  }

  private func sign(
    for audience: String, sentTo endpoint: String, _ http: FakeHTTPClient, parameters: [Parameter] = []
  ) async throws -> LoginResult {
    let provider = Sample.provider { $0.endpoints?.token = endpoint }
    var plan = LoginPlan(client: Sample.client(at: provider), scopes: ["read"])
    plan.tokenParameters = parameters
    let kind = DirectLogin.Kind.signedAssertion(try assertion(holdsScope: true, audience: audience))
    return try await DirectLogin(network: Sample.network(http), terminal: FakeTerminal()).run(plan, kind)
  }

  private static let foreign = "https://oauth2.other.example/token"

  @Test func `what a service account signs is sent to no other server than the one that it is for`() async throws {
    let error = await #expect(throws: FlowError.self) {
      try await sign(for: Self.foreign, sentTo: Sample.tokenURL, FakeHTTPClient())
    }
    guard case .foreignAssertion(audience: "https://oauth2.other.example", _, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `a service account's own server gets it, a stand-in on this machine, and whom the user names`()
    async throws
  {
    func http(_ url: String) -> FakeHTTPClient { FakeHTTPClient(.post(url, Self.reply)) }
    _ = try await sign(for: "https://id.acme.example/t", sentTo: Sample.tokenURL, http(Sample.tokenURL))
    _ = try await sign(for: Self.foreign, sentTo: "http://127.0.0.1:9/token", http("http://127.0.0.1:9/token"))
    _ = try await sign(
      for: Self.foreign, sentTo: Sample.tokenURL, http(Sample.tokenURL),
      parameters: [Parameter("audience", Self.foreign)])
  }

  @Test func `a provider's own grant stands, and what was given wins over its data`() async throws {
    let http = FakeHTTPClient(
      .post(Sample.tokenURL, form: ["grant_type": "installed", "device_id": "mine", "x": "1"], Self.reply))
    let result = try await run(.extension(type: "installed", parameters: ["device_id": "", "x": "1"]), http) {
      $0.tokenParameters = [Parameter("device_id", "mine")]
    }
    #expect(result.grant?.type == "installed" && result.grant?.parameters == ["device_id": "mine", "x": "1"])
  }

  private static let jwt = "urn:ietf:params:oauth:token-type:jwt"
  private static let saml = "urn:ietf:params:oauth:token-type:saml1"

  private func exchange(_ issued: String?, wanted: String? = nil) async throws -> LoginResult {
    let member = issued.map { #","issued_token_type":"\#($0)""# } ?? ""
    let http = FakeHTTPClient(
      .post(
        Sample.tokenURL, form: ["subject_token": "s-1", "subject_token_type": Self.jwt, "scope": "read write"],
        .json(#"{"access_token":"a","token_type":"Bearer"\#(member)}"#)))
    let value = TokenExchange(
      subjectToken: Secret("s-1"), subjectTokenType: Self.jwt, requestedTokenType: wanted)
    return try await run(.tokenExchange(value), http)
  }

  @Test func `an exchanged token must be of the type that was asked for`() async throws {
    #expect(try await exchange(nil).grant == nil)
    #expect(try await exchange(Self.saml).tokens.issuedTokenType == Self.saml)
    #expect(try await exchange(TokenExchange.accessTokenType, wanted: Self.jwt).tokens.accessToken == Secret("a"))
    let error = await #expect(throws: TokenFailure.self) { try await exchange(Self.saml, wanted: Self.jwt) }
    guard case .notATokenReply(_, let reason) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason == "issued_token_type is '\(Self.saml)', expected '\(Self.jwt)'")
  }

  @Test func `an ID token must be the client's`() async throws {
    func login(_ token: Secret) async throws -> LoginResult {
      let reply = HTTPResponse.json(#"{"access_token":"a","id_token":"\#(token.reveal())"}"#)
      return try await run(
        .password(username: "u", password: Secret("p")), FakeHTTPClient(.post(Sample.tokenURL, reply)),
        provider: Sample.provider { $0.issuer = Sample.issuer }
      ) { $0.scopes = ["openid"] }
    }
    #expect(try await login(Sample.idToken(aud: "svc")).identity == "ada@example.com")
    let error = await #expect(throws: JWT.Mismatch.self) { try await login(Sample.idToken(aud: "other")) }
    #expect(error?.claim == "aud")
  }

  @Test func `an ID token that comes without a client is for nobody that is known, and left out`() async throws {
    let token = Sample.idToken(aud: "other")
    let reply = HTTPResponse.json(#"{"access_token":"a","id_token":"\#(token.reveal())"}"#)
    let provider = Sample.provider { $0.issuer = Sample.issuer }
    let client = Sample.client(ClientRegistration(id: "", method: ClientAuthMethod.none), at: provider)
    let terminal = FakeTerminal()
    let login = DirectLogin(
      network: Sample.network(FakeHTTPClient(.post(Sample.tokenURL, reply))), terminal: terminal)
    let result = try await login.run(LoginPlan(client: client, scopes: ["openid"]), .assertion(Secret("a.b.c")))
    #expect(result.tokens.accessToken == Secret("a") && result.tokens.idToken == nil)
    #expect(terminal.notes.all.count == 1 && terminal.notes.all.first?.contains("--client-id") == true)
  }

  @Test func `nothing is sent without the endpoint, or what authenticates the client`() async {
    let nowhere = await #expect(throws: FlowError.self) {
      try await run(.clientCredentials, FakeHTTPClient(), provider: Sample.provider { $0.endpoints?.token = nil })
    }
    guard case .noEndpoint(provider: "acme", endpoint: "token") = nowhere else {
      Issue.record("\(String(describing: nowhere))")
      return
    }
    let bare = ClientRegistration(id: "svc", method: .basic)
    let lacking = await #expect(throws: FlowError.self) { try await run(.clientCredentials, FakeHTTPClient(), bare) }
    guard case .noClientSecret(provider: "acme", clientID: "svc") = lacking else {
      Issue.record("\(String(describing: lacking))")
      return
    }
  }

  @Test func `a token that is bound to a key that is not ours is refused`() async {
    let reply = HTTPResponse.json(#"{"access_token":"a","token_type":"DPoP"}"#)
    let error = await #expect(throws: FlowError.self) {
      try await run(.clientCredentials, FakeHTTPClient(.post(Sample.tokenURL, reply)))
    }
    guard case .unexpectedTokenType(expected: "Bearer", got: "DPoP", provider: "acme") = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }
}

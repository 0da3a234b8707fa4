import Crypto
import Flows
import OAuth
import TestSupport
import Testing

struct AskAboutTokenTests {
  private static let userinfo = "https://id.acme.example/userinfo"
  private static let introspection = "https://id.acme.example/introspect"
  private static let jwks = "https://id.acme.example/jwks"

  private static func client(secret: Secret? = nil) -> RequestingClient {
    let provider = Sample.provider {
      $0.issuer = Sample.issuer
      $0.endpoints?.userinfo = userinfo
      $0.endpoints?.introspection = introspection
      $0.endpoints?.jwks = jwks
    }
    return RequestingClient(provider: provider, registration: ClientRegistration(id: "app", secret: secret))
  }

  private func ask(_ http: FakeHTTPClient) -> AskAboutToken { AskAboutToken(network: Network(asking: http)) }

  @Test func `the provider says who it is`() async throws {
    var client = Self.client()
    let http = FakeHTTPClient(.get(Self.userinfo, .json(#"{"sub":"ada","email":"a@x"}"#)))
    #expect(try await ask(http).userinfo(Sample.tokens(), as: &client, subject: "ada")["email"] == .string("a@x"))
    #expect(http.requests[0].headers("Authorization") == ["Bearer access-1"])
  }

  @Test func `for a signed answer, and for that alone, the keys are asked for`() async throws {
    let key = try PrivateKey.generate()
    let token = try JWT.sign(
      header: [:], claims: ["sub": .string("ada"), "iss": .string(Sample.issuer), "aud": .string("app")],
      key: .privateKey(key, keyID: "k"))
    let keys = #"{"keys":[\#(JSONWebKey(key.publicKey, keyID: "k").json.plainText)]}"#
    var client = Self.client()
    let http = FakeHTTPClient(.get(Self.userinfo, .text(token.reveal())), .get(Self.jwks, .json(keys)))
    #expect(try await ask(http).userinfo(Sample.tokens(), as: &client, subject: "ada")["sub"] == .string("ada"))
  }

  @Test func `a server that wants its nonce in the proof gets it, and it is kept`() async throws {
    var client = Self.client()
    client.binding = DPoPBinding(key: try PrivateKey.generate().pem())
    let wants = HTTPResponse(
      status: 401,
      headers: [
        HTTPHeader("WWW-Authenticate", #"DPoP error="use_dpop_nonce""#), HTTPHeader("DPoP-Nonce", "n-1"),
      ])
    let http = FakeHTTPClient(.get(Self.userinfo, wants), .get(Self.userinfo, .json(#"{"sub":"ada"}"#)))
    let tokens = Sample.tokens { $0.tokenType = "DPoP" }
    _ = try await ask(http).userinfo(tokens, as: &client, subject: nil)
    let proofs = http.requests.compactMap { $0.headers("DPoP").first.flatMap { JWT.Parsed(Secret($0)) } }
    #expect(proofs.map { $0.claims["nonce"] } == [nil, .string("n-1")])
    #expect(client.binding?.nonces == ["https://id.acme.example": "n-1"])
  }

  @Test func `the server says what a token is good for`() async throws {
    var client = Self.client(secret: Secret("s"))
    let http = FakeHTTPClient(
      .post(
        Self.introspection, form: ["token": "refresh-1", "token_type_hint": "refresh_token"],
        .json(#"{"active":true,"scope":"a"}"#)))
    let found = try await ask(http).introspection(Secret("refresh-1"), hint: "refresh_token", as: &client)
    #expect(found.isActive && found.scopes == ["a"])
  }

  @Test func `what a server echoes of a token is not shown`() async {
    var client = Self.client()
    let reply = HTTPResponse.error("invalid_token", status: 401, description: "access-1-long-enough is no token")
    let token = Secret("access-1-long-enough")
    let first = await #expect(throws: Introspection.Failure.self) {
      try await ask(FakeHTTPClient(.post(Self.introspection, reply))).introspection(token, as: &client)
    }
    let tokens = Sample.tokens { $0.accessToken = token }
    let second = await #expect(throws: Userinfo.Failure.self) {
      try await ask(FakeHTTPClient(.get(Self.userinfo, reply))).userinfo(tokens, as: &client, subject: nil)
    }
    #expect(!"\(first as Any) \(second as Any)".contains("long-enough"))
  }

  @Test func `a provider without the endpoint is told`() async {
    var client = RequestingClient(provider: Sample.provider(), registration: ClientRegistration(id: "app"))
    await #expect(throws: FlowError.self) {
      try await ask(FakeHTTPClient()).userinfo(Sample.tokens(), as: &client, subject: nil)
    }
    await #expect(throws: FlowError.self) {
      try await ask(FakeHTTPClient()).introspection(Secret("t"), as: &client)
    }
  }
}

import Crypto
import Foundation
import OAuth
import TestSupport
import Testing

@testable import Flows

/// Where the browser is sent: with the request, a signed object in its place, or a reference to what was pushed.
@Suite(.timeLimit(.minutes(1))) struct AuthorizationAddressTests {
  private static let parURL = "https://id.acme.example/par"
  private static let pushed = HTTPResponse.json(#"{"request_uri":"urn:x:1","expires_in":60}"#, status: 201)

  private static let pending = PendingAuthorization(
    random: Sample.random(96), method: .s256, usesOpenID: false, redirectURI: "http://127.0.0.1:4711/callback",
    issuer: Sample.issuer, requiresIssuer: false)

  private func plan(_ change: (inout LoginPlan) -> Void) -> LoginPlan {
    let provider = Sample.provider { provider in
      provider.issuer = Sample.issuer
      provider.endpoints?.pushedAuthorizationRequest = Self.parURL
    }
    return LoginHarness.plan(provider, change)
  }

  private func address(_ plan: LoginPlan, _ http: FakeHTTPClient = FakeHTTPClient()) async throws -> (String, LoginPlan)
  {
    let sent = try await BrowserLogin(
      network: Sample.network(http), listeners: FakeListeners(), browser: nil, terminal: FakeTerminal()
    ).address(Self.pending, plan)
    return (sent.url, sent.plan)
  }

  private func key(_ plan: inout LoginPlan, _ curve: EllipticCurve = .p256) throws -> PublicKey {
    let key = try PrivateKey.generate(curve)
    plan.client.registration.key = ClientKey(pem: try key.pem(), keyID: "k-1")
    plan.client.registration.method = ClientAuthMethod.none
    return key.publicKey
  }

  @Test func `a plain request is in the address, resources and all`() async throws {
    let (url, _) = try await address(
      plan { plan in
        plan.resources = ["https://a/", "https://b/"]
        plan.authorizationParameters = [Parameter("prompt", "login")]
      })
    #expect(url.hasPrefix("https://id.acme.example/authorize?response_type=code&client_id=app&"))
    #expect(url.query.filter { $0.name == "resource" }.map(\.value) == ["https://a/", "https://b/"])
    #expect(url.parameter("prompt") == "login" && url.parameter("state") == LoginHarness.state)
  }

  @Test func `a pushed request leaves the client and a reference in the address`() async throws {
    let http = FakeHTTPClient(
      .post(Self.parURL, form: ["response_type": "code", "client_id": "app", "state": LoginHarness.state], Self.pushed))
    let (url, _) = try await address(plan { $0.pushesRequest = true }, http)
    #expect(url == "https://id.acme.example/authorize?client_id=app&request_uri=urn%3Ax%3A1")
  }

  @Test func `a pushed request is authenticated and proved, and the nonce goes on with the plan`() async throws {
    let nonce = HTTPHeader("DPoP-Nonce", "n-1")
    let http = FakeHTTPClient(
      .post(Self.parURL, .json(#"{"error":"use_dpop_nonce"}"#, status: 400, headers: [nonce])),
      .post(Self.parURL, form: ["client_secret": "s"], Self.pushed))
    var plan = plan { $0.pushesRequest = true }
    plan.client.registration.secret = Secret("s")
    plan.client.registration.method = .post
    let key = try PrivateKey.generate()
    plan.client.binding = DPoPBinding(key: try key.pem())
    let (_, sent) = try await address(plan, http)
    #expect(sent.client.binding?.nonces == ["https://id.acme.example": "n-1"])
    #expect(http.requests[1].form["dpop_jkt"] == DPoP.thumbprint(of: key.publicKey))
    let proofs = http.requests.compactMap { $0.headers("DPoP").first.flatMap { JWT.Parsed(Secret($0)) } }
    #expect(proofs.map { $0.claims["nonce"] } == [nil, .string("n-1")])
  }

  @Test func `a server that can do with no proof here is left the key's name`() async throws {
    let http = FakeHTTPClient(
      .post(Self.parURL, .error("invalid_dpop_proof", status: 403)), .post(Self.parURL, Self.pushed))
    var plan = plan { $0.pushesRequest = true }
    plan.client.binding = DPoPBinding(key: try PrivateKey.generate().pem())
    _ = try await address(plan, http)
    #expect(http.requests.map { $0.headers("DPoP").count } == [1, 0] && http.requests[1].form["dpop_jkt"] != nil)
  }

  @Test func `without a key of its own a refused proof is not asked about again`() async throws {
    let http = FakeHTTPClient(.post(Self.parURL, .error("invalid_dpop_proof")))
    let failure = await #expect(throws: TokenFailure.self) { try await address(plan { $0.pushesRequest = true }, http) }
    #expect(failure?.serverError.shown == ServerError.Shown(method: .none, isBound: false))
  }

  @Test func `a refused request is told without what was secret in it`() async throws {
    let words = "state \(LoginHarness.state) is bad"
    let http = FakeHTTPClient(.post(Self.parURL, .error("invalid_request", description: words)))
    let failure = await #expect(throws: TokenFailure.self) { try await address(plan { $0.pushesRequest = true }, http) }
    #expect(failure?.serverError.code == "invalid_request")
    #expect(failure?.serverError.description?.contains(LoginHarness.state) == false)
  }

  @Test func `a signed request is one object, with what OpenID Connect wants beside it`() async throws {
    var plan = plan { plan in
      plan.signsRequest = true
      plan.authorizationParameters = [Parameter("max_age", "60")]
    }
    let publicKey = try key(&plan)
    let (url, _) = try await address(plan)
    #expect(url.query.map(\.name) == ["response_type", "client_id", "scope", "request"])
    let object = try #require(url.parameter("request").flatMap { JWT.Parsed(Secret($0)) })
    #expect(object.header["kid"] == .string("k-1") && object.claims["aud"] == .string(Sample.issuer))
    #expect(object.claims["state"] == .string(LoginHarness.state) && object.claims["max_age"] == .integer(60))
    try object.checkSignature(keys: JSONWebKeySet(keys: [JSONWebKey(publicKey, keyID: "k-1")]))
  }

  @Test func `a signed request that is pushed has the client alone beside it`() async throws {
    let http = FakeHTTPClient(.post(Self.parURL, Self.pushed))
    var plan = plan { ($0.signsRequest, $0.pushesRequest) = (true, true) }
    _ = try key(&plan)
    let (url, _) = try await address(plan, http)
    #expect(url.query.map(\.name) == ["client_id", "request_uri"])
    #expect(Set(http.requests[0].form.keys) == ["request", "client_id"])
  }

  @Test func `what is missing is told before anything is sent`() async {
    let unsigned = await #expect(throws: FlowError.self) { try await address(plan { $0.signsRequest = true }) }
    guard case .noClientKey(provider: "acme", clientID: "app") = unsigned else {
      Issue.record("\(String(describing: unsigned))")
      return
    }
    let nowhere = await #expect(throws: FlowError.self) {
      try await address(LoginHarness.plan { $0.pushesRequest = true })
    }
    guard case .noEndpoint(provider: "acme", endpoint: "pushed_authorization_request") = nowhere else {
      Issue.record("\(String(describing: nowhere))")
      return
    }
  }

  @Test func `what a code is redeemed with is looked for before a person is sent for one`() async throws {
    var plan = LoginHarness.plan()
    plan.client.registration.method = .privateKeyJWT
    let harness = LoginHarness()
    let error = await #expect(throws: FlowError.self) { try await harness.run(plan) }
    guard case .noClientKey(provider: "acme", clientID: "app") = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `scopes are repeated with the code where the provider's data says so`() async throws {
    for (steps, sent) in [([ScopeStep.code], "read"), ([.refresh], nil)] as [([ScopeStep], String?)] {
      var harness = LoginHarness(http: FakeHTTPClient(LoginHarness.exchange()))
      harness.browser = LoginHarness.willing(harness.listener)
      _ = try await harness.run(LoginHarness.plan(Sample.provider(quirks: { $0.scopeOn = steps })))
      #expect(harness.http.requests[0].form["scope"] == sent)
    }
  }
}

import Crypto
import OAuth
import TestSupport
import Testing

@testable import Commands
@testable import Flows

/// Which grant a login uses, and what that means for the rest of it.
struct LoginFlowTests {
  private func named(_ words: String...) throws -> String? {
    try LoginFlow.named(try CommandHarness.invocation(["login", "acme"] + words))
  }

  static let owners: [(words: [String], flow: String?)] = [
    ([], nil), (["--flow", "device"], "device"), (["--assertion-file", "f"], "jwt-bearer"),
    (["--assertion-issuer", "i"], "jwt-bearer"), (["--assertion-subject", "s"], "jwt-bearer"),
    (["--subject-token-file", "f"], "token-exchange"), (["--actor-token-file", "f"], "token-exchange"),
    (["--username", "u"], "password"), (["--password-file", "f"], "password"),
    (["--flow", "password", "--username", "u"], "password"), (["--flow", "own"], "own"),
  ]

  @Test(arguments: owners) func `an option of one grant means that grant`(_ row: (words: [String], flow: String?))
    throws
  {
    let invocation = try CommandHarness.invocation(["login", "acme"] + row.words)
    #expect(try LoginFlow.named(invocation) == row.flow)
  }

  @Test func `an option of another grant than the one that is named is a mistake`() {
    let failure = #expect(throws: Failure.self) { try named("--flow", "device", "--username", "u") }
    #expect(failure?.exitCode == 64 && failure?.message == "--username does not go with --flow device")
    #expect(failure?.hint == "it belongs to --flow password")
  }

  static let usual: [Named<(Provider, String)>] = [
    Named("an issuer", (Sample.provider { $0.issuer = Sample.issuer }, "code")),
    Named("code and device", (Sample.provider { $0.flows = [.device, .code] }, "code")),
    Named("nothing else", (Sample.provider { $0.flows = [.device] }, "device")),
    Named("a service", (Sample.provider { $0.flows = [.clientCredentials, .jwtBearer] }, "client-credentials")),
    Named("nothing said", (Provider(name: "acme"), "code")),
  ]

  @Test(arguments: usual) func `by default it is the code's, else the provider's first`(
    _ row: Named<(Provider, String)>
  ) {
    #expect(LoginFlow.usual(row.value.0) == row.value.1)
  }

  private func make(_ name: String, _ provider: Provider, _ words: String...) throws -> LoginFlow {
    let harness = try CommandHarness()
    let invocation = try CommandHarness.invocation(["login", "acme"] + words)
    return try LoginFlow.make(name, provider, invocation, harness.environment(invocation, output: .silent))
  }

  private let own = Sample.provider {
    $0.grants = ["account": ExtensionGrant(grantType: "account_credentials", params: ["account_id": "", "x": "1"])]
  }

  @Test func `a grant of the provider's own needs the values that its data leaves empty`() throws {
    let failure = #expect(throws: Failure.self) { try make("account", own) }
    #expect(failure?.exitCode == 64 && failure?.hint == "give it with --token-param account_id=VALUE")
    guard
      case .direct(.extension(type: "account_credentials", let parameters)) = try make(
        "account", own, "--token-param", "account_id=a")
    else {
      Issue.record("another grant")
      return
    }
    #expect(parameters == ["account_id": "", "x": "1"])
  }

  @Test func `a flow that nobody has is told the nearest, or all`() {
    let near = #expect(throws: Failure.self) { try make("acount", own) }
    #expect(
      near?.exitCode == 64 && near?.message == "acme has no flow 'acount'" && near?.hint == "did you mean 'account'?")
    let far = #expect(throws: Failure.self) { try make("zzzz", own) }
    #expect(far?.hint?.hasPrefix("there is code, device, ") == true && far?.hint?.hasSuffix(", account") == true)
  }

  private func plan(_ change: (inout LoginPlan) -> Void = { _ in }) -> LoginPlan {
    var plan = LoginPlan(client: Sample.client(), scopes: ["openid", "email", "offline_access", "read"])
    change(&plan)
    return plan
  }

  @Test func `a client asks for no person, all others for what there is`() {
    for (flow, scopes) in [
      (LoginFlow.direct(.clientCredentials), ["read"]), (.code, plan().scopes), (.device, plan().scopes),
      (.direct(.password(username: "u", password: Secret("p"))), plan().scopes),
    ] {
      var plan = plan()
      flow.adapt(&plan)
      #expect(plan.scopes == scopes && !plan.isImplicit)
    }
    var implicit = plan()
    LoginFlow.implicit.adapt(&implicit)
    #expect(implicit.isImplicit)
  }

  @Test func `the audience of an assertion is no parameter too, that of a provider's own is`() {
    let assertion = StandingGrant.Assertion(
      issuer: "i", subject: nil, audience: "https://as", key: ClientKey(pem: Secret("k")), holdsScope: false)
    var plan = plan { $0.tokenParameters = [Parameter("audience", "https://as"), Parameter("x", "1")] }
    LoginFlow.direct(.signedAssertion(assertion)).adapt(&plan)
    #expect(plan.tokenParameters == [Parameter("x", "1")])
    plan.tokenParameters = [Parameter("audience", "api")]
    LoginFlow.direct(.signedAssertion(assertion)).adapt(&plan)
    #expect(plan.tokenParameters == [Parameter("audience", "api")])
  }

  private static let metadata = #"""
    {"issuer":"https://id.acme.example","authorization_endpoint":"https://id.acme.example/authorize",
    "token_endpoint":"https://id.acme.example/token","grant_types_supported":["authorization_code","password",
    "urn:ietf:params:oauth:grant-type:device_code","urn:ietf:params:oauth:grant-type:token-exchange"]}
    """#

  static let foreign: [Named<any Error>] = [
    Named("no such grant", TokenFailure.clientRefused(ServerError(code: "unsupported_grant_type"))),
    Named("no right", TokenFailure.clientRefused(ServerError(code: "unauthorized_client"))),
    Named("no response type", FlowError.callback(.server(ServerError(code: "unsupported_response_type")))),
    Named("no endpoint", FlowError.noEndpoint(provider: "acme", endpoint: "device_authorization")),
    Named("no word", TokenFailure.grantRefused(ServerError(status: 400))),
  ]

  @Test(arguments: foreign) func `the grant that would work is named`(_ row: Named<any Error>) throws {
    let metadata = try ServerMetadata(parsing: Self.metadata)
    let failure = LoginFlow.direct(.clientCredentials).failure(row.value, "acme/work", Sample.client(), metadata)
    #expect(failure?.kind == .configuration)
    // The device's endpoint is not known, whatever the server says of the grant.
    #expect(failure?.hint == "try 'oauthctl login acme/work --flow code'; it has password, token-exchange, too")
  }

  @Test func `without metadata the provider's data tells, and where that has nothing else, nothing is said`() {
    let error = TokenFailure.clientRefused(ServerError(code: "unsupported_grant_type"))
    let both = Sample.provider { $0.flows = [.code, .password] }
    #expect(
      LoginFlow.code.failure(error, "acme", Sample.client(at: both), nil)?.hint
        == "try 'oauthctl login acme --flow password'")
    #expect(
      LoginFlow.code.failure(error, "acme", Sample.client(at: Sample.provider { $0.flows = [.code] }), nil) == nil)
  }

  /// A client that has shown something, at a provider with two grants.
  private static func client(_ method: ClientAuthMethod, _ flows: [Flow]? = nil) -> RequestingClient {
    let provider = Sample.provider {
      $0.clientAuth = method
      $0.flows = flows
    }
    return RequestingClient(
      provider: provider, registration: ClientRegistration(id: "app", secret: Secret("s-1"), method: method))
  }

  static let wrongSecrets: [Named<TokenFailure>] = [
    Named("no right", .clientRefused(ServerError(status: 400, code: "unauthorized_client"))),
    Named("400", .grantRefused(ServerError(status: 400))), Named("401", .grantRefused(ServerError(status: 401))),
    Named("403 with words", .grantRefused(ServerError(status: 403, description: "no"))),
    Named("401 before a grant was sent", .clientRefused(ServerError(status: 401))),
  ]

  @Test(arguments: wrongSecrets) func `what a client has shown is looked at first`(_ row: Named<TokenFailure>) throws {
    let metadata = try ServerMetadata(parsing: Self.metadata)
    let offered = LoginFlow.code.failure(row.value, "acme", Self.client(.basic), metadata)
    #expect(offered?.kind == .configuration)
    #expect(
      offered?.hint?.hasPrefix("check client id and secret") == true && offered?.hint?.contains("--flow") == false)
    let key = LoginFlow.code.failure(row.value, "acme", Self.client(.privateKeyJWT), metadata)
    #expect(key?.kind == .configuration && key?.hint?.contains("'oauthctl login acme --private-key-file FILE'") == true)
    // Nothing is said of grants here, so nothing is known of them.
    let silent = LoginFlow.direct(.clientCredentials).failure(row.value, "acme", Self.client(.post), nil)
    #expect(silent?.hint?.contains("--flow") == false && silent?.kind == .configuration)
    #expect(silent?.hint?.hasSuffix("the client may use this grant") == (row.value.serverError.code != nil))
  }

  @Test(arguments: wrongSecrets) func `another grant comes after that, where this one is known to be missing`(
    _ row: Named<TokenFailure>
  ) throws {
    let metadata = try ServerMetadata(parsing: Self.metadata)
    let (service, client) = (LoginFlow.direct(.clientCredentials), Self.client(.basic))
    for failure in [
      service.failure(row.value, "acme", client, metadata),
      service.failure(row.value, "acme", Self.client(.basic, [.code]), nil),
    ] {
      let hint = try #require(failure?.hint)
      #expect(failure?.kind == .configuration && hint.hasPrefix("check client id and secret"))
      #expect(hint.contains("this grant is not offered: try 'oauthctl login acme --flow code'"))
    }
  }

  @Test func `what a grant brings of its own is named beside the client`() {
    let bare = TokenFailure.clientRefused(ServerError(status: 401))
    let password = LoginFlow.direct(.password(username: "u", password: Secret("p")))
    #expect(
      password.failure(bare, "acme", Self.client(.basic), nil)?.hint?.hasSuffix("the name and the password") == true)
    // A refused password is the person's matter; who has shown nothing has the grant refused.
    let refused = TokenFailure.grantRefused(ServerError(status: 401))
    #expect(password.failure(refused, "acme", Self.client(.basic), nil) == nil)
    #expect(password.failure(bare, "acme", Self.client(.none), nil) == nil)
    // Where it was the grant, it was the person's word: 77, see LoginRefusal.
    #expect(
      password.failure(TokenFailure.grantRefused(ServerError(status: 403)), "acme", Self.client(.basic), nil) == nil)
  }

  @Test func `a client that has shown no secret is told how to give one`() {
    let said = TokenFailure.clientRefused(ServerError(status: 401, code: "invalid_client"))
    let failure = LoginFlow.code.failure(said, "acme", Self.client(.none), nil)
    #expect(
      failure?.exitCode == 78
        && failure?.hint?.contains("'oauthctl login acme --client-secret-file FILE'") == true)
    #expect(LoginFlow.code.failure(said, "acme", Self.client(.basic), nil) == nil)
  }

  @Test func `any other failure is what it is`() throws {
    let metadata = try ServerMetadata(parsing: Self.metadata)
    for error in [
      TokenFailure.clientRefused(ServerError(code: "invalid_client")),
      .grantRefused(ServerError(status: 400, code: "invalid_grant")), .transient(ServerError(), retryAfter: nil),
    ] as [TokenFailure] {
      #expect(LoginFlow.direct(.clientCredentials).failure(error, "acme", Self.client(.basic), metadata) == nil)
    }
    // A grant that the server does have was refused for a reason of its own.
    let silent = TokenFailure.grantRefused(ServerError(status: 400))
    #expect(LoginFlow.code.failure(silent, "acme", Sample.client(), metadata) == nil)
  }
}

extension ServerMetadata {
  /// Metadata of the sample issuer.
  init(parsing text: String) throws {
    self = try Discovery.validate(.json(text), url: Sample.issuer, issuer: Sample.issuer)
  }
}

import Crypto
import OAuth
import TestSupport
import Testing

@testable import Commands
@testable import Flows

/// What a login takes over from the account's former one.
struct LoginAgainTests {
  /// A provider file as it was, the session of a login with it, and the options of the next one.
  private func filled(
    _ now: Provider, _ stored: Session, isUsersOwn: Bool = true, place: LoginTarget.Place? = nil, _ words: String...,
    files: [String: Secret] = [:]
  ) throws -> (options: LoginOptions, taken: [String]) {
    let invocation = try CommandHarness.invocation(["login", "acme/work"] + words)
    let environment = try CommandHarness(files: files).environment(invocation, output: .silent)
    var options = try LoginOptions(invocation, environment)
    let target = LoginTarget(provider: now, account: Sample.account, place: place, isUsersOwn: isUsersOwn)
    var again = LoginAgain(stored, target, invocation)
    again.fill(&options, isClientNamed: false)
    return (options, again.taken)
  }

  private static let plain = Sample.provider {
    ($0.clientID, $0.scopes) = ("app", ["read", "write"])
  }

  private func session(_ provider: Provider = plain, _ change: (inout Session) -> Void = { _ in }) -> Session {
    Sample.session(provider: provider, change)
  }

  @Test func `a login without options of its own leaves nothing to take over`() throws {
    let (options, taken) = try filled(Self.plain, session())
    #expect(taken == [] && options.scopes == nil && options.flow == nil && !options.bindsTokens)
    #expect(!options.isForOtherServer)
  }

  private static func rich(_ session: inout Session) {
    session.clientID = "other"
    session.requestedScopes = ["mail"]
    session.resources = ["https://api.example/"]
    session.audience = "api"
    session.binding = DPoPBinding(key: Secret("k"))
    var choices = LoginChoices()
    (choices.flow, choices.ports, choices.pushesRequest, choices.signsRequest) = ("code", [8085], true, true)
    choices.skipsPKCE = true
    choices.authorizationParameters = [Parameter("access_type", "offline")]
    choices.tokenParameters = [Parameter("tenant", "t")]
    choices.headers = ["X-Key"]
    session.provider.headers = ["X-Key": "v"]
    session.choices = choices
  }

  @Test func `what the former login chose is taken over, and told as options`() throws {
    let (options, taken) = try filled(Self.plain, session(Self.plain, Self.rich))
    #expect(
      taken == [
        "--scope mail", "--dpop", "--par", "--sign-request", "--no-pkce", "--port 8085",
        "--resource https://api.example/", "--audience api", "--param access_type=…", "--token-param tenant=…",
        "--header X-Key=…", "--client-id other",
      ])
    #expect(options.scopes == ["mail"] && options.bindsTokens && options.pushesRequest && options.signsRequest)
    #expect(options.skipsPKCE && options.ports == [8085] && options.resources == ["https://api.example/"])
    #expect(
      options.authorizationParameters == [Parameter("audience", "api"), Parameter("access_type", "offline")])
    #expect(options.tokenParameters == [Parameter("audience", "api"), Parameter("tenant", "t")])
    #expect(options.headers == [Parameter("X-Key", "v")])
  }

  @Test func `how the client authenticates is taken over for that client, with what it had`() throws {
    func method(_ now: Provider = Self.plain, _ words: String...) throws -> ClientAuthMethod? {
      let former = session { session in
        session.choices = LoginChoices()
        session.choices?.clientAuth = .post
      }
      let invocation = try CommandHarness.invocation(["login", "acme/work"] + words)
      let environment = try CommandHarness(files: ["f": Secret("s")]).environment(invocation, output: .silent)
      var options = try LoginOptions(invocation, environment)
      let target = LoginTarget(provider: now, account: Sample.account, isUsersOwn: true)
      var again = LoginAgain(former, target, invocation)
      again.fill(&options, isClientNamed: false)
      return options.clientAuth
    }
    #expect(try method() == .post && method(Self.plain, "--client-id", "app") == .post)
    #expect(try method(Self.plain, "--client-id", "other") == nil)
    #expect(try method(Self.plain, "--client-secret-file", "f") == nil)
    #expect(try method(Self.plain, "--client-auth", "basic") == .basic)
    var edited = Self.plain
    edited.clientID = "third"
    #expect(try method(edited) == nil)
  }

  @Test func `an option that is given wins`() throws {
    let (options, taken) = try filled(
      Self.plain, session(Self.plain, Self.rich), "--scope", "read", "--client-id", "mine", "--resource", "urn:r",
      "--audience", "b", "--param", "access_type=online", "--token-param", "tenant=u", "--header", "X-Key=w", "--port",
      "9000", "--par", "--sign-request", "--no-pkce", "--dpop")
    #expect(taken == [] && options.scopes == ["read"] && options.clientID == "mine" && options.ports == [9000])
    #expect(options.tokenParameters == [Parameter("audience", "b"), Parameter("tenant", "u")])
    #expect(options.headers == [Parameter("X-Key", "w")] && options.resources == ["urn:r"])
  }

  @Test func `what the user has changed in the file since wins`() throws {
    let edited = Sample.provider {
      ($0.clientID, $0.scopes, $0.flows, $0.dpop) = ("new", ["write"], [.code, .device], false)
      ($0.audience, $0.resource, $0.par, $0.requestObject) = ("c", ["urn:s"], false, false)
      $0.redirect = Redirect(port: [1])
    }
    let stored = session(Self.plain) {
      Self.rich(&$0)
      $0.choices?.flow = "device"
    }
    let (options, taken) = try filled(edited, stored)
    #expect(
      taken == ["--no-pkce", "--param access_type=…", "--token-param tenant=…", "--header X-Key=…"])
    #expect(options.scopes == nil && options.flow == nil && !options.bindsTokens && options.resources.isEmpty)
  }

  @Test func `a new catalogue is no wish of the user's`() throws {
    let renewed = Sample.provider { $0.scopes = ["write"] }
    #expect(
      try filled(renewed, session { $0.requestedScopes = ["mail"] }, isUsersOwn: false).options.scopes == ["mail"])
  }

  static let servers: [Named<(Provider, Provider)>] = [
    Named(
      "another issuer",
      (Sample.provider { $0.issuer = Sample.issuer }, Sample.provider { $0.issuer = "https://evil.example" })),
    Named(
      "another token endpoint",
      (Sample.provider(), Sample.provider { $0.endpoints?.token = "https://evil.example/token" })),
    Named(
      "another token endpoint of the same issuer",
      (
        Sample.provider { $0.issuer = Sample.issuer },
        Sample.provider {
          $0.issuer = Sample.issuer
          $0.endpoints?.token = "https://evil.example/token"
        }
      )),
    Named(
      "another variable",
      (
        Sample.provider {
          $0.variables = ["host": "id.acme.example"]
          $0.issuer = Sample.issuer
        },
        Sample.provider {
          $0.variables = ["host": "evil.example"]
          $0.issuer = "https://{host}"
        }
      )),
  ]

  @Test(arguments: servers) func `nothing is taken over to another server`(_ row: Named<(Provider, Provider)>) throws {
    let stored = session(row.value.0) {
      Self.rich(&$0)
      // Of the file's own variable nothing is remembered.
      $0.choices?.variables = []
    }
    let (options, taken) = try filled(row.value.1, stored)
    #expect(options.isForOtherServer && taken == [] && options.headers.isEmpty && options.scopes == nil)
  }

  @Test func `of a resource, whose server is not known yet, only what is of no use to another is taken over`() throws {
    let stored = session(Self.plain) {
      Self.rich(&$0)
      $0.provider.resource = ["https://mcp.example/"]
    }
    let place = LoginTarget.Place(url: "https://mcp.example/", isIssuerLikely: false)
    let (options, taken) = try filled(Provider(name: "acme"), stored, isUsersOwn: false, place: place)
    #expect(taken == ["--scope mail", "--dpop", "--par", "--sign-request", "--no-pkce", "--port 8085"])
    #expect(options.headers.isEmpty && options.tokenParameters.isEmpty && !options.isForOtherServer)
  }

  @Test func `variables are what leads to the same server`() throws {
    let now = Sample.provider {
      $0.issuer = "https://{host}/{realm}"
      $0.variables = ["host": "id.example"]
    }
    let before = Sample.provider {
      $0.issuer = "https://id.example/r1"
      $0.variables = ["host": "id.example", "realm": "r1", "gone": "g"]
    }
    let (options, taken) = try filled(now, session(before) { $0.requestedScopes = ["mail"] })
    #expect(options.variables == ["realm": "r1"] && taken == ["--var realm=r1", "--scope mail"])
    #expect(try filled(now, session(before), "--var", "realm=r2").options.isForOtherServer)
  }

  private static let assertion = StandingGrant.Assertion(
    issuer: "robot", subject: "ada", audience: nil, key: ClientKey(pem: Secret("k")), holdsScope: false)

  static let flows: [Named<(StandingGrant?, String?, String?)>] = [
    Named("nobody chose one", (nil, nil, nil)), Named("device", (nil, "device", "device")),
    Named("a person's password", (nil, "password", "password")),
    Named("an exchange", (nil, "token-exchange", "token-exchange")),
    Named("an older session's client", (StandingGrant(id: "1", kind: .clientCredentials), nil, "client-credentials")),
    Named(
      "an older session's key", (StandingGrant(id: "1", kind: .jwtBearer, assertion: assertion), nil, "jwt-bearer")),
    Named("a grant of the provider's own", (StandingGrant(id: "1", kind: .extension, type: "urn:x"), nil, "own")),
    Named("a grant that is no more", (StandingGrant(id: "1", kind: .extension, type: "urn:y"), "gone", nil)),
  ]

  @Test(arguments: flows) func `the grant is taken over`(_ row: Named<(StandingGrant?, String?, String?)>) throws {
    let provider = Sample.provider {
      $0.grants = ["own": ExtensionGrant(grantType: "urn:x")]
      $0.scopes = ["read", "write"]
    }
    let stored = session(provider) {
      $0.grant = row.value.0
      $0.choices = LoginChoices()
      $0.choices?.flow = row.value.1
    }
    let (options, taken) = try filled(provider, stored)
    #expect(options.flow == row.value.2 && taken == (row.value.2.map { ["--flow \($0)"] } ?? []))
    #expect(options.formerGrant.assertion == (row.value.2 == "jwt-bearer" ? Self.assertion : nil))
    #expect(try filled(provider, stored, "--flow", "implicit").options.flow == "implicit")
  }

  @Test func `a key that is given now signs in the place of the former one`() throws {
    let pem = try PrivateKey.generate(.p256).pem()
    let stored = session {
      $0.grant = StandingGrant(id: "1", kind: .jwtBearer, assertion: Self.assertion)
      $0.clientID = "robot-client"
    }
    let (options, _) = try filled(Self.plain, stored, "--private-key-file", "f", files: ["f": pem])
    #expect(options.formerGrant.assertion?.key.pem == pem && options.formerGrant.hasNewKey && options.clientKey == nil)
    #expect(options.formerGrant.assertion?.issuer == "robot" && options.clientID == "robot-client")
    let clients = try filled(
      Self.plain, stored, "--private-key-file", "f", "--client-auth", "private-key-jwt", files: ["f": pem]
    ).options
    #expect(clients.clientKey?.pem == pem && clients.formerGrant.assertion == Self.assertion)
  }

  @Test func `a client asks for no person where it takes over a person's scopes`() throws {
    let stored = session { $0.requestedScopes = ["openid", "email", "mail"] }
    #expect(try filled(Self.plain, stored, "--flow", "client-credentials").options.scopes == ["mail"])
    #expect(try filled(Self.plain, stored).options.scopes == ["openid", "email", "mail"])
  }

  @Test func `nothing is bound in a redirect, whatever was before`() throws {
    let (options, taken) = try filled(Self.plain, session(Self.plain, Self.rich), "--flow", "implicit")
    #expect(!options.bindsTokens && !options.skipsPKCE && !taken.contains("--dpop"))
  }
}

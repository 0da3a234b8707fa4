import Crypto
import Flows
import OAuth
import TestSupport
import Testing

@testable import Commands

struct RegistrationPlanTests {
  private static let redirect = "http://127.0.0.1:8085/callback"

  private func plan(
    _ flow: LoginFlow = .code, methods: String? = nil, endpoints: String = "", _ options: String...,
    change: (inout RegistrationPlan) -> Void = { _ in }
  ) async throws -> ClientMetadata? {
    let listed = methods.map { #","token_endpoint_auth_methods_supported":\#($0)"# } ?? ""
    let document =
      #"{"issuer":"\#(Sample.issuer)","authorization_endpoint":"https://id.acme.example/a","token_endpoint":"https://id.acme.example/t","revocation_endpoint":"https://id.acme.example/r","registration_endpoint":"https://id.acme.example/c"\#(listed)\#(endpoints)}"#
    let http = FakeHTTPClient(.get(Sample.issuer + "/.well-known/openid-configuration", .json(document)))
    var provider = Provider(name: "acme")
    provider.issuer = Sample.issuer
    let found = try await DiscoverProvider(network: Sample.network(http)).complete(provider, needs: [.registration])
    let invocation = try CommandHarness.invocation(["login", "acme"] + options)
    let environment = try CommandHarness(files: ["t": Secret("iat"), "s": Secret("statement")]).environment(
      invocation, output: .silent)
    var plan = RegistrationPlan(
      options: try RegistrationOptions(invocation, environment), found: found, flow: flow, scopes: ["read"])
    change(&plan)
    return try plan.plan(redirectURI: Self.redirect)?.metadata
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let offered: String?
    let code: String
    let credentials: String
    var testDescription: String { offered ?? "nothing is said" }
  }

  static let methods = [
    Row(offered: nil, code: "none", credentials: "client_secret_basic"),
    Row(offered: #"["client_secret_post","none"]"#, code: "none", credentials: "client_secret_post"),
    Row(
      offered: #"["client_secret_post","client_secret_basic"]"#, code: "client_secret_basic",
      credentials: "client_secret_basic"),
    Row(offered: #"["client_secret_jwt"]"#, code: "client_secret_jwt", credentials: "client_secret_jwt"),
    Row(offered: #"["tls_client_auth"]"#, code: "none", credentials: "client_secret_basic"),
  ]

  @Test(arguments: methods) func `a client keeps no secret where the server has public ones and the grant allows it`(
    _ row: Row
  ) async throws {
    #expect(try await plan(methods: row.offered)?.authMethod == row.code)
    #expect(try await plan(.direct(.clientCredentials), methods: row.offered)?.authMethod == row.credentials)
  }

  @Test func `what the user wants goes before that`() async throws {
    #expect(try await plan(change: { $0.method = .post })?.authMethod == "client_secret_post")
  }

  @Test func `each grant is registered with what it uses`() async throws {
    let code = try await plan()
    #expect(code?.grantTypes == ["authorization_code", "refresh_token"] && code?.responseTypes == ["code"])
    #expect(code?.redirectURIs == [Self.redirect, "http://127.0.0.1/callback"] && code?.scopes == ["read"])
    let device = #","device_authorization_endpoint":"https://id.acme.example/d""#
    #expect(try await plan(endpoints: device)?.grantTypes.last == LoginFlow.deviceGrant)
    let implicit = try await plan(.implicit)
    #expect(implicit?.grantTypes == ["implicit"] && implicit?.responseTypes.contains("id_token token") == true)
    let other = try await plan(.device)
    #expect(other?.redirectURIs == [] && other?.responseTypes == [] && other?.grantTypes.first == LoginFlow.deviceGrant)
    #expect(try await plan(.direct(.extension(type: "x", parameters: [:]))) == nil)
  }

  @Test func `what the user, or the provider's data, has the client say goes along`() async throws {
    let asked = try await plan(
      .code, "--client-name", "Ada's",
      change: { $0.found.provider.registration = ["client_name": .string("x"), "contacts": .array([.string("a@b")])] })
    #expect(asked?.further == ["client_name": .string("Ada's"), "contacts": .array([.string("a@b")])])
  }

  @Test(arguments: ["", "a\nb", "a\u{7}", String(repeating: "x", count: 201)])
  func `a name that is none is refused`(_ name: String) async {
    let failure = await #expect(throws: Failure.self) { try await plan(.code, "--client-name", name) }
    #expect(failure?.kind == .usage)
  }

  @Test(arguments: ["one\ntwo", "one two", "h\u{e9}"], ["initial-access-token-file", "software-statement-file"])
  func `what is not one word is not sent`(_ text: String, _ option: String) throws {
    let invocation = try CommandHarness.invocation(["login", "acme", "--\(option)", "odd"])
    let environment = try CommandHarness(files: ["odd": Secret(text)]).environment(invocation, output: .silent)
    let failure = #expect(throws: Failure.self) { try RegistrationOptions(invocation, environment) }
    #expect(failure?.kind == .usage && failure?.message.contains("--\(option)") == true)
  }

  @Test func `what the operator gave goes along`() async throws {
    let statement = try await plan(
      .code, "--initial-access-token-file", "t", "--software-statement-file", "s", change: { $0.bindsTokens = true })
    #expect(statement?.softwareStatement == Secret("statement") && statement?.bindsTokensToKey == true)
  }
}

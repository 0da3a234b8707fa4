import Flows
import OAuth
import TestSupport
import Testing

struct DiscoverProviderTests {
  private static let openID = "https://id.acme.example/.well-known/openid-configuration"
  private static let oauth = "https://id.acme.example/.well-known/oauth-authorization-server"
  private static let whole = metadata(
    #""authorization_endpoint":"https://id.acme.example/a","token_endpoint":"https://id.acme.example/t","revocation_endpoint":"https://id.acme.example/r""#
  )
  private static let partial = metadata(
    #""authorization_endpoint":"https://id.acme.example/a","token_endpoint":"https://id.acme.example/t""#)

  private static func metadata(_ members: String) -> HTTPResponse {
    .json(#"{"issuer":"https://id.acme.example",\#(members)}"#)
  }

  private let bare: Provider = {
    var provider = Provider(name: "acme")
    provider.issuer = Sample.issuer
    return provider
  }()

  @Test func `nothing is asked where nothing is missing, or there is nobody to ask`() async throws {
    let discover = DiscoverProvider(network: Network(asking: FakeHTTPClient()))
    let complete = Sample.provider { provider in
      provider.issuer = Sample.issuer
      provider.endpoints?.revocation = nil
    }
    let found = try await discover.complete(complete)
    #expect(found.provider == complete && !found.requiresIssuer)
    let unknown = Provider(name: "acme")
    #expect(try await discover.complete(unknown).provider == unknown)
  }

  @Test func `one document is enough where it is whole`() async throws {
    let found = try await DiscoverProvider(network: Network(asking: FakeHTTPClient(.get(Self.openID, Self.whole))))
      .complete(bare)
    #expect(found.provider.endpoints?.token == "https://id.acme.example/t")
    #expect(found.provider.endpoints?.revocation == "https://id.acme.example/r")
    #expect(found.provider.scopes == ["openid"] && !found.requiresIssuer)
  }

  @Test func `a second document fills the gaps of the first`() async throws {
    let second = Self.metadata(
      #""token_endpoint":"https://id.acme.example/other","revocation_endpoint":"https://id.acme.example/r","authorization_response_iss_parameter_supported":true"#
    )
    let found = try await DiscoverProvider(
      network: Network(asking: FakeHTTPClient(.get(Self.openID, Self.partial), .get(Self.oauth, second)))
    ).complete(bare)
    #expect(found.provider.endpoints?.token == "https://id.acme.example/t")
    #expect(found.provider.endpoints?.revocation == "https://id.acme.example/r" && found.requiresIssuer)
  }

  static let seconds: [Named<HTTPResponse>] = [
    Named("not there", .text("", status: 404)), Named("a page", .text("<html>")), Named("rubbish", .text("x")),
    Named("trouble", .text("", status: 503)), Named("another issuer", .json(#"{"issuer":"https://evil.example"}"#)),
    Named("a bad endpoint", metadata(#""revocation_endpoint":"http://id.acme.example/r""#)),
  ]

  @Test(arguments: seconds) func `what is wrong with the second document alone does not matter`(
    _ row: Named<HTTPResponse>
  ) async throws {
    let http = FakeHTTPClient(.get(Self.openID, Self.partial), .get(Self.oauth, row.value))
    let found = try await DiscoverProvider(network: Network(asking: http)).complete(bare)
    #expect(
      found.provider.endpoints?.token == "https://id.acme.example/t" && found.provider.endpoints?.revocation == nil)
  }

  @Test func `the second document is taken where the first is not there`() async throws {
    let http = FakeHTTPClient(.get(Self.openID, .text("", status: 404)), .get(Self.oauth, Self.whole))
    #expect(
      try await DiscoverProvider(network: Network(asking: http)).complete(bare).provider.endpoints?.token
        == "https://id.acme.example/t")
  }

  static let firsts: [Named<(HTTPResponse, DiscoveryFailure)>] = [
    Named(
      "another issuer",
      (
        .json(#"{"issuer":"https://evil.example"}"#),
        .issuerMismatch(expected: Sample.issuer, got: "https://evil.example")
      )),
    Named("trouble", (.text("", status: 500), .transient(ServerError(status: 500)))),
    Named(
      "a bad endpoint",
      (
        metadata(#""token_endpoint":"http://id.acme.example/t""#),
        .badEndpoint(name: "token", url: "http://id.acme.example/t")
      )),
  ]

  @Test(arguments: firsts) func `a first document that lies or fails ends the search`(
    _ row: Named<(HTTPResponse, DiscoveryFailure)>
  ) async {
    let http = FakeHTTPClient(.get(Self.openID, row.value.0))
    await #expect(throws: row.value.1) { try await DiscoverProvider(network: Network(asking: http)).complete(bare) }
  }

  @Test func `nowhere anything is said of the first place`() async {
    let http = FakeHTTPClient(.get(Self.openID, .text("", status: 404)), .get(Self.oauth, .text("", status: 410)))
    await #expect(throws: DiscoveryFailure.notFound(url: Self.openID, status: 404)) {
      try await DiscoverProvider(network: Network(asking: http)).complete(bare)
    }
  }

  @Test func `a network that fails is said as it is`() async {
    let error = TransportError(
      kind: .cannotResolve, host: "id.acme.example", message: "no such host", mayHaveArrived: false)
    let http = FakeHTTPClient(.failing(.get, Self.openID, with: error))
    await #expect(throws: error) { try await DiscoverProvider(network: Network(asking: http)).complete(bare) }
  }

  @Test func `what the provider's own data says wins`() async throws {
    var own = bare
    own.endpoints = Endpoints()
    own.endpoints?.token = "https://own.example/t"
    own.scopes = ["mine"]
    let found = try await DiscoverProvider(network: Network(asking: FakeHTTPClient(.get(Self.openID, Self.whole))))
      .complete(own)
    #expect(found.provider.endpoints?.token == "https://own.example/t")
    #expect(found.provider.endpoints?.authorization == "https://id.acme.example/a")
    #expect(found.provider.scopes == ["mine"])
  }

  @Test(arguments: [
    (#""scopes_supported":["email","openid","admin"]"#, ["openid", "email"]),
    (#""scopes_supported":["profile","offline_access","openid"]"#, ["openid", "profile", "offline_access"]),
    (#""scopes_supported":["a"]"#, []), (#""x":1"#, ["openid"]),
  ]) func `of the scopes that are offered, the usual ones are asked for`(_ member: String, _ scopes: [String])
    async throws
  {
    let reply = Self.metadata(
      #""authorization_endpoint":"https://a/a","token_endpoint":"https://a/t","revocation_endpoint":"https://a/r",\#(member)"#
    )
    #expect(
      try await DiscoverProvider(network: Network(asking: FakeHTTPClient(.get(Self.openID, reply)))).complete(bare)
        .provider.scopes
        == scopes)
  }
}

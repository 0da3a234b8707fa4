import Flows
import OAuth
import TestSupport
import Testing

struct FindResourceTests {
  private static let resource = "https://api.acme.example/mcp"
  private static let insertedIssuer = "https://api.acme.example/.well-known/oauth-authorization-server/mcp"
  private static let own = "https://api.acme.example/.well-known/oauth-protected-resource/mcp"
  private static let host = "https://api.acme.example/.well-known/oauth-protected-resource"
  private static let openID = "https://id.acme.example/.well-known/openid-configuration"
  private static let gone = HTTPResponse.text("", status: 404)

  private static let server = HTTPResponse.json(
    #"{"issuer":"https://id.acme.example","authorization_endpoint":"https://id.acme.example/a","token_endpoint":"https://id.acme.example/t","revocation_endpoint":"https://id.acme.example/r","registration_endpoint":"https://id.acme.example/c"}"#
  )

  private static func refusal(_ parameters: String) -> HTTPResponse {
    HTTPResponse(status: 401, headers: [HTTPHeader("WWW-Authenticate", "Bearer \(parameters)")])
  }

  private static func document(
    _ resource: String = resource, servers: String = #"["https://id.acme.example"]"#, more: String = ""
  ) -> HTTPResponse {
    .json(#"{"resource":"\#(resource)","authorization_servers":\#(servers)\#(more)}"#)
  }

  private func resource(_ found: FindResource.Found) -> FindResource.Resource? {
    if case .resource(let resource) = found { resource } else { nil }
  }

  @Test func `a resource that refuses with its metadata's URL is found by it`() async throws {
    let http = FakeHTTPClient(
      .get(Self.resource, Self.refusal(#"resource_metadata="https://api.acme.example/meta", scope="tools""#)),
      .get("https://api.acme.example/meta", Self.document(more: #","scopes_supported":["all"]"#)),
      .get(Self.openID, Self.server))
    let found = try #require(resource(try await FindResource(network: Network(asking: http)).find(Self.resource)))
    #expect(found.identifier == Self.resource && found.scopes == ["tools"])
    #expect(found.server.issuer == "https://id.acme.example" && found.issuers == ["https://id.acme.example"])
    #expect(found.metadata?.scopes == ["all"] && found.server.endpoints.registration == "https://id.acme.example/c")
    #expect(http.requests.allSatisfy { $0.headers("Authorization").isEmpty })
  }

  @Test func `an issuer is one that does not refuse and has its own metadata`() async throws {
    let http = FakeHTTPClient(.get(Sample.issuer, .text("<html>")), .get(Self.openID, Self.server))
    guard case .issuer(let metadata) = try await FindResource(network: Network(asking: http)).find(Sample.issuer) else {
      Issue.record("no issuer")
      return
    }
    #expect(metadata.endpoints.token == "https://id.acme.example/t")
  }

  @Test func `where an issuer is likely, the URL itself is not asked`() async throws {
    let http = FakeHTTPClient(.get(Self.openID, Self.server))
    guard
      case .issuer = try await FindResource(network: Network(asking: http)).find(Sample.issuer, isIssuerLikely: true)
    else {
      Issue.record("no issuer")
      return
    }
  }

  private static let notIssuer: [Exchange] = [
    .get(resource + "/.well-known/openid-configuration", gone), .get(insertedIssuer, gone),
    .get(resource + "/.well-known/oauth-authorization-server", gone),
  ]

  @Test func `a likely issuer that is none may be a resource, and nothing is asked twice`() async throws {
    let http = FakeHTTPClient(
      Self.notIssuer[0], Self.notIssuer[1], Self.notIssuer[2],
      .get(Self.resource, Self.refusal(#"resource_metadata="\#(Self.own)""#)), .get(Self.own, Self.document()),
      .get(Self.openID, Self.server))
    #expect(
      resource(try await FindResource(network: Network(asking: http)).find(Self.resource, isIssuerLikely: true)) != nil)
  }

  @Test func `a server that is not there is passed over`() async throws {
    let dead = "https://dead.example"
    let http = FakeHTTPClient(
      .get(Self.resource, Self.refusal(#"resource_metadata="\#(Self.own)""#)),
      .get(Self.own, Self.document(servers: #"["\#(dead)","https://id.acme.example"]"#)),
      Exchange(.get, dead + "/.well-known/openid-configuration") { _ in
        throw TransportError(kind: .cannotConnect, host: "dead.example", message: "refused", mayHaveArrived: false)
      }, .get(Self.openID, Self.server))
    #expect(
      resource(try await FindResource(network: Network(asking: http)).find(Self.resource))?.server.issuer
        == "https://id.acme.example")
  }

  @Test func `whom it asks is shown, and who is passed over is told`() async throws {
    let dead = "https://dead.example"
    let http = FakeHTTPClient(
      .get(Self.resource, Self.refusal(#"resource_metadata="\#(Self.own)""#)),
      .get(Self.own, Self.document(servers: #"["x","\#(dead)","https://id.acme.example"]"#)),
      Exchange(.get, dead + "/.well-known/openid-configuration") { _ in
        throw TransportError(kind: .timedOut, host: "dead.example", message: "no answer", mayHaveArrived: false)
      }, .get(Self.openID, Self.server))
    let terminal = FakeTerminal()
    _ = try await FindResource(network: Network(asking: http), terminal: terminal).find(Self.resource)
    #expect(
      terminal.notes.all == [
        "the resource names x, which is passed over (it cannot be asked)",
        "the resource names https://dead.example, which is passed over (no answer)",
      ])
    #expect(terminal.statuses.all == ["asking https://dead.example", "asking https://id.acme.example"])
  }

  @Test func `a resource that only refuses is found at its well-known place`() async throws {
    let http = FakeHTTPClient(
      .get(Self.resource, Self.refusal(#"realm="x""#)), Self.notIssuer[0], Self.notIssuer[1], Self.notIssuer[2],
      .get(Self.own, Self.document(more: #","scopes_supported":["all"]"#)), .get(Self.openID, Self.server))
    let found = try #require(resource(try await FindResource(network: Network(asking: http)).find(Self.resource)))
    #expect(found.scopes == ["all"])
  }

  @Test func `one that does not even refuse is found there, or at its host's`() async throws {
    let http = FakeHTTPClient(
      .get(Self.resource, .text("", status: 405)), Self.notIssuer[0], Self.notIssuer[1], Self.notIssuer[2],
      .get(Self.own, Self.gone), .get(Self.host, Self.document("https://api.acme.example")),
      .get(Self.openID, Self.server))
    let found = try #require(resource(try await FindResource(network: Network(asking: http)).find(Self.resource)))
    #expect(found.identifier == "https://api.acme.example" && found.scopes == nil)
  }

  @Test func `metadata of another issuer in the resource's place does not hide the resource`() async throws {
    let other = HTTPResponse.json(#"{"issuer":"https://api.acme.example"}"#)
    let http = FakeHTTPClient(
      .get(Self.resource, .text("", status: 405)), Self.notIssuer[0], .get(Self.insertedIssuer, other),
      .get(Self.own, Self.document()), .get(Self.openID, Self.server))
    #expect(resource(try await FindResource(network: Network(asking: http)).find(Self.resource)) != nil)
  }

  @Test func `a document that is not there is looked for at the well-known places`() async throws {
    let http = FakeHTTPClient(
      .get(Self.resource, Self.refusal(#"resource_metadata="https://api.acme.example/meta""#)),
      .get("https://api.acme.example/meta", Self.gone), Self.notIssuer[0], Self.notIssuer[1], Self.notIssuer[2],
      .get(Self.own, Self.document()), .get(Self.openID, Self.server))
    #expect(resource(try await FindResource(network: Network(asking: http)).find(Self.resource)) != nil)
  }

  @Test func `another resource's metadata ends the search`() async {
    let http = FakeHTTPClient(
      .get(Self.resource, Self.refusal(#"resource_metadata="\#(Self.own)""#)),
      .get(Self.own, Self.document("https://bank.example")))
    await #expect(throws: ResourceFailure.resourceMismatch(expected: Self.resource, got: "https://bank.example")) {
      try await FindResource(network: Network(asking: http)).find(Self.resource)
    }
  }

  @Test func `a resource that names another's metadata as its server's ends the search`() async {
    let http = FakeHTTPClient(
      .get(Self.resource, Self.refusal(#"resource_metadata="\#(Self.own)""#)), .get(Self.own, Self.document()),
      .get(Self.openID, .json(#"{"issuer":"https://evil.example"}"#)))
    await #expect(
      throws: DiscoveryFailure.issuerMismatch(expected: Sample.issuer, got: "https://evil.example")
    ) { try await FindResource(network: Network(asking: http)).find(Self.resource) }
  }

  @Test func `of several servers the first that answers is taken`() async throws {
    let dead = "https://dead.example"
    let http = FakeHTTPClient(
      .get(Self.resource, Self.refusal(#"resource_metadata="\#(Self.own)""#)),
      .get(Self.own, Self.document(servers: #"["\#(dead)","https://id.acme.example"]"#)),
      .get(dead + "/.well-known/openid-configuration", .text("", status: 503)), .get(Self.openID, Self.server))
    let found = try #require(resource(try await FindResource(network: Network(asking: http)).find(Self.resource)))
    #expect(found.server.issuer == Sample.issuer && found.issuers == [dead, Sample.issuer])
  }

  @Test func `a resource that names no server is told as that`() async {
    let http = FakeHTTPClient(
      .get(Self.resource, Self.refusal(#"resource_metadata="\#(Self.own)""#)),
      .get(Self.own, Self.document(servers: "[]")))
    await #expect(throws: ResourceFailure.noAuthorizationServer(resource: Self.resource)) {
      try await FindResource(network: Network(asking: http)).find(Self.resource)
    }
  }

  @Test func `a resource without any metadata may have its own host as its server`() async throws {
    let root = "https://api.acme.example"
    let server = HTTPResponse.json(
      #"{"issuer":"\#(root)","authorization_endpoint":"\#(root)/a","token_endpoint":"\#(root)/t","revocation_endpoint":"\#(root)/r","registration_endpoint":"\#(root)/c"}"#
    )
    let http = FakeHTTPClient(
      .get(Self.resource, Self.refusal(#"scope="x""#)), Self.notIssuer[0], Self.notIssuer[1], Self.notIssuer[2],
      .get(Self.own, Self.gone), .get(Self.host, Self.gone), .get(root + "/.well-known/openid-configuration", server))
    let found = try #require(resource(try await FindResource(network: Network(asking: http)).find(Self.resource)))
    #expect(found.identifier == Self.resource && found.metadata == nil && found.server.issuer == root)
    #expect(found.scopes == ["x"])
  }

  @Test func `a URL that is nothing is told as no issuer`() async {
    let http = FakeHTTPClient(
      .get(Self.resource, Self.gone), Self.notIssuer[0], Self.notIssuer[1], Self.notIssuer[2],
      .get(Self.own, Self.gone), .get(Self.host, Self.gone))
    await #expect(
      throws: DiscoveryFailure.notFound(url: Self.resource + "/.well-known/openid-configuration", status: 404)
    ) { try await FindResource(network: Network(asking: http)).find(Self.resource) }
  }

  @Test func `a network that is down is said as it is`() async {
    let error = TransportError(kind: .cannotResolve, host: "api.acme.example", message: "m", mayHaveArrived: false)
    let http = FakeHTTPClient(
      .failing(.get, Self.resource, with: error),
      .failing(.get, Self.resource + "/.well-known/openid-configuration", with: error))
    await #expect(throws: error) { try await FindResource(network: Network(asking: http)).find(Self.resource) }
  }
}

import Crypto
import Flows
import OAuth
import TestSupport
import Testing

/// What a resource says of itself under a signature (RFC 9728 section 2.2).
struct SignedResourceTests {
  private static let resource = "https://api.acme.example/mcp"
  private static let place = "https://api.acme.example/.well-known/oauth-protected-resource/mcp"
  private static let openID = "https://id.acme.example/.well-known/openid-configuration"
  private static let ownKeys = "https://api.acme.example/jwks"
  private static let serverKeys = "https://id.acme.example/jwks"

  private let key: PrivateKey
  private let published: HTTPResponse

  init() throws {
    key = try PrivateKey.generate()
    let set = JSONValue.object(["keys": .array([JSONWebKey(key.publicKey, keyID: "k").json])])
    published = .json(set.plainText)
  }

  private static func server(_ issuer: String = Sample.issuer, jwks: String? = serverKeys) -> HTTPResponse {
    .json(
      #"{"issuer":"\#(issuer)","authorization_endpoint":"\#(issuer)/a","token_endpoint":"\#(issuer)/t","#
        + (jwks.map { #""jwks_uri":"\#($0)","# } ?? "")
        + #""revocation_endpoint":"\#(issuer)/r","registration_endpoint":"\#(issuer)/c"}"#)
  }

  private static let refusal = Exchange.get(
    resource,
    HTTPResponse(
      status: 401, headers: [HTTPHeader("WWW-Authenticate", #"Bearer resource_metadata="\#(place)""#)]))

  /// The document, with a token in it.
  private func document(
    signer: String, _ claims: [String: JSONValue] = [:], by other: PrivateKey? = nil, keys: String? = ownKeys
  ) throws -> Exchange {
    let signed: [String: JSONValue] = [
      "iss": .string(signer), "resource": .string(Self.resource), "scopes_supported": .array([.string("signed")]),
    ]
    let token = try JWT.sign(
      header: [:], claims: signed.merging(claims) { _, new in new }, key: .privateKey(other ?? key, keyID: "k"))
    return .get(Self.place, Self.plain(keys: keys, more: #","signed_metadata":"\#(token.reveal())""#))
  }

  private static func plain(keys: String?, more: String) -> HTTPResponse {
    .json(
      #"{"resource":"\#(resource)","authorization_servers":["https://id.acme.example"],"scopes_supported":["plain"]"#
        + (keys.map { #","jwks_uri":"\#($0)""# } ?? "") + more + "}")
  }

  private func find(_ http: FakeHTTPClient) async throws -> FindResource.Resource {
    guard case .resource(let found) = try await FindResource(network: Network(asking: http)).find(Self.resource) else {
      throw ResourceFailure.noAuthorizationServer(resource: "found an issuer")
    }
    return found
  }

  @Test func `what the resource has signed itself wins over what stands beside it`() async throws {
    let found = try await find(
      FakeHTTPClient(
        Self.refusal, try document(signer: Self.resource), .get(Self.ownKeys, published),
        .get(Self.openID, Self.server())
      ))
    #expect(found.scopes == ["signed"] && found.server.issuer == Sample.issuer)
  }

  @Test func `a server that the resource names may vouch for it`() async throws {
    let found = try await find(
      FakeHTTPClient(
        Self.refusal, try document(signer: Sample.issuer, keys: nil), .get(Self.openID, Self.server()),
        .get(Self.serverKeys, published), .get(Self.openID, Self.server())))
    #expect(found.scopes == ["signed"])
  }

  @Test func `the server that is signed is the one that is asked`() async throws {
    let other = "https://other.acme.example"
    let found = try await find(
      FakeHTTPClient(
        Self.refusal,
        try document(signer: Self.resource, ["authorization_servers": .array([.string(other)])]),
        .get(Self.ownKeys, published), .get(other + "/.well-known/openid-configuration", Self.server(other))))
    #expect(found.server.issuer == other && found.issuers == [other])
  }

  static let unknown: [Named<(signer: String, keys: String?, server: HTTPResponse?)>] = [
    Named("nobody that we know", ("https://notary.example", ownKeys, nil)),
    Named("the resource, which publishes no keys", (resource, nil, nil)),
    Named("a server that publishes no keys", (Sample.issuer, nil, server(jwks: nil))),
  ]

  @Test(arguments: unknown) func `without keys that anybody vouches for the signature is as good as not there`(
    _ row: Named<(signer: String, keys: String?, server: HTTPResponse?)>
  ) async throws {
    let (signer, keys, server) = row.value
    let document = try document(signer: signer, keys: keys)
    let last = Exchange.get(Self.openID, Self.server())
    let http: FakeHTTPClient =
      if let server {
        // Looked for further, since jwks is wanted and missing.
        FakeHTTPClient(
          Self.refusal, document, .get(Self.openID, server),
          .get("https://id.acme.example/.well-known/oauth-authorization-server", .text("", status: 404)), last)
      } else {
        FakeHTTPClient(Self.refusal, document, last)
      }
    #expect(try await find(http).scopes == ["plain"])
  }

  private func refused(_ exchange: Exchange, _ keys: HTTPResponse?) async -> String? {
    let http =
      keys.map { FakeHTTPClient(Self.refusal, exchange, .get(Self.ownKeys, $0)) }
      ?? FakeHTTPClient(Self.refusal, exchange)
    let error = await #expect(throws: ResourceFailure.self) { try await find(http) }
    guard case .unverified(let mismatch) = error, mismatch.subject == .resourceMetadata else { return nil }
    return mismatch.claim
  }

  @Test func `a signature that does not hold ends the search`() async throws {
    let other = try PrivateKey.generate()
    #expect(await refused(try document(signer: Self.resource, by: other), published) == "signature")
    #expect(
      await refused(
        try document(signer: Self.resource, ["resource": .string("https://bank.example")]), published) == "resource")
    #expect(await refused(try document(signer: Self.resource, ["exp": .integer(1)]), published) == "exp")
    let garbage = Exchange.get(Self.place, Self.plain(keys: nil, more: #","signed_metadata":"x""#))
    #expect(await refused(garbage, nil) == "signed_metadata")
  }

  @Test func `keys that cannot be read, or must not be asked for, end the search`() async throws {
    await #expect(throws: KeySetError.self) {
      try await find(
        FakeHTTPClient(
          Self.refusal, try document(signer: Self.resource), .get(Self.ownKeys, .text("", status: 503))))
    }
    let inside = "http://127.0.0.1/jwks"
    await #expect(throws: ResourceFailure.badURL(name: "jwks_uri", url: inside)) {
      try await find(FakeHTTPClient(Self.refusal, try document(signer: Self.resource, keys: inside)))
    }
  }
}

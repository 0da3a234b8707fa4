import Crypto
import Flows
import Foundation
import OAuth
import TestSupport
import Testing

struct DiscoveryNeedsTests {
  private static let openID = "https://id.acme.example/.well-known/openid-configuration"
  private static let oauth = "https://id.acme.example/.well-known/oauth-authorization-server"
  private static let jwks = "https://id.acme.example/jwks"

  private static func document(_ more: String = "") -> HTTPResponse {
    .json(
      #"{"issuer":"https://id.acme.example","authorization_endpoint":"https://id.acme.example/a","token_endpoint":"https://id.acme.example/t","revocation_endpoint":"https://id.acme.example/r"\#(more)}"#
    )
  }

  /// All that a login cannot do without, and an issuer.
  private static let known = Sample.provider {
    $0.issuer = Sample.issuer
    $0.scopes = ["openid"]
  }

  private func discover(_ exchanges: FakeHTTPClient) -> DiscoverProvider {
    DiscoverProvider(network: Network(asking: exchanges))
  }

  @Test func `what is needed and missing is asked for, and changes nothing else`() async throws {
    let http = FakeHTTPClient(.get(Self.openID, Self.document(#","jwks_uri":"\#(Self.jwks)""#)))
    let found = try await discover(http).complete(Self.known, needs: [.jwks])
    #expect(found.provider.endpoints?.jwks == Self.jwks && found.problem == nil)
    #expect(found.provider.endpoints?.token == Sample.tokenURL && found.metadata?.issuer == Sample.issuer)
  }

  @Test func `what is needed and known is not asked for`() async throws {
    var provider = Self.known
    provider.endpoints?.jwks = Self.jwks
    let found = try await discover(FakeHTTPClient()).complete(provider, needs: [.jwks, .token])
    #expect(found.provider == provider && found.metadata == nil)
  }

  @Test func `each need is one endpoint`() async throws {
    let names: [(DiscoverProvider.Need, String)] = [
      (.jwks, "jwks_uri"), (.deviceAuthorization, "device_authorization_endpoint"),
      (.pushedAuthorizationRequest, "pushed_authorization_request_endpoint"),
      (.registration, "registration_endpoint"), (.introspection, "introspection_endpoint"),
      (.userinfo, "userinfo_endpoint"), (.endSession, "end_session_endpoint"),
    ]
    for (need, name) in names {
      let reply = Self.document(#","\#(name)":"https://id.acme.example/x""#)
      let found = try await discover(FakeHTTPClient(.get(Self.openID, reply))).complete(Self.known, needs: [need])
      let endpoints = found.provider.endpoints ?? Endpoints()
      #expect(Endpoints.all.filter { endpoints[keyPath: $0.keyPath] == "https://id.acme.example/x" }.count == 1)
    }
  }

  @Test func `what the first document lacks is looked for in the second`() async throws {
    let http = FakeHTTPClient(
      .get(Self.openID, Self.document()),
      .get(Self.oauth, Self.document(#","registration_endpoint":"https://id.acme.example/c""#)))
    let found = try await discover(http).complete(Self.known, needs: [.registration])
    #expect(found.provider.endpoints?.registration == "https://id.acme.example/c")
  }

  static let problems: [Named<[Exchange]>] = [
    Named("nothing there", [.get(openID, .text("", status: 404)), .get(oauth, .text("", status: 404))]),
    Named("trouble", [.get(openID, .text("", status: 500))]),
    Named("another issuer", [.get(openID, .json(#"{"issuer":"https://evil.example"}"#))]),
    Named(
      "no network",
      [
        .failing(
          .get, openID, with: TransportError(kind: .timedOut, host: "h", message: "m", mayHaveArrived: false))
      ]),
  ]

  @Test(arguments: problems) func `a login that can do without goes on`(_ row: Named<[Exchange]>) async throws {
    let http = row.value.count == 1 ? FakeHTTPClient(row.value[0]) : FakeHTTPClient(row.value[0], row.value[1])
    let found = try await discover(http).complete(Self.known, needs: [.jwks])
    #expect(found.provider == Self.known && found.metadata == nil && found.problem != nil)
    #expect(!found.requiresIssuer)
  }

  @Test func `metadata that was read already is not asked for again`() async throws {
    let metadata = try Discovery.validate(
      Self.document(#","jwks_uri":"\#(Self.jwks)""#), url: Self.openID, issuer: Sample.issuer)
    var bare = Provider(name: "acme")
    bare.issuer = Sample.issuer
    let found = try await discover(FakeHTTPClient()).complete(bare, metadata: metadata)
    #expect(found.provider.endpoints?.jwks == Self.jwks && found.metadata == metadata)
  }

  @Test func `of what an earlier login found, the issuer's word of now wins`() async throws {
    var kept = Self.known
    kept.endpoints?.refresh = "https://id.acme.example/refresh"
    let http = FakeHTTPClient(.get(Self.openID, Self.document()))
    let endpoints = try await discover(http).complete(kept, isKept: true).provider.endpoints
    #expect(endpoints?.token == "https://id.acme.example/t" && endpoints?.refresh == kept.endpoints?.refresh)
  }

  @Test func `a client with a certificate goes where those go, and its browser does not`() async throws {
    let aliases =
      #","mtls_endpoint_aliases":{"token_endpoint":"https://mtls.acme.example/t","authorization_endpoint":"https://mtls.acme.example/a"}"#
    var bare = Provider(name: "acme")
    bare.issuer = Sample.issuer
    let found = try await discover(FakeHTTPClient(.get(Self.openID, Self.document(aliases)))).complete(bare)
    let endpoints = found.providerForCertificates.endpoints
    #expect(endpoints?.token == "https://mtls.acme.example/t" && endpoints?.revocation == "https://id.acme.example/r")
    #expect(endpoints?.authorization == "https://id.acme.example/a")
    #expect(found.provider.endpoints?.token == "https://id.acme.example/t")
  }

  // Signed metadata

  private static let key = Result { try PrivateKey.generate() }

  private static func signed(
    _ claims: [String: JSONValue], keyID: String = "k", with key: PrivateKey? = nil
  ) throws -> String {
    try JWT.sign(header: [:], claims: claims, key: .privateKey(key ?? Self.key.get(), keyID: keyID)).reveal()
  }

  private static func keys() throws -> HTTPResponse {
    .json(
      #"{"keys":[\#(JSONValue.object(JSONWebKey(try key.get().publicKey, keyID: "k").json.members ?? [:]).plainText)]}"#
    )
  }

  private func read(_ token: String, _ keys: HTTPResponse?) async throws -> ServerMetadata {
    let reply = Self.document(#","jwks_uri":"\#(Self.jwks)","signed_metadata":"\#(token)""#)
    let http =
      keys.map { FakeHTTPClient(.get(Self.openID, reply), .get(Self.jwks, $0)) }
      ?? FakeHTTPClient(.get(Self.openID, reply))
    return try await discover(http).metadata(of: Sample.issuer)
  }

  @Test func `what the issuer signed wins over what stands beside it`() async throws {
    let token = try Self.signed([
      "iss": .string(Sample.issuer), "token_endpoint": .string("https://id.acme.example/signed"),
      "require_pushed_authorization_requests": .bool(true),
    ])
    let metadata = try await read(token, try Self.keys())
    #expect(metadata.endpoints.token == "https://id.acme.example/signed" && metadata.requiresPushedRequests)
    #expect(metadata.endpoints.authorization == "https://id.acme.example/a")
  }

  @Test(arguments: ["iss", "signature", "kid", "signed_metadata"])
  func `signed metadata that does not hold ends every login`(_ claim: String) async throws {
    let issuer: [String: JSONValue] = ["iss": .string(Sample.issuer)]
    let token =
      switch claim {
      case "iss": try Self.signed(["iss": .string("https://evil.example")])
      case "signature": try Self.signed(issuer, with: try PrivateKey.generate())
      case "kid": try Self.signed(issuer, keyID: "other")
      default: "rubbish"
      }
    let reply = Self.document(#","jwks_uri":"\#(Self.jwks)","signed_metadata":"\#(token)""#)
    let http = FakeHTTPClient(.get(Self.openID, reply), .get(Self.jwks, try Self.keys()))
    // Even one that could do without.
    let failure = await #expect(throws: DiscoveryFailure.self) {
      try await discover(http).complete(Self.known, needs: [.jwks])
    }
    guard case .unverified(let mismatch) = failure else {
      Issue.record("another failure: \(failure as Any)")
      return
    }
    #expect(mismatch.claim == claim)
  }

  @Test func `without keys there is nothing to check it with, and it counts for nothing`() async throws {
    let token = try Self.signed([
      "iss": .string(Sample.issuer), "token_endpoint": .string("https://id.acme.example/signed"),
    ])
    let http = FakeHTTPClient(.get(Self.openID, Self.document(#","signed_metadata":"\#(token)""#)))
    let metadata = try await discover(http).metadata(of: Sample.issuer)
    #expect(metadata.endpoints.token == "https://id.acme.example/t")
  }

  @Test func `keys that cannot be had now are no reason to believe it`() async throws {
    let token = try Self.signed(["iss": .string(Sample.issuer)])
    await #expect(throws: KeySetError.self) { try await read(token, .text("", status: 503)) }
  }
}

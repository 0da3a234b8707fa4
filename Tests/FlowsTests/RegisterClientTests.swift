import Crypto
import Flows
import Foundation
import OAuth
import TestSupport
import Testing

struct RegisterClientTests {
  private static let endpoint = "https://id.acme.example/register"
  private static let uri = "https://id.acme.example/register/c-1"
  private static let redirect = "http://127.0.0.1:8085/callback"

  private static func plan(_ redirect: String = redirect, token: Secret? = nil) -> RegisterClient.Plan {
    let metadata = ClientMetadata(name: "oauthctl", redirectURIs: LoopbackRedirect.registered(for: redirect))
    return RegisterClient.Plan(metadata: metadata, endpoint: endpoint, initialAccessToken: token)
  }

  /// A client that this program registered, for a port.
  private static func client(
    _ redirect: String = redirect, secret: Secret? = nil, ends: TimeInterval? = nil, isManaged: Bool = true
  ) -> ClientRegistration {
    var client = ClientRegistration(id: "c-1", secret: secret, method: secret == nil ? ClientAuthMethod.none : .basic)
    client.secretExpiresAt = ends.map { Sample.now.addingTimeInterval($0) }
    client.management = RegistrationManagement(
      uri: isManaged ? uri : nil, token: isManaged ? Secret("reg-1") : nil,
      redirectURIs: LoopbackRedirect.registered(for: redirect))
    return client
  }

  private static func exchange(
    _ method: HTTPRequest.Method, _ url: String, _ response: HTTPResponse,
    _ check: @escaping @Sendable ([String: JSONValue]) -> Void = { _ in }
  ) -> Exchange {
    Exchange(method, url) { request in
      check(JSONValue(parsing: request.text.utf8)?.members ?? [:])
      return response
    }
  }

  private static func register(_ http: FakeHTTPClient) -> RegisterClient {
    RegisterClient(network: Network(asking: http))
  }

  private static let created = HTTPResponse.json(#"{"client_id":"c-2"}"#, status: 201)

  @Test func `a client is registered, and can be used at once`() async throws {
    let http = FakeHTTPClient(
      Self.exchange(
        .post, Self.endpoint,
        .json(#"{"client_id":"c-1","registration_client_uri":"\#(Self.uri)","registration_access_token":"reg-1"}"#)
      ) { #expect($0["redirect_uris"] == .array([.string(Self.redirect), .string("http://127.0.0.1/callback")])) })
    let registered = try await Self.register(http).register(Self.plan(token: Secret("initial")))
    #expect(registered.client == Self.client())
    #expect(http.requests[0].headers("Authorization") == ["Bearer initial"])
  }

  @Test func `a server that takes one redirect or one grant alone is asked for the least`() async throws {
    var plan = Self.plan()
    plan.metadata.grantTypes.append("urn:ietf:params:oauth:grant-type:device_code")
    for code in ["invalid_client_metadata", "invalid_redirect_uri"] {
      let http = FakeHTTPClient(
        Self.exchange(.post, Self.endpoint, .error(code)),
        Self.exchange(.post, Self.endpoint, Self.created) { sent in
          #expect(sent["grant_types"] == .array([.string("authorization_code"), .string("refresh_token")]))
          #expect(sent["redirect_uris"] == .array([.string(Self.redirect)]))
        })
      #expect(try await Self.register(http).register(plan).client.management?.redirectURIs == [Self.redirect])
    }
    // With the least of all there is nothing more to be left out, and another refusal is no matter of this.
    for (plan, reply) in [
      (Self.plan("https://app.example/cb"), HTTPResponse.error("invalid_redirect_uri")),
      (plan, .error("invalid_software_statement")),
    ] {
      await #expect(throws: RegistrationFailure.self) {
        try await Self.register(FakeHTTPClient(.post(Self.endpoint, reply))).register(plan)
      }
    }
  }

  @Test func `a change names the grants that the server takes, too`() async throws {
    var plan = Self.plan("http://127.0.0.1:9000/callback")
    plan.metadata.grantTypes.append("urn:ietf:params:oauth:grant-type:device_code")
    let http = FakeHTTPClient(
      Self.exchange(.put, Self.uri, .error("invalid_client_metadata")),
      Self.exchange(.put, Self.uri, .json(#"{"client_id":"c-1"}"#)) { sent in
        #expect(sent["grant_types"] == .array([.string("authorization_code"), .string("refresh_token")]))
        #expect(
          sent["redirect_uris"]
            == .array([
              .string("http://127.0.0.1:9000/callback"), .string("http://127.0.0.1/callback"), .string(Self.redirect),
            ]))
      })
    #expect(try await Self.register(http).ensure(Self.client(), plan).client.id == "c-1")
  }

  @Test func `where no other client will do, one that cannot be changed is left as it is`() async throws {
    let http = FakeHTTPClient(Self.exchange(.put, Self.uri, .text("", status: 405)))
    let client = Self.client()
    #expect(
      try await Self.register(http).ensure(client, Self.plan("http://[::1]:1/"), mayReplace: false) == .kept(client))
  }

  @Test func `a server that registers other redirects is told, one that leaves out the port is not`() async throws {
    let other = HTTPResponse.json(#"{"client_id":"c","redirect_uris":["https://other.example/cb"]}"#)
    await #expect(
      throws: RegistrationFailure.otherRedirects(asked: Self.redirect, got: ["https://other.example/cb"])
    ) { try await Self.register(FakeHTTPClient(.post(Self.endpoint, other))).register(Self.plan()) }
    let bare = HTTPResponse.json(#"{"client_id":"c","redirect_uris":["http://127.0.0.1/callback"]}"#)
    let client = try await Self.register(FakeHTTPClient(.post(Self.endpoint, bare))).register(Self.plan()).client
    #expect(client.id == "c" && client.management?.redirectURIs == ["http://127.0.0.1/callback"])
  }

  @Test func `what a server echoes of a secret is not shown`() async throws {
    let reply = HTTPResponse.error("invalid_token", status: 401, description: "no such token: initial-secret")
    let failure = await #expect(throws: RegistrationFailure.self) {
      try await Self.register(FakeHTTPClient(.post(Self.endpoint, reply))).register(
        Self.plan(token: Secret("initial-secret")))
    }
    guard case .tokenRefused(let error, wasSent: true) = failure else {
      Issue.record("another failure: \(failure as Any)")
      return
    }
    #expect(error.description?.contains("initial-secret") == false && error.code == "invalid_token")
  }

  @Test func `a client that fits is kept, and nothing is asked`() async throws {
    let register = Self.register(FakeHTTPClient())
    let lasting = Self.client(secret: Secret("s"), ends: 3600)
    #expect(try await register.ensure(lasting, Self.plan()) == .kept(lasting))
    // One that a person registered is theirs, whatever its redirect.
    let own = ClientRegistration(id: "own", secret: Secret("s"))
    #expect(try await register.ensure(own, Self.plan()) == .kept(own))
    var noRedirect = Self.plan()
    noRedirect.metadata.redirectURIs = []
    #expect(try await register.ensure(Self.client(), noRedirect).client == Self.client())
  }

  @Test func `when the redirect changes the registration does`() async throws {
    let new = "http://127.0.0.1:9000/callback"
    let http = FakeHTTPClient(
      Self.exchange(.put, Self.uri, .json(#"{"client_id":"c-1","registration_access_token":"reg-2"}"#)) { sent in
        #expect(sent["client_id"] == .string("c-1") && sent["client_secret"] == .string("s"))
        #expect(sent["token_endpoint_auth_method"] == .string("client_secret_basic"))
        // Other accounts of the same client may still use the old one.
        let uris = [new, "http://127.0.0.1/callback", Self.redirect].map(JSONValue.string)
        #expect(sent["redirect_uris"] == .array(uris))
      })
    let client = Self.client(secret: Secret("s"))
    guard case .changed(let changed) = try await Self.register(http).ensure(client, Self.plan(new)) else {
      Issue.record("not changed")
      return
    }
    #expect(changed.id == "c-1" && changed.secret == Secret("s") && changed.method == .basic)
    #expect(changed.management?.token == Secret("reg-2") && changed.management?.redirectURIs.first == new)
    #expect(http.requests[0].headers("Authorization") == ["Bearer reg-1"])
  }

  static let unwilling: [Named<HTTPResponse>] = [
    Named("the token is no more", .text("", status: 401)), Named("no such client", .text("", status: 404)),
    Named("no changes", .text("", status: 405)), Named("refused", .error("invalid_redirect_uri")),
    Named("another client", .json(#"{"client_id":"c-9"}"#)),
    Named("as it was", .json(#"{"client_id":"c-1","redirect_uris":["http://127.0.0.1:8085/callback"]}"#)),
  ]

  @Test(arguments: unwilling) func `where the server does not change it, the client is registered anew`(
    _ row: Named<HTTPResponse>
  ) async throws {
    let http = FakeHTTPClient(
      Self.exchange(.put, Self.uri, row.value), Self.exchange(.post, Self.endpoint, Self.created))
    let outcome = try await Self.register(http).ensure(Self.client(), Self.plan("http://127.0.0.1:1/callback"))
    guard case .replaced(let client) = outcome else {
      Issue.record("not replaced")
      return
    }
    #expect(client.id == "c-2" && client.management?.redirectURIs.first == "http://127.0.0.1:1/callback")
  }

  @Test func `a client that cannot be managed is registered anew`() async throws {
    let http = FakeHTTPClient(Self.exchange(.post, Self.endpoint, Self.created))
    let outcome = try await Self.register(http).ensure(
      Self.client(isManaged: false), Self.plan("http://127.0.0.1:1/callback"))
    #expect(outcome.client.id == "c-2")
  }

  @Test func `a server that cannot change it now is not asked for another`() async {
    let http = FakeHTTPClient(Self.exchange(.put, Self.uri, .text("", status: 503)))
    await #expect(throws: RegistrationFailure.transient(ServerError(status: 503), retryAfter: nil)) {
      try await Self.register(http).ensure(Self.client(), Self.plan("http://127.0.0.1:1/callback"))
    }
  }

  @Test(arguments: [-10.0, 0, 60]) func `a secret that ends is read anew`(_ ends: Double) async throws {
    let end = Int(Sample.now.timeIntervalSince1970) + 3600
    let http = FakeHTTPClient(
      Self.exchange(
        .get, Self.uri,
        .json(
          #"{"client_id":"c-1","client_secret":"s-2","client_secret_expires_at":\#(end),"token_endpoint_auth_method":"client_secret_basic","redirect_uris":["\#(Self.redirect)"]}"#
        )))
    let outcome = try await Self.register(http).ensure(
      Self.client(secret: Secret("s-1"), ends: ends), Self.plan())
    guard case .changed(let client) = outcome else {
      Issue.record("not changed")
      return
    }
    #expect(client.secret == Secret("s-2") && client.secretExpiresAt == Sample.now.addingTimeInterval(3600))
    #expect(client.management?.token == Secret("reg-1"))
  }

  static let stale: [Named<HTTPResponse>] = [
    Named("the same end", .json(#"{"client_id":"c-1","client_secret":"s","client_secret_expires_at":1800000001}"#)),
    Named("gone", .text("", status: 401)),
    Named("another client", .json(#"{"client_id":"c-9","client_secret":"s","client_secret_expires_at":0}"#)),
  ]

  @Test(arguments: stale) func `where that brings none, the client is registered anew`(_ row: Named<HTTPResponse>)
    async throws
  {
    let http = FakeHTTPClient(
      Self.exchange(.get, Self.uri, row.value), Self.exchange(.post, Self.endpoint, Self.created))
    let outcome = try await Self.register(http).ensure(
      Self.client(secret: Secret("s-1"), ends: -1), Self.plan())
    #expect(outcome.client.id == "c-2")
  }

  @Test func `a registration is read and ended`() async throws {
    let http = FakeHTTPClient(
      Self.exchange(.get, Self.uri, .json(#"{"client_id":"c-1","scope":"a b"}"#)),
      Self.exchange(.delete, Self.uri, .text("", status: 204)),
      Self.exchange(.delete, Self.uri, .text("", status: 401)))
    let register = Self.register(http)
    #expect(try await register.read(Self.client(), Self.plan())?.scopes == ["a", "b"])
    #expect(try await register.delete(Self.client()))
    #expect(try await !register.delete(Self.client()))
    #expect(try await !register.delete(Self.client(isManaged: false)))
    #expect(try await register.read(ClientRegistration(id: "own"), Self.plan()) == nil)
  }
}

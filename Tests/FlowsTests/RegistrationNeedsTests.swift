import Crypto
import Flows
import Foundation
import OAuth
import TestSupport
import Testing

/// What a login needs of a client that was registered for another one.
struct RegistrationNeedsTests {
  private static let endpoint = "https://id.acme.example/register"
  private static let uri = "https://id.acme.example/register/c-1"
  private static let redirect = "http://127.0.0.1:8085/callback"
  private static let device = "urn:ietf:params:oauth:grant-type:device_code"

  private static func plan(
    _ grants: String..., scopes: [String]? = nil, key: ClientKey? = nil, isConfidential: Bool = false,
    redirect: String? = redirect
  ) -> RegisterClient.Plan {
    var metadata = ClientMetadata(
      name: "oauthctl", redirectURIs: redirect.map(LoopbackRedirect.registered(for:)) ?? [])
    if !grants.isEmpty { metadata.grantTypes = grants }
    metadata.scopes = scopes
    var plan = RegisterClient.Plan(metadata: metadata, endpoint: endpoint)
    (plan.key, plan.isConfidential) = (key, isConfidential)
    if let key {
      plan.metadata.authMethod = "private_key_jwt"
      plan.metadata.keys = .object(["keys": .array([.string("public half of \(key.keyID ?? "")")])])
    }
    return plan
  }

  private static func key(_ id: String) -> ClientKey { ClientKey(pem: Secret("pem of \(id)"), keyID: id) }

  /// A client that was registered for the code, with two scopes.
  private static func client(
    _ method: ClientAuthMethod = .none, id: String = "c-1", change: (inout ClientRegistration) -> Void = { _ in }
  ) -> ClientRegistration {
    var client = ClientRegistration(id: id, secret: method.needsSecret ? Secret("s-1") : nil, method: method)
    client.management = RegistrationManagement(
      uri: uri, token: Secret("reg-1"), redirectURIs: LoopbackRedirect.registered(for: redirect))
    client.management?.issuer = Sample.provider().issuer
    client.management?.metadata = [
      "grant_types": list("authorization_code", "refresh_token"), "response_types": list("code"),
      "scope": .string("read write"), "token_endpoint_auth_method": .string(method.registeredNames[0]),
    ]
    change(&client)
    return client
  }

  private static func list(_ texts: String...) -> JSONValue { .array(texts.map(JSONValue.string)) }

  /// What a server says of the client, members of its own added.
  private static func reply(_ members: String = "", status: Int = 200) -> HTTPResponse {
    .json(#"{"client_id":"c-1"\#(members)}"#, status: status)
  }

  private static func get(_ response: HTTPResponse) -> Exchange { Exchange(.get, uri) { _ in response } }

  private static func put(
    _ response: HTTPResponse = reply(), _ check: @escaping @Sendable ([String: JSONValue]) -> Void = { _ in }
  ) -> Exchange {
    Exchange(.put, uri) { request in
      check(JSONValue(parsing: request.text.utf8)?.members ?? [:])
      return response
    }
  }

  private static let another = Exchange(.post, endpoint) { _ in .json(#"{"client_id":"c-2"}"#, status: 201) }

  private func ensure(
    _ client: ClientRegistration, _ plan: RegisterClient.Plan, mayReplace: Bool = true,
    store: MemoryStore = MemoryStore(),
    _ exchanges: Exchange...
  ) async throws -> RegisterClient.Outcome {
    let http =
      switch exchanges.count {
      case 0: FakeHTTPClient()
      case 1: FakeHTTPClient(exchanges[0])
      case 2: FakeHTTPClient(exchanges[0], exchanges[1])
      default: FakeHTTPClient(exchanges[0], exchanges[1], exchanges[2])
      }
    return try await KeptRegistration(store: store, network: Network(asking: http)).ensure(
      client, plan, for: Sample.provider(), mayReplace: mayReplace)
  }

  @Test(arguments: [
    "", #","client_secret_expires_at":0"#,
    #","client_secret":"s-1","client_secret_expires_at":1"#,
  ]) func `a secret that has ended, and that nothing takes the place of, has the client registered anew`(_ end: String)
    async throws
  {
    let ended = Self.client(.basic) { $0.secretExpiresAt = Sample.now }
    let reply = Self.reply(end + #","token_endpoint_auth_method":"client_secret_basic""#)
    let outcome = try await ensure(ended, Self.plan(), Self.get(reply), Self.put(reply), Self.another)
    #expect(outcome.client.id == "c-2")
  }

  @Test func `a change brings a new secret where reading does not`() async throws {
    let ended = Self.client(.basic) { $0.secretExpiresAt = Sample.now }
    let outcome = try await ensure(
      ended, Self.plan(), Self.get(Self.reply()), Self.put(Self.reply(#","client_secret":"s-2""#)))
    guard case .changed(let client) = outcome else {
      Issue.record("not changed: \(outcome)")
      return
    }
    #expect(client.secret == Secret("s-2") && client.secretExpiresAt == nil)
  }

  @Test func `another port leaves all else as it is registered`() async throws {
    let own = Self.key("k-1")
    let client = Self.client(.privateKeyJWT) { $0.key = own }
    let plan = Self.plan(scopes: ["read"], key: own, redirect: "http://127.0.0.1:1/callback")
    let present = Self.reply(
      #","grant_types":["authorization_code","client_credentials"],"scope":"read write","token_endpoint_auth_method":"private_key_jwt","x_own":"y""#
    )
    for (read, own) in [(present, true), (HTTPResponse.text("", status: 405), false)] {
      let outcome = try await ensure(
        client, plan, Self.get(read),
        Self.put { sent in
          #expect(
            sent["token_endpoint_auth_method"] == .string("private_key_jwt") && sent["jwks"] == plan.metadata.keys)
          #expect(sent["scope"] == .string("read write"))
          #expect(
            sent["grant_types"]
              == (own
                ? Self.list("authorization_code", "refresh_token", "client_credentials")
                : Self.list("authorization_code", "refresh_token")))
          #expect(sent["x_own"] == (own ? .string("y") : nil))
        })
      #expect(outcome.client.key == Self.key("k-1") && outcome.client.method == .privateKeyJWT)
    }
  }

  @Test func `a grant that is not registered is added`() async throws {
    let outcome = try await ensure(
      Self.client(), Self.plan(Self.device, "refresh_token", redirect: nil), Self.get(Self.reply()),
      Self.put { #expect($0["grant_types"] == Self.list(Self.device, "refresh_token", "authorization_code")) })
    guard case .changed(let client) = outcome else {
      Issue.record("not changed: \(outcome)")
      return
    }
    #expect(client.management?.grantTypes?.contains(Self.device) == true)
    #expect(client.management?.redirectURIs.first == Self.redirect)
    let again = try await ensure(client, Self.plan(Self.device, redirect: nil))
    #expect(again == .kept(client))
    // One that the server leaves out is no change for the better.
    let other = try await ensure(
      Self.client(), Self.plan(Self.device, redirect: nil), Self.get(Self.reply()),
      Self.put(Self.reply(#","grant_types":["authorization_code"]"#)), Self.another)
    #expect(other.client.id == "c-2" && other.client.management?.grantTypes == [Self.device])
  }

  @Test func `a public client cannot be one that proves itself`() async throws {
    let plan = Self.plan("client_credentials", isConfidential: true, redirect: nil)
    #expect(try await ensure(Self.client(), plan, Self.another).client.id == "c-2")
    let outcome = try await ensure(Self.client(.basic), plan, Self.get(Self.reply()), Self.put())
    #expect(outcome.client.management?.grantTypes?.first == "client_credentials")
  }

  @Test func `wider scopes are registered once, whatever the server makes of them`() async throws {
    let wider = Self.plan(scopes: ["write", "admin"])
    for told in [#","scope":"read write admin""#, #","scope":"read write""#, ""] {
      let outcome = try await ensure(
        Self.client(), wider, Self.get(Self.reply(#","scope":"read write""#)),
        Self.put(Self.reply(told)) { #expect($0["scope"] == .string("read write admin")) })
      #expect(try await ensure(outcome.client, wider) == .kept(outcome.client))
    }
    // Without a way to change it, by another client; where nothing is known of scopes, nothing is done.
    let unmanaged = Self.client { $0.management?.uri = nil }
    #expect(try await ensure(unmanaged, wider, Self.another).client.id == "c-2")
    let silent = Self.client { $0.management?.metadata?["scope"] = nil }
    #expect(try await ensure(silent, wider) == .kept(silent))
    let older = Self.client { $0.management?.metadata = nil }
    #expect(try await ensure(older, Self.plan(Self.device, scopes: ["x"])) == .kept(older))
  }

  @Test func `a key that the server never got is registered, with a client of its own where there was none`()
    async throws
  {
    let plan = Self.plan(key: Self.key("k-2"))
    let outcome = try await ensure(
      Self.client(), plan,
      Exchange(.post, Self.endpoint) { request in
        #expect(request.text.contains("public half of k-2"))
        return .json(#"{"client_id":"c-2"}"#, status: 201)
      })
    #expect(outcome.client.id == "c-2" && outcome.client.key == Self.key("k-2"))
    await #expect(throws: RegistrationFailure.self) { try await ensure(Self.client(), plan, mayReplace: false) }
    let other = Self.client(.privateKeyJWT) { $0.key = Self.key("k-1") }
    let changed = try await ensure(
      other, plan, Self.get(Self.reply()), Self.put { #expect($0["jwks"] == plan.metadata.keys) })
    #expect(changed.client.id == "c-1" && changed.client.key == Self.key("k-2"))
  }

  @Test func `another client of ours that fits is taken before a new one is registered`() async throws {
    let store = MemoryStore()
    let device = Self.client(id: "c-3") {
      $0.management?.metadata?["grant_types"] = Self.list(Self.device)
    }
    try store.put(device)
    try store.put(Self.client(id: "c-4") { $0.management?.issuer = "https://other.example" })
    try store.put(Self.client(id: "c-5") { $0.management?.isRefused = true })
    let unmanaged = Self.client { $0.management?.uri = nil }
    let outcome = try await ensure(unmanaged, Self.plan(Self.device, redirect: nil), store: store)
    #expect(outcome == .exchanged(device))
    let none = try await ensure(unmanaged, Self.plan("implicit"), store: store, Self.another)
    #expect(none.client.id == "c-2")
  }

  @Test func `a client that its server refuses is used again only where there is something new`() async throws {
    let store = MemoryStore()
    try store.put(Self.client(.basic))
    try store.put(ClientRegistration(id: "own", secret: Secret("s")))
    let kept = KeptRegistration(store: store, network: Network(asking: FakeHTTPClient()))
    #expect(try await kept.refused("c-1", of: "acme"))
    #expect(try await !kept.refused("own", of: "acme"))
    #expect(try await !kept.refused("none", of: "acme"))
    let refused = try #require(try ClientStore(store).load("c-1", provider: "acme"))
    for gone in [401, 404] {
      let outcome = try await ensure(refused, Self.plan(), Self.get(.text("", status: gone)), Self.another)
      #expect(outcome.client.id == "c-2")
    }
    #expect(try await ensure(refused, Self.plan(), Self.get(Self.reply()), Self.another).client.id == "c-2")
    let unread = HTTPResponse.text("", status: 405)
    #expect(
      try await ensure(refused, Self.plan(), Self.get(unread), Self.put(), Self.another).client.id == "c-2")
    let mended = try await ensure(
      refused, Self.plan(),
      Self.get(Self.reply(#","client_secret":"s-2","token_endpoint_auth_method":"client_secret_basic""#)))
    #expect(mended.client.id == "c-1" && mended.client.secret == Secret("s-2"))
    #expect(mended.client.management?.isRefused == nil)
  }

  @Test func `a client that was not heard of for a while is asked for before a login relies on it`() async throws {
    let fresh = Self.client { $0.management?.seenAt = Sample.now.addingTimeInterval(-3599) }
    #expect(try await ensure(fresh, Self.plan()) == .kept(fresh))
    let old = Self.client { $0.management?.seenAt = Sample.now.addingTimeInterval(-3600) }
    let seen = try await ensure(old, Self.plan(), Self.get(Self.reply()))
    guard case .kept(let client) = seen else {
      Issue.record("not kept: \(seen)")
      return
    }
    #expect(client.management?.seenAt == Sample.now && client.management?.scopes == ["read", "write"])
    // It is said to be gone once and again, and there is another.
    let gone = HTTPResponse.text("", status: 401)
    #expect(try await ensure(old, Self.plan(), Self.get(gone), Self.get(gone), Self.another).client.id == "c-2")
    for none in [HTTPResponse.text("", status: 503), .text("", status: 405)] {
      #expect(try await ensure(old, Self.plan(), Self.get(none)).client.id == "c-1")
    }
    let down = Exchange(.get, Self.uri) { _ in
      throw TransportError(kind: .timedOut, host: "h", message: "m", mayHaveArrived: false)
    }
    #expect(try await ensure(old, Self.plan(), down) == .kept(old))
  }

  @Test func `the provider's header lines go along`() async throws {
    var plan = Self.plan(Self.device, redirect: nil)
    plan.headers = [HTTPHeader("X-Version", "1"), HTTPHeader("Accept", "x/y")]
    let http = FakeHTTPClient(Self.another)
    _ = try await RegisterClient(network: Network(asking: http)).register(plan)
    #expect(http.requests[0].headers("X-Version") == ["1"])
    #expect(http.requests[0].headers("Accept") == ["application/json"])
  }
}

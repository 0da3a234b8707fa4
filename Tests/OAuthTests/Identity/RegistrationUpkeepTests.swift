import Crypto
import OAuth
import TestSupport
import Testing

struct RegistrationUpkeepTests {
  private static let asked = ClientMetadata(
    name: "oauthctl", redirectURIs: ["http://127.0.0.1:8085/callback", "http://127.0.0.1/callback"])

  private func validate(_ text: String) throws(RegistrationFailure) -> ClientRegistration {
    let request = HTTPRequest(method: .put, url: "https://server.example.com/register/s6BhdRkqt3")
    let registered = try DynamicRegistration.receive(
      .json(text), to: request, asked: Self.asked, present: Self.client, now: Sample.now)
    if let flaw = registered.flaw { throw flaw }
    return registered.client
  }

  private func body(_ request: HTTPRequest?) -> [String: JSONValue] {
    JSONValue(parsing: (request?.text ?? "").utf8)?.members ?? [:]
  }

  private static let client: ClientRegistration = {
    var client = ClientRegistration(id: "s6BhdRkqt3", secret: Secret("cf136"), method: .basic)
    client.management = RegistrationManagement(
      uri: "https://server.example.com/register/s6BhdRkqt3", token: Secret("reg-23410913-abewfq.123483"),
      redirectURIs: ["http://127.0.0.1/callback"])
    return client
  }()

  @Test func `a registration is read, changed and ended with its own token`() throws {
    let read = try #require(RegistrationUpkeep.read(Self.client))
    let update = try #require(RegistrationUpkeep.update(Self.client, to: Self.asked))
    let delete = try #require(RegistrationUpkeep.delete(Self.client))
    #expect([read.method, update.method, delete.method] == [.get, .put, .delete])
    for request in [read, update, delete] {
      #expect(request.url == "https://server.example.com/register/s6BhdRkqt3")
      #expect(request.headers("Authorization") == ["Bearer reg-23410913-abewfq.123483"])
    }
    let sent = body(update)
    #expect(sent["client_id"] == .string("s6BhdRkqt3") && sent["client_secret"] == .string("cf136"))
    #expect(sent["redirect_uris"] == .array(Self.asked.redirectURIs.map(JSONValue.string)))
    // RFC 7592 section 2.2: these must not be sent.
    for name in ["registration_access_token", "registration_client_uri", "client_secret_expires_at"] {
      #expect(sent[name] == nil)
    }
    #expect(read.body == nil && delete.body == nil)
  }

  @Test func `a client that cannot be managed has no such requests`() {
    var client = Self.client
    client.management?.token = nil
    #expect(RegistrationUpkeep.read(client) == nil && RegistrationUpkeep.delete(client) == nil)
    client.management = nil
    #expect(RegistrationUpkeep.update(client, to: Self.asked) == nil)
  }

  @Test func `what a change does not repeat stays`() throws {
    let client = try validate(
      #"{"client_id":"s6BhdRkqt3","token_endpoint_auth_method":"client_secret_basic"}"#)
    #expect(client.management?.token == Self.client.management?.token && client.method == .basic)
    #expect(client.management?.redirectURIs == Self.asked.redirectURIs)
    let rotated = try validate(
      #"{"client_id":"s6BhdRkqt3","registration_access_token":"new","client_secret":"n"}"#)
    #expect(rotated.management?.token == Secret("new") && rotated.secret == Secret("n"))
    #expect(rotated.management?.uri == Self.client.management?.uri)
  }

  @Test(arguments: [(204, true), (200, true), (202, true), (401, false), (404, false), (410, false)])
  func `a deletion is over when the client is gone`(_ status: Int, _ wasThere: Bool) throws {
    let request = try #require(RegistrationUpkeep.delete(Self.client))
    #expect(
      try RegistrationUpkeep.validateDeletion(.text("", status: status), to: request, now: Sample.now) == wasThere)
  }

  @Test func `a deletion that the server does not do, or cannot do now, is told`() throws {
    let request = try #require(RegistrationUpkeep.delete(Self.client))
    #expect(throws: RegistrationFailure.upkeepRefused(ServerError(status: 405))) {
      try RegistrationUpkeep.validateDeletion(.text("", status: 405), to: request, now: Sample.now)
    }
    #expect(throws: RegistrationFailure.upkeepTransient(ServerError(status: 500), retryAfter: nil)) {
      try RegistrationUpkeep.validateDeletion(.text("", status: 500), to: request, now: Sample.now)
    }
    #expect(throws: RegistrationFailure.upkeepRefused(ServerError(status: 403))) {
      try RegistrationUpkeep.validateDeletion(.text("", status: 403), to: request, now: Sample.now)
    }
  }

  /// What the server has, with a member that nobody here knows.
  private static let present: [String: JSONValue] = [
    "client_id": .string("s6BhdRkqt3"), "client_id_issued_at": .integer(1), "client_secret_expires_at": .integer(0),
    "registration_client_uri": .string("https://server.example.com/r"), "client_name": .string("Theirs"),
    "redirect_uris": .array([.string("http://127.0.0.1/callback")]),
    "grant_types": .array([.string("client_credentials"), .string("refresh_token")]),
    "response_types": .array([.string("token")]), "scope": .string("a b"),
    "token_endpoint_auth_method": .string("private_key_jwt"), "jwks": .object(["keys": .array([.string("old")])]),
    "token_endpoint_auth_signing_alg": .string("RS256"), "x_unknown": .array([.bool(true)]), "logo_uri": .null,
  ]

  @Test func `a change says all that the server has, and what is new`() throws {
    var asked = Self.asked
    asked.scopes = ["b", "c"]
    let merged = RegistrationUpkeep.merged(asked, into: Self.present, of: Self.client)
    let sent = body(RegistrationUpkeep.update(Self.client, to: merged))
    let expected: [String: JSONValue] = [
      "client_id": .string("s6BhdRkqt3"), "client_secret": .string("cf136"), "client_name": .string("Theirs"),
      "application_type": .string("native"), "scope": .string("a b c"),
      "redirect_uris": .array(Self.asked.redirectURIs.map(JSONValue.string)),
      "grant_types": .array(["authorization_code", "refresh_token", "client_credentials"].map(JSONValue.string)),
      "response_types": .array([.string("code"), .string("token")]),
      "token_endpoint_auth_method": .string("private_key_jwt"),
      "jwks": .object(["keys": .array([.string("old")])]), "token_endpoint_auth_signing_alg": .string("RS256"),
      "x_unknown": .array([.bool(true)]),
    ]
    #expect(sent == expected)
  }

  @Test func `a key of the login's takes the place of the registered one, for a client that has one`() {
    var asked = Self.asked
    asked.authMethod = "private_key_jwt"
    (asked.keys, asked.authAlgorithm) = (.object(["keys": .array([.string("new")])]), "ES256")
    var present = Self.present
    present["jwks_uri"] = .string("https://keys.example")
    let merged = RegistrationUpkeep.merged(asked, into: present, of: Self.client)
    #expect(merged.keys == asked.keys && merged.authAlgorithm == "ES256")
    #expect(merged.further["jwks"] == nil && merged.further["jwks_uri"] == nil)
    present["token_endpoint_auth_method"] = .string("client_secret_basic")
    let other = RegistrationUpkeep.merged(asked, into: present, of: Self.client)
    #expect(other.keys == nil && other.authMethod == "client_secret_basic" && other.further["jwks"] != nil)
  }

  @Test func `what is kept of a registration serves where it cannot be read`() throws {
    let reply =
      #"{"client_id":"s6BhdRkqt3","grant_types":["client_credentials"],"scope":"x y","x_unknown":1,"token_endpoint_auth_method":"client_secret_basic"}"#
    let kept = try validate(reply)
    #expect(kept.management?.grantTypes == ["client_credentials"] && kept.management?.scopes == ["x", "y"])
    let merged = RegistrationUpkeep.merged(Self.asked, into: nil, of: kept)
    #expect(merged.grantTypes == ["authorization_code", "refresh_token", "client_credentials"])
    #expect(merged.scopes == ["x", "y"] && merged.further["x_unknown"] == .integer(1))
    // Nothing that is secret, and no more than an item should hold.
    #expect(kept.management?.metadata?["client_id"] == nil && kept.management?.metadata?["client_secret"] == nil)
    let long = try validate(
      #"{"client_id":"s6BhdRkqt3","x":"\#(String(repeating: "x", count: 20000))","scope":"x","token_endpoint_auth_method":"client_secret_basic"}"#
    )
    #expect(long.management?.metadata?["x"] == nil && long.management?.scopes == ["x"])
  }

  @Test func `where the server chose the scopes, a change names none`() {
    var asked = Self.asked
    asked.scopes = ["a"]
    #expect(RegistrationUpkeep.merged(asked, into: ["client_name": .string("n")], of: Self.client).scopes == nil)
  }

  @Test func `no end, without the secret, says nothing of the one that is kept`() throws {
    var client = Self.client
    client.secretExpiresAt = Sample.now
    for end in ["", #","client_secret_expires_at":0"#, #","client_secret_expires_at":null"#] {
      let request = try #require(RegistrationUpkeep.read(client))
      let fresh = try DynamicRegistration.receive(
        .json(#"{"client_id":"s6BhdRkqt3"\#(end)}"#), to: request, asked: Self.asked, present: client, now: Sample.now)
      #expect(fresh.client.secret == client.secret && fresh.client.secretExpiresAt == Sample.now)
    }
  }
}

import Crypto
import OAuth
import TestSupport
import Testing

struct RegistrationUpkeepTests {
  private static let asked = ClientMetadata(
    name: "oauthctl", redirectURIs: ["http://127.0.0.1:8085/callback", "http://127.0.0.1/callback"])

  private func validate(_ text: String) throws(RegistrationFailure) -> ClientRegistration {
    let request = HTTPRequest(method: .put, url: "https://server.example.com/register/s6BhdRkqt3")
    return try DynamicRegistration.validate(
      .json(text), to: request, asked: Self.asked, present: Self.client, now: Sample.now
    ).client
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
    #expect(throws: RegistrationFailure.notOffered(url: request.url, status: 405)) {
      try RegistrationUpkeep.validateDeletion(.text("", status: 405), to: request, now: Sample.now)
    }
    #expect(throws: RegistrationFailure.transient(ServerError(status: 500), retryAfter: nil)) {
      try RegistrationUpkeep.validateDeletion(.text("", status: 500), to: request, now: Sample.now)
    }
    #expect(throws: RegistrationFailure.tokenRefused(ServerError(status: 403), wasSent: true)) {
      try RegistrationUpkeep.validateDeletion(.text("", status: 403), to: request, now: Sample.now)
    }
  }
}

import Crypto
import Foundation
import OAuth
import TestSupport
import Testing

struct DynamicRegistrationTests {
  private static let endpoint = "https://server.example.com/register"
  private static let asked = ClientMetadata(
    name: "oauthctl", redirectURIs: ["http://127.0.0.1:8085/callback", "http://127.0.0.1/callback"])

  private func validate(
    _ response: HTTPResponse, asked: ClientMetadata = asked, token: Secret? = nil, present: ClientRegistration? = nil
  ) throws(RegistrationFailure) -> DynamicRegistration.Registered {
    let request = DynamicRegistration.request(asked, endpoint: Self.endpoint, initialAccessToken: token)
    let registered = try DynamicRegistration.receive(
      response, to: request, asked: asked, present: present, issuer: "https://id.example.com/", now: Sample.now)
    if let flaw = registered.flaw { throw flaw }
    return registered
  }

  private func body(_ request: HTTPRequest?) -> [String: JSONValue] {
    JSONValue(parsing: (request?.text ?? "").utf8)?.members ?? [:]
  }

  @Test func `a native public client says what it is, and no more`() {
    let request = DynamicRegistration.request(Self.asked, endpoint: Self.endpoint)
    #expect(request.method == .post && request.url == Self.endpoint)
    #expect(request.headers("Content-Type") == ["application/json"] && request.headers("Authorization").isEmpty)
    #expect(
      request.text
        == #"{"application_type":"native","client_name":"oauthctl","grant_types":["authorization_code","refresh_token"],"redirect_uris":["http://127.0.0.1:8085/callback","http://127.0.0.1/callback"],"response_types":["code"],"token_endpoint_auth_method":"none"}"#
    )
  }

  @Test func `each further member is sent under its name`() {
    var metadata = Self.asked
    metadata.scopes = ["a", "b"]
    metadata.authMethod = "private_key_jwt"
    metadata.authAlgorithm = "ES256"
    metadata.keys = .object(["keys": .array([])])
    metadata.bindsTokensToKey = true
    metadata.softwareVersion = "1"
    metadata.softwareStatement = Secret("a.b.c")
    metadata.further = ["contacts": .array([.string("x@y")]), "client_name": .string("other")]
    let sent = body(DynamicRegistration.request(metadata, endpoint: Self.endpoint))
    let expected: [String: JSONValue] = [
      "scope": .string("a b"), "token_endpoint_auth_method": .string("private_key_jwt"),
      "token_endpoint_auth_signing_alg": .string("ES256"), "jwks": .object(["keys": .array([])]),
      "dpop_bound_access_tokens": .bool(true), "software_version": .string("1"),
      "software_statement": .string("a.b.c"),
      "contacts": .array([.string("x@y")]), "client_name": .string("other"),
    ]
    for (name, value) in expected { #expect(sent[name] == value, "\(name)") }
    #expect(sent.count == expected.count + 4)
  }

  @Test func `an initial access token is sent as a bearer's`() {
    let request = DynamicRegistration.request(Self.asked, endpoint: Self.endpoint, initialAccessToken: Secret("i-1"))
    #expect(request.headers("Authorization") == ["Bearer i-1"])
  }

  /// The response of RFC 7591 section 3.2.1, with RFC 7592's members of section 3.
  private static let example =
    #"{"registration_access_token":"reg-23410913-abewfq.123483","registration_client_uri":"https://server.example.com/register/s6BhdRkqt3","client_id":"s6BhdRkqt3","client_secret":"cf136dc3c1fc93f31185e5885805d","client_id_issued_at":2893256800,"client_secret_expires_at":2893276800,"redirect_uris":["https://client.example.org/callback","https://client.example.org/callback2"],"grant_types":["authorization_code","refresh_token"],"client_name":"My Example Client","token_endpoint_auth_method":"client_secret_basic","logo_uri":"https://client.example.org/logo.png","example_extension_parameter":"example_value"}"#

  @Test func `the examples of RFC 7591 and RFC 7592 are read`() throws {
    let registered = try validate(.json(Self.example, status: 201))
    let client = registered.client
    #expect(client.id == "s6BhdRkqt3" && client.secret == Secret("cf136dc3c1fc93f31185e5885805d"))
    #expect(client.method == .basic && client.secretExpiresAt == Date(timeIntervalSince1970: 2_893_276_800))
    #expect(client.management?.uri == "https://server.example.com/register/s6BhdRkqt3")
    #expect(client.management?.token == Secret("reg-23410913-abewfq.123483"))
    #expect(client.management?.redirectURIs.count == 2 && registered.redirectURIs.count == 2)
    #expect(client.management?.grantTypes == ["authorization_code", "refresh_token"])
    #expect(client.management?.scopes == nil)
    #expect(registered.metadata["example_extension_parameter"] == .string("example_value"))
    #expect(registered.metadata["client_secret"] == nil && registered.metadata["registration_access_token"] == nil)
  }

  @Test func `what the server does not repeat is as it was asked for`() throws {
    let registered = try validate(.json(#"{"client_id":"c"}"#))
    #expect(registered.client.method == ClientAuthMethod.none && registered.client.secret == nil)
    #expect(registered.redirectURIs == Self.asked.redirectURIs)
    let management = registered.client.management
    #expect(management?.uri == nil && management?.token == nil && !registered.isManagementRefused)
    #expect(management?.redirectURIs == Self.asked.redirectURIs && management?.grantTypes == Self.asked.grantTypes)
  }

  struct Method: CustomTestStringConvertible, Sendable {
    let asked: String
    let reply: String
    let method: ClientAuthMethod?
    var testDescription: String { "\(asked), \(reply)" }
  }

  @Test(arguments: [
    Method(
      asked: "none", reply: #""client_secret":"s","token_endpoint_auth_method":"client_secret_post""#, method: .post),
    Method(
      asked: "none", reply: #""client_secret":"s","token_endpoint_auth_method":"none""#, method: ClientAuthMethod.none),
    Method(asked: "none", reply: #""client_secret":"s""#, method: .basic),
    Method(asked: "client_secret_post", reply: #""client_secret":"s""#, method: .post),
    Method(asked: "client_secret_basic", reply: #""token_endpoint_auth_method":"none""#, method: ClientAuthMethod.none),
    Method(asked: "none", reply: #""client_secret":"","token_endpoint_auth_method":"""#, method: ClientAuthMethod.none),
    Method(asked: "private_key_jwt", reply: #""x":1"#, method: .privateKeyJWT),
    Method(
      asked: "self_signed_tls_client_auth", reply: #""token_endpoint_auth_method":"tls_client_auth""#, method: .tls),
    Method(
      asked: "none", reply: #""client_secret":"s","token_endpoint_auth_method":"client_secret_jwt""#,
      method: .clientSecretJWT),
  ]) func `a server that registers another authentication is followed`(_ row: Method) throws {
    var asked = Self.asked
    asked.authMethod = row.asked
    #expect(try validate(.json(#"{"client_id":"c",\#(row.reply)}"#), asked: asked).client.method == row.method)
  }

  @Test(arguments: [
    ("none", #""token_endpoint_auth_method":"client_secret_basic""#, "client_secret_basic"),
    ("client_secret_post", #""x":1"#, "client_secret_post"),
    ("none", #""token_endpoint_auth_method":"private_key_jwt""#, "private_key_jwt"),
    ("none", #""token_endpoint_auth_method":"magic""#, "magic"),
  ]) func `an authentication that the client cannot do is no registration`(
    _ asks: String, _ reply: String, _ name: String
  ) {
    var asked = Self.asked
    asked.authMethod = asks
    let failure = #expect(throws: RegistrationFailure.self) {
      try validate(.json(#"{"client_id":"c",\#(reply)}"#), asked: asked)
    }
    guard case .unusableMethod(name, _) = failure else {
      Issue.record("another failure: \(failure as Any)")
      return
    }
  }

  @Test(
    arguments: [
      ("0", nil), ("1800000100", 1_800_000_100), (#""1800000100""#, 1_800_000_100), ("1800000100000", 1_800_000_100),
      ("-1", nil), (#""soon""#, nil), ("null", nil), ("1e300", nil), ("1800000100.5", 1_800_000_100.5),
    ] as [(String, Double?)]) func `when a secret ends is read as servers write it`(_ text: String, _ end: Double?)
    throws
  {
    let reply = #"{"client_id":"c","client_secret":"s","client_secret_expires_at":\#(text)}"#
    #expect(try validate(.json(reply)).client.secretExpiresAt == end.map { Date(timeIntervalSince1970: $0) })
  }

  @Test(arguments: [
    #""registration_client_uri":"http://server.example.com/r","registration_access_token":"t""#,
    #""registration_client_uri":"https://server.example.com/r""#, #""registration_access_token":"t""#,
    #""registration_client_uri":"https://server.example.com/r","registration_access_token":"a\r\nb""#,
    // RFC 7592 section 5: the token is for the server that gave it.
    #""registration_client_uri":"https://evil.example/r","registration_access_token":"t""#,
    #""registration_client_uri":"https://server.example.com:444/r","registration_access_token":"t""#,
    #""registration_client_uri":"https://server.example.com.evil.example/r","registration_access_token":"t""#,
    #""registration_client_uri":"file:///etc/passwd","registration_access_token":"t""#,
    #""registration_client_uri":7,"registration_access_token":"t""#,
    #""registration_client_uri":"/register/c","registration_access_token":"t""#,
    #""registration_client_uri":"http://127.0.0.1/r","registration_access_token":"t""#,
  ]) func `what cannot be managed safely is not managed`(_ members: String) throws {
    let registered = try validate(.json(#"{"client_id":"c",\#(members)}"#))
    let management = registered.client.management
    #expect(management?.uri == nil && management?.token == nil && management?.redirectURIs.count == 2)
    // One half of the two is no offer.
    #expect(registered.isManagementRefused == (members.contains("client_uri") && members.contains("token")))
  }

  @Test func `a registration is managed at the issuer, too`() throws {
    let registered = try validate(
      .json(
        #"{"client_id":"c","registration_client_uri":"https://id.example.com/r","registration_access_token":"t"}"#))
    #expect(registered.client.management?.uri == "https://id.example.com/r" && !registered.isManagementRefused)
  }

  @Test(arguments: [
    (#""cli\u00e9nt""#, "other characters than printable ASCII"), (#""a\nb""#, "other characters"),
    ("\"" + String(repeating: "x", count: 200_000) + "\"", "200000 characters, more than 2048"), ("7", "no text"),
    ("null", "no client_id in it"), (#""""#, "no client_id in it"),
  ]) func `what is wrong with an id is said`(_ id: String, _ words: String) {
    let failure = #expect(throws: RegistrationFailure.self) {
      try validate(.json("{\"client_id\":\(id)}", status: 201))
    }
    guard case .unreadable(_, let reason) = failure else {
      Issue.record("another failure: \(failure as Any)")
      return
    }
    #expect(reason.contains(words), "\(reason)")
  }

  static let failures: [Named<(HTTPResponse, RegistrationFailure)>] = [
    // RFC 7591 section 3.2.2
    Named(
      "invalid_redirect_uri",
      (
        .error("invalid_redirect_uri", description: "The redirection URI is not allowed by this server."),
        .refused(
          ServerError(
            status: 400, code: "invalid_redirect_uri",
            description: "The redirection URI is not allowed by this server."), .redirectURI)
      )),
    Named(
      "invalid_client_metadata",
      (
        .error("invalid_client_metadata"),
        .refused(ServerError(status: 400, code: "invalid_client_metadata"), .clientMetadata)
      )),
    Named(
      "invalid_software_statement",
      (
        .error("invalid_software_statement"),
        .refused(
          ServerError(status: 400, code: "invalid_software_statement"), .softwareStatement(isApproved: true))
      )),
    Named(
      "unapproved_software_statement",
      (
        .error("unapproved_software_statement", status: 403),
        .refused(
          ServerError(status: 403, code: "unapproved_software_statement"), .softwareStatement(isApproved: false))
      )),
    Named("401", (.text("", status: 401), .tokenRefused(ServerError(status: 401), wasSent: false))),
    Named("403", (.text("<html>", status: 403), .tokenRefused(ServerError(status: 403), wasSent: false))),
    Named(
      "invalid_token",
      (
        .error("invalid_token", status: 400),
        .tokenRefused(ServerError(status: 400, code: "invalid_token"), wasSent: false)
      )),
    Named("501", (.text("", status: 501), .notOffered(url: endpoint, status: 501))),
    Named("404", (.text("", status: 404), .notOffered(url: endpoint, status: 404))),
    Named("405", (.text("", status: 405), .notOffered(url: endpoint, status: 405))),
    Named("503", (.text("", status: 503), .transient(ServerError(status: 503), retryAfter: nil))),
    Named(
      "429",
      (
        HTTPResponse(status: 429, headers: [HTTPHeader("Retry-After", "7")]),
        .transient(ServerError(status: 429), retryAfter: 7)
      )),
    Named(
      "server_error",
      (.error("server_error"), .transient(ServerError(status: 400, code: "server_error"), retryAfter: nil))),
    Named("another error", (.error("x"), .refused(ServerError(status: 400, code: "x"), .other))),
    Named("no client", (.json("{}", status: 201), .unreadable(ServerError(status: 201), reason: "no client_id in it"))),
    Named(
      "a client without a name",
      (.json(#"{"client_id":""}"#), .unreadable(ServerError(status: 200), reason: "no client_id in it"))),
    Named("a page", (.text("<html>"), .unreadable(ServerError(status: 200), reason: "no client_id in it"))),
    Named(
      "302", (.text("", status: 302), .unreadable(ServerError(status: 302), reason: "a redirect instead of a reply"))),
  ]

  @Test(arguments: failures) func `what is no registration is told apart`(
    _ row: Named<(HTTPResponse, RegistrationFailure)>
  ) {
    #expect(throws: row.value.1) { try validate(row.value.0) }
  }

  @Test func `a token that was sent and refused is told from one that was missing`() {
    #expect(throws: RegistrationFailure.tokenRefused(ServerError(status: 401), wasSent: true)) {
      try validate(.text("", status: 401), token: Secret("t"))
    }
  }
}

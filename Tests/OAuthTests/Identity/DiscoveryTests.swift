import OAuth
import TestSupport
import Testing

struct DiscoveryTests {
  static let places: [(issuer: String, urls: [String])] = [
    (
      "https://id.acme.example",
      [
        "https://id.acme.example/.well-known/openid-configuration",
        "https://id.acme.example/.well-known/oauth-authorization-server",
      ]
    ),
    (
      "https://id.acme.example/",
      [
        "https://id.acme.example/.well-known/openid-configuration",
        "https://id.acme.example/.well-known/oauth-authorization-server",
      ]
    ),
    (
      "https://id.acme.example:8443/realms/a",
      [
        "https://id.acme.example:8443/realms/a/.well-known/openid-configuration",
        "https://id.acme.example:8443/.well-known/oauth-authorization-server/realms/a",
        "https://id.acme.example:8443/realms/a/.well-known/oauth-authorization-server",
      ]
    ),
    (
      "http://127.0.0.1:9000/o/",
      [
        "http://127.0.0.1:9000/o/.well-known/openid-configuration",
        "http://127.0.0.1:9000/.well-known/oauth-authorization-server/o",
        "http://127.0.0.1:9000/o/.well-known/oauth-authorization-server",
      ]
    ),
    (
      "https://[::1]:1/x",
      [
        "https://[::1]:1/x/.well-known/openid-configuration",
        "https://[::1]:1/.well-known/oauth-authorization-server/x",
        "https://[::1]:1/x/.well-known/oauth-authorization-server",
      ]
    ),
  ]

  @Test(arguments: places) func `metadata is looked for in every place that servers have it`(
    _ row: (issuer: String, urls: [String])
  ) {
    #expect(Discovery.urls(for: row.issuer) == row.urls)
  }

  @Test func `it is asked for as JSON`() {
    let request = Discovery.request(url: "https://h/x")
    #expect(request.method == .get && request.url == "https://h/x" && request.body == nil)
    #expect(request.headers == [HTTPHeader("Accept", "application/json")])
  }

  @Test func `every endpoint is read, under its name in the metadata`() throws {
    let metadata = try read(
      """
      {"issuer":"https://a","authorization_endpoint":"https://a/1","token_endpoint":"https://a/2",
       "device_authorization_endpoint":"https://a/3","revocation_endpoint":"https://a/4","introspection_endpoint":"https://a/5",
       "userinfo_endpoint":"https://a/6","registration_endpoint":"https://a/7","jwks_uri":"https://a/8",
       "pushed_authorization_request_endpoint":"https://a/9","end_session_endpoint":"https://a/10",
       "refresh_endpoint":"https://a/11","scopes_supported":["openid",1,"email"],
       "token_endpoint_auth_methods_supported":["client_secret_post"],
       "authorization_response_iss_parameter_supported":true}
      """)
    let found = Endpoints.all.map { metadata.endpoints[keyPath: $0.keyPath] }
    #expect(
      found == [
        "https://a/1", "https://a/2", nil, "https://a/3", nil, "https://a/4", "https://a/5", "https://a/6",
        "https://a/7",
        "https://a/8", "https://a/9", "https://a/10",
      ])
    #expect(metadata.scopes == ["openid", "email"] && metadata.authMethods == ["client_secret_post"])
    #expect(metadata.sendsIssuer && metadata.issuer == "https://a")
  }

  @Test func `what is not said is not made up`() throws {
    let metadata = try read(
      #"{"issuer":"https://a","token_endpoint":"","jwks_uri":null,"scopes_supported":"openid","authorization_response_iss_parameter_supported":"true"}"#
    )
    #expect(
      metadata.endpoints == Endpoints() && metadata.scopes == nil && metadata.authMethods == nil
        && !metadata.sendsIssuer)
  }

  static let failures: [Named<(HTTPResponse, DiscoveryFailure)>] = [
    Named("404", (.text("", status: 404), .notFound(url: "u", status: 404))),
    Named("401", (.text("", status: 401), .notFound(url: "u", status: 401))),
    Named("302", (.text("", status: 302), .notFound(url: "u", status: 302))),
    Named("201", (.json(#"{"issuer":"https://a"}"#, status: 201), .notFound(url: "u", status: 201))),
    Named("a page", (.text("<html>", type: "text/html"), .notFound(url: "u", status: 200))),
    Named("500", (.text("", status: 500), .transient(ServerError(status: 500)))),
    Named("429", (.text("", status: 429), .transient(ServerError(status: 429)))),
    Named("no JSON", (.text("hello"), .unreadable(url: "u"))), Named("no issuer", (.json("{}"), .unreadable(url: "u"))),
    Named("a list", (.json("[]"), .unreadable(url: "u"))),
    Named("issuer of a number", (.json(#"{"issuer":1}"#), .unreadable(url: "u"))),
    Named(
      "another issuer", (.json(#"{"issuer":"https://b"}"#), .issuerMismatch(expected: "https://a", got: "https://b"))),
    Named(
      "a slash more", (.json(#"{"issuer":"https://a/"}"#), .issuerMismatch(expected: "https://a", got: "https://a/"))),
    Named(
      "another case", (.json(#"{"issuer":"https://A"}"#), .issuerMismatch(expected: "https://a", got: "https://A"))),
    Named(
      "plain http",
      (.json(#"{"issuer":"https://a","token_endpoint":"http://a/t"}"#), .badEndpoint(name: "token", url: "http://a/t"))
    ),
    Named(
      "a script",
      (
        .json(#"{"issuer":"https://a","authorization_endpoint":"javascript:alert(1)"}"#),
        .badEndpoint(name: "authorization", url: "javascript:alert(1)")
      )),
    Named("a path", (.json(#"{"issuer":"https://a","jwks_uri":"/jwks"}"#), .badEndpoint(name: "jwks", url: "/jwks"))),
  ]

  @Test(arguments: failures) func `what cannot be used is told apart`(_ row: Named<(HTTPResponse, DiscoveryFailure)>) {
    #expect(throws: row.value.1) { try Discovery.validate(row.value.0, url: "u", issuer: "https://a") }
  }

  @Test func `a second document fills the gaps of the first, and changes nothing`() throws {
    let first = try read(#"{"issuer":"https://a","token_endpoint":"https://a/1","scopes_supported":["x"]}"#)
    let second = try read(
      #"{"issuer":"https://a","token_endpoint":"https://a/2","revocation_endpoint":"https://a/3","scopes_supported":["y"],"token_endpoint_auth_methods_supported":["m"],"authorization_response_iss_parameter_supported":true}"#
    )
    let merged = first.filled(from: second)
    #expect(merged.endpoints.token == "https://a/1" && merged.endpoints.revocation == "https://a/3")
    #expect(merged.scopes == ["x"] && merged.authMethods == ["m"] && merged.sendsIssuer)
    #expect(second.filled(from: first).sendsIssuer)
  }

  private func read(_ text: String) throws -> ServerMetadata {
    try Discovery.validate(.json(text), url: "u", issuer: "https://a")
  }
}

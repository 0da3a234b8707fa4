import Crypto
import OAuth
import TestSupport
import Testing

struct ProtectedResourceTests {
  private static let example =
    #"{"resource":"https://resource.example.com","authorization_servers":["https://as1.example.com","https://as2.example.net"],"bearer_methods_supported":["header","body"],"scopes_supported":["profile","email","phone"],"resource_documentation":"https://resource.example.com/resource_documentation.html"}"#

  private static func refusal(_ challenges: String..., status: Int = 401) -> HTTPResponse {
    HTTPResponse(status: status, headers: challenges.map { HTTPHeader("WWW-Authenticate", $0) })
  }

  @Test func `the example of RFC 9728 section 3-2 is read`() throws {
    let place = try #require(ProtectedResource.places(of: "https://resource.example.com").first)
    #expect(place.url == "https://resource.example.com/.well-known/oauth-protected-resource")
    let metadata = try ProtectedResource.validate(.json(Self.example), of: place)
    #expect(metadata.resource == "https://resource.example.com")
    #expect(metadata.authorizationServers == ["https://as1.example.com", "https://as2.example.net"])
    #expect(metadata.bearerMethods == ["header", "body"] && metadata.scopes == ["profile", "email", "phone"])
    #expect(metadata.documentation == "https://resource.example.com/resource_documentation.html")
    #expect(!metadata.requiresDPoP && !metadata.bindsTokensToCertificates && metadata.dpopAlgorithms == nil)
  }

  @Test func `each further member is read under its name`() throws {
    let metadata = try ProtectedResource.validate(
      .json(
        #"{"resource":"https://r","dpop_bound_access_tokens_required":true,"dpop_signing_alg_values_supported":["ES256"],"tls_client_certificate_bound_access_tokens":true,"authorization_details_types_supported":["t"],"resource_name":"R","signed_metadata":"a.b.c"}"#
      ), of: ProtectedResource.places(of: "https://r")[0])
    #expect(metadata.requiresDPoP && metadata.dpopAlgorithms == ["ES256"] && metadata.bindsTokensToCertificates)
    #expect(metadata.authorizationDetailsTypes == ["t"] && metadata.name == "R")
    #expect(metadata.signedMetadata?.reveal() == "a.b.c" && metadata.authorizationServers.isEmpty)
  }

  static let places: [(resource: String, urls: [String])] = [
    // RFC 9728 section 3.1
    (
      "https://resource.example.com/resource1",
      [
        "https://resource.example.com/.well-known/oauth-protected-resource/resource1",
        "https://resource.example.com/.well-known/oauth-protected-resource",
      ]
    ),
    ("https://r.example/", ["https://r.example/.well-known/oauth-protected-resource"]),
    (
      "https://R.example:8443/a/b/?t=1",
      [
        "https://r.example:8443/.well-known/oauth-protected-resource/a/b/?t=1",
        "https://r.example:8443/.well-known/oauth-protected-resource",
      ]
    ),
    (
      "http://[::1]:9/mcp",
      [
        "http://[::1]:9/.well-known/oauth-protected-resource/mcp",
        "http://[::1]:9/.well-known/oauth-protected-resource",
      ]
    ), ("mcp", []),
  ]

  @Test(arguments: places) func `the well-known name comes before the path`(
    _ row: (resource: String, urls: [String])
  ) {
    let places = ProtectedResource.places(of: row.resource)
    #expect(places.map(\.url) == row.urls && places.first?.resources ?? [row.resource] == [row.resource])
  }

  @Test func `of a whole host, the host is the resource, with or without a slash, or the very URL`() throws {
    let place = ProtectedResource.places(of: "https://h/mcp")[1]
    for resource in ["https://h", "https://h/", "https://h/mcp"] {
      let metadata = try ProtectedResource.validate(.json(#"{"resource":"\#(resource)"}"#), of: place)
      #expect(metadata.resource == resource)
    }
    #expect(throws: ResourceFailure.resourceMismatch(expected: "https://h/mcp", got: "https://h/other")) {
      try ProtectedResource.validate(.json(#"{"resource":"https://h/other"}"#), of: place)
    }
  }

  static let demands: [Named<(HTTPResponse, url: String?, scopes: [String]?, scheme: String?)>] = [
    Named(
      "RFC 9728 section 5.1",
      (
        refusal(#"Bearer resource_metadata="https://resource.example.com/.well-known/oauth-protected-resource""#),
        "https://resource.example.com/.well-known/oauth-protected-resource", nil, "Bearer"
      )),
    Named("with scopes", (refusal(#"Bearer scope="a b", resource_metadata="u""#), "u", ["a", "b"], "Bearer")),
    Named("no URL", (refusal(#"Bearer realm="r", scope="""#), nil, nil, "Bearer")),
    Named("an empty URL", (refusal(#"DPoP resource_metadata="""#), nil, nil, "DPoP")),
    Named("after Basic", (refusal("Basic realm=x", #"dpop resource_metadata="u""#), "u", nil, "dpop")),
    Named("the one with the URL", (refusal("Bearer, DPoP resource_metadata=u"), "u", nil, "DPoP")),
    Named("another scheme with the URL", (refusal("Custom resource_metadata=u"), "u", nil, "Custom")),
    Named("Basic alone", (refusal("Basic realm=x"), nil, nil, nil)),
    Named("no header", (refusal(), nil, nil, nil)),
    Named("another status", (refusal("Bearer resource_metadata=u", status: 403), nil, nil, nil)),
  ]

  @Test(arguments: demands) func `a refusal says what is wanted`(
    _ row: Named<(HTTPResponse, url: String?, scopes: [String]?, scheme: String?)>
  ) {
    let demand = ProtectedResource.demand(in: row.value.0)
    #expect(demand?.metadataURL == row.value.url && demand?.scopes == row.value.scopes)
    #expect(demand?.scheme == row.value.scheme)
  }

  @Test func `the document that a refusal points to is of the very URL that was asked`() throws {
    let place = try ProtectedResource.place("https://other.example/meta", of: "https://h/mcp")
    #expect(place.url == "https://other.example/meta" && place.resources == ["https://h/mcp"])
    #expect(throws: ResourceFailure.resourceMismatch(expected: "https://h/mcp", got: "https://good.example")) {
      try ProtectedResource.validate(.json(#"{"resource":"https://good.example"}"#), of: place)
    }
    let whole = try ProtectedResource.place("https://h/.well-known/oauth-protected-resource", of: "https://h/mcp")
    #expect(whole.resources == ["https://h/mcp", "https://h", "https://h/"])
  }

  @Test(arguments: [
    ("http://h/meta", "https://h/mcp"), ("/meta", "https://h/mcp"), ("file:///etc/passwd", "https://h/mcp"),
    ("http://127.0.0.1:6379/", "https://h/mcp"), ("https://localhost/x", "https://h/mcp"),
  ]) func `a resource cannot send us just anywhere`(_ url: String, _ resource: String) {
    #expect(throws: ResourceFailure.badURL(name: "resource_metadata", url: url)) {
      try ProtectedResource.place(url, of: resource)
    }
  }

  @Test func `on this machine a resource may point to this machine`() throws {
    #expect(try ProtectedResource.place("http://127.0.0.1:2/m", of: "http://127.0.0.1:1/mcp").url.hasSuffix(":2/m"))
  }

  private static let place = ProtectedResource.Place(url: "u", resources: ["https://r"])

  static let failures: [Named<(HTTPResponse, ResourceFailure)>] = [
    Named("404", (.text("", status: 404), .notFound(url: "u", status: 404))),
    Named("302", (.text("", status: 302), .notFound(url: "u", status: 302))),
    Named("a page", (.text("<html>"), .notFound(url: "u", status: 200))),
    Named("503", (.text("", status: 503), .transient(ServerError(status: 503)))),
    Named("no JSON", (.text("hello"), .unreadable(url: "u"))),
    Named("no resource", (.json("{}"), .unreadable(url: "u"))),
    Named("resource of a number", (.json(#"{"resource":1}"#), .unreadable(url: "u"))),
    Named("another", (.json(#"{"resource":"https://s"}"#), .resourceMismatch(expected: "https://r", got: "https://s"))),
    Named(
      "a slash more",
      (.json(#"{"resource":"https://r/"}"#), .resourceMismatch(expected: "https://r", got: "https://r/"))
    ),
    Named(
      "an issuer in plain http",
      (
        .json(#"{"resource":"https://r","authorization_servers":["http://as"]}"#),
        .badURL(name: "authorization_servers", url: "http://as")
      )),
    Named(
      "an issuer with a query",
      (
        .json(#"{"resource":"https://r","authorization_servers":["https://as?x"]}"#),
        .badURL(name: "authorization_servers", url: "https://as?x")
      )),
    Named(
      "an issuer with a fragment",
      (
        .json(#"{"resource":"https://r","authorization_servers":["https://as#x"]}"#),
        .badURL(name: "authorization_servers", url: "https://as#x")
      )),
    Named(
      "an issuer on this machine",
      (
        .json(#"{"resource":"https://r","authorization_servers":["http://localhost:1"]}"#),
        .badURL(name: "authorization_servers", url: "http://localhost:1")
      )),
  ]

  @Test(arguments: failures) func `what cannot be used is told apart`(_ row: Named<(HTTPResponse, ResourceFailure)>) {
    #expect(throws: row.value.1) { try ProtectedResource.validate(row.value.0, of: Self.place) }
  }

  @Test func `the probe brings no token and wants no stream`() {
    let request = ProtectedResource.probe("https://r/mcp")
    #expect(request.method == .get && request.url == "https://r/mcp" && request.body == nil)
    #expect(request.headers == [HTTPHeader("Accept", "application/json")])
  }
}

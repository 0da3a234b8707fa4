import Crypto
import OAuth
import TestSupport
import Testing

struct ServerMetadataTests {
  private func read(_ text: String, issuer: String = "https://a") throws -> ServerMetadata {
    try Discovery.validate(.json(text), url: "u", issuer: issuer)
  }

  @Test func `the example of RFC 8414 section 3-2 is read`() throws {
    let metadata = try read(
      """
      {"issuer":"https://server.example.com","authorization_endpoint":"https://server.example.com/authorize",
       "token_endpoint":"https://server.example.com/token",
       "token_endpoint_auth_methods_supported":["client_secret_basic", "private_key_jwt"],
       "token_endpoint_auth_signing_alg_values_supported":["RS256", "ES256"],
       "userinfo_endpoint":"https://server.example.com/userinfo","jwks_uri":"https://server.example.com/jwks.json",
       "registration_endpoint":"https://server.example.com/register",
       "scopes_supported":["openid", "profile", "email", "address","phone", "offline_access"],
       "response_types_supported":["code", "code token"],
       "service_documentation":"http://server.example.com/service_documentation.html",
       "ui_locales_supported":["en-US", "en-GB", "en-CA", "fr-FR", "fr-CA"]}
      """, issuer: "https://server.example.com")
    #expect(metadata.endpoints.registration == "https://server.example.com/register")
    #expect(metadata.endpoints.jwks == "https://server.example.com/jwks.json")
    #expect(metadata.authMethods == ["client_secret_basic", "private_key_jwt"])
    #expect(metadata.authAlgorithms == ["RS256", "ES256"] && metadata.responseTypes == ["code", "code token"])
    #expect(metadata.grantTypes == nil && !metadata.requiresPushedRequests && metadata.signedMetadata == nil)
  }

  @Test func `each list is read under its name`() throws {
    let lists: [(String, KeyPath<ServerMetadata, [String]?>)] = [
      ("scopes_supported", \.scopes), ("response_types_supported", \.responseTypes),
      ("response_modes_supported", \.responseModes), ("grant_types_supported", \.grantTypes),
      ("token_endpoint_auth_methods_supported", \.authMethods),
      ("token_endpoint_auth_signing_alg_values_supported", \.authAlgorithms),
      ("request_object_signing_alg_values_supported", \.requestObjectAlgorithms),
      ("dpop_signing_alg_values_supported", \.dpopAlgorithms),
      ("prompt_values_supported", \.promptValues),
    ]
    let members = lists.map { #""\#($0.0)":["\#($0.0)",1,null]"# }.joined(separator: ",")
    let metadata = try read(#"{"issuer":"https://a",\#(members)}"#)
    for (name, path) in lists { #expect(metadata[keyPath: path] == [name], "\(name)") }
    let wrong = try read(
      #"{"issuer":"https://a",\#(lists.map { #""\#($0.0)":"x""# }.joined(separator: ","))}"#)
    for (name, path) in lists { #expect(wrong[keyPath: path] == nil, "\(name)") }
  }

  @Test func `each flag is read under its name, and holds only where it is true`() throws {
    let flags: [(String, KeyPath<ServerMetadata, Bool>)] = [
      ("authorization_response_iss_parameter_supported", \.sendsIssuer),
      ("require_pushed_authorization_requests", \.requiresPushedRequests),
      ("require_signed_request_object", \.requiresSignedRequests),
      ("client_id_metadata_document_supported", \.takesClientIDDocuments),
    ]
    for (name, path) in flags {
      let others = try flags.map { try read(#"{"issuer":"https://a","\#(name)":true}"#)[keyPath: $0.1] }
      #expect(others == flags.map { $0.0 == name })
      for value in ["false", #""true""#, "1", "null", "[true]"] {
        #expect(try !read(#"{"issuer":"https://a","\#(name)":\#(value)}"#)[keyPath: path], "\(name) \(value)")
      }
    }
    #expect(try read(#"{"issuer":"https://a","request_parameter_supported":false}"#).takesRequestParameter == false)
    #expect(try read(#"{"issuer":"https://a"}"#).takesRequestParameter == nil)
  }

  @Test func `a client with a certificate uses the aliases, and the usual endpoints where there are none`() throws {
    // The example of RFC 8705 section 5, shortened.
    let metadata = try read(
      """
      {"issuer":"https://a","authorization_endpoint":"https://a/authz","token_endpoint":"https://a/token",
       "introspection_endpoint":"https://a/introspect","revocation_endpoint":"https://a/revo","jwks_uri":"https://a/jwks",
       "tls_client_certificate_bound_access_tokens":true,
       "mtls_endpoint_aliases":{"token_endpoint":"https://mtls.a/token","revocation_endpoint":"https://mtls.a/revo"}}
      """)
    let own = metadata.endpoints(withCertificate: true)
    #expect(own.token == "https://mtls.a/token" && own.revocation == "https://mtls.a/revo")
    #expect(own.introspection == "https://a/introspect" && own.authorization == "https://a/authz")
    #expect(metadata.endpoints(withCertificate: false).token == "https://a/token")
    #expect(throws: DiscoveryFailure.badEndpoint(name: "token", url: "http://mtls.a/t")) {
      try read(#"{"issuer":"https://a","mtls_endpoint_aliases":{"token_endpoint":"http://mtls.a/t"}}"#)
    }
  }

  @Test func `the claims of signed metadata win`() throws {
    let plain = try read(
      #"{"issuer":"https://a","token_endpoint":"https://a/1","jwks_uri":"https://a/k","scopes_supported":["x"],"signed_metadata":"a.b.c"}"#
    )
    #expect(plain.signedMetadata?.reveal() == "a.b.c")
    let signed = try plain.overridden(by: [
      "iss": .string("https://a"), "token_endpoint": .string("https://a/2"), "iat": .integer(1),
      "require_pushed_authorization_requests": .bool(true), "scopes_supported": .string("not a list"),
      "signed_metadata": .string("d.e.f"),
    ])
    #expect(signed.endpoints.token == "https://a/2" && signed.endpoints.jwks == "https://a/k")
    #expect(signed.requiresPushedRequests && signed.scopes == ["x"] && signed.members["iat"] == nil)
    #expect(signed.signedMetadata?.reveal() == "a.b.c")
    #expect(throws: DiscoveryFailure.badEndpoint(name: "token", url: "ftp://a")) {
      try plain.overridden(by: ["token_endpoint": .string("ftp://a")])
    }
  }

  @Test func `what one of two documents demands, the whole demands`() throws {
    let first = try read(#"{"issuer":"https://a","require_pushed_authorization_requests":false}"#)
    let second = try read(#"{"issuer":"https://a","require_pushed_authorization_requests":true}"#)
    #expect(first.filled(from: second).requiresPushedRequests && second.filled(from: first).requiresPushedRequests)
  }

  @Test func `a list longer than any server has is cut`() throws {
    let scopes = (0..<5000).map { #""s\#($0)""# }.joined(separator: ",")
    #expect(try read(#"{"issuer":"https://a","scopes_supported":[\#(scopes)]}"#).scopes?.count == 1000)
  }

  @Test(arguments: [
    ("https://as.example", "http://127.0.0.1:631/token", false),
    ("https://as.example", "https://localhost/token", false),
    ("https://as.example", "https://other.example/token", true),
    ("http://127.0.0.1:8080", "http://127.0.0.1:631/token", true),
  ]) func `only a server on this machine names what listens on it`(
    _ issuer: String, _ endpoint: String, _ isTaken: Bool
  ) throws {
    for members in [
      #""token_endpoint":"\#(endpoint)""#, #""mtls_endpoint_aliases":{"token_endpoint":"\#(endpoint)"}"#,
    ] {
      let response = HTTPResponse.json(#"{"issuer":"\#(issuer)",\#(members)}"#)
      if isTaken {
        _ = try Discovery.validate(response, url: issuer, issuer: issuer)
      } else {
        #expect(throws: DiscoveryFailure.badEndpoint(name: "token", url: endpoint)) {
          try Discovery.validate(response, url: issuer, issuer: issuer)
        }
      }
    }
  }
}

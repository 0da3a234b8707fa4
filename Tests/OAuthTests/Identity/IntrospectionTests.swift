import Crypto
import Foundation
import OAuth
import TestSupport
import Testing

struct IntrospectionTests {
  private static let endpoint = "https://server.example.com/introspect"
  private static let token = Secret("mF_9.B5f-4.1JqM")

  private static func request(
    hint: String? = "access_token", _ change: (inout IntrospectionStyle) -> Void
  ) throws -> HTTPRequest {
    var style = IntrospectionStyle()
    change(&style)
    let provider = Sample.provider(quirks: { $0.introspection = style })
    let client = ClientRegistration(id: "s6BhdRkqt3", secret: Secret("gX1fBat3bV"))
    return try Introspection.request(
      token, hint: hint, endpoint: endpoint, as: RequestingClient(provider: provider, registration: client),
      stamp: RequestStamp(now: Sample.now, id: "j"))
  }

  @Test func `the request of RFC 7662 section 2-1 is made`() throws {
    let request = try Self.request { _ in }
    #expect(request.method == .post && request.url == Self.endpoint)
    #expect(request.text == "token=mF_9.B5f-4.1JqM&token_type_hint=access_token")
    #expect(request.headers("Authorization") == ["Basic czZCaGRSa3F0MzpnWDFmQmF0M2JW"])
    #expect(request.headers("Accept") == ["application/json"])
    #expect(request.headers("Content-Type") == ["application/x-www-form-urlencoded"])
    #expect(try Self.request(hint: nil) { _ in }.text == "token=mF_9.B5f-4.1JqM")
  }

  static let styles:
    [Named<(change: @Sendable (inout IntrospectionStyle) -> Void, url: String, body: String?, auth: [String])>] = [
      Named(
        "in the path",
        (
          {
            ($0.method, $0.auth, $0.tokenIn) = (.get, IntrospectionStyle.Authentication.none, .path)
          }, endpoint + "/mF_9.B5f-4.1JqM", nil, []
        )),
      Named(
        "in the query",
        (
          {
            ($0.method, $0.auth, $0.tokenIn) = (.get, .id, .query)
          }, endpoint + "?token=mF_9.B5f-4.1JqM&client_id=s6BhdRkqt3", nil, []
        )),
      Named(
        "JSON with Basic",
        (
          {
            ($0.auth, $0.tokenIn) = (.basic, .json)
          }, endpoint, #"{"token":"mF_9.B5f-4.1JqM"}"#, ["Basic czZCaGRSa3F0MzpnWDFmQmF0M2JW"]
        )),
      Named(
        "the token itself",
        (
          {
            ($0.method, $0.auth, $0.tokenIn) = (.get, .bearer, .header)
          }, endpoint, nil, ["Bearer mF_9.B5f-4.1JqM"]
        )),
      Named(
        "the token by another word",
        (
          {
            ($0.auth, $0.tokenIn, $0.scheme) = (.bearer, .header, "OAuth")
          }, endpoint, "", ["OAuth mF_9.B5f-4.1JqM"]
        )),
      Named(
        "a GET of a form",
        (
          {
            ($0.method, $0.auth) = (.get, IntrospectionStyle.Authentication.none)
          }, endpoint + "?token=mF_9.B5f-4.1JqM", nil, []
        )),
    ]

  @Test(arguments: styles) func `a provider's own way is taken`(
    _ row: Named<(change: @Sendable (inout IntrospectionStyle) -> Void, url: String, body: String?, auth: [String])>
  ) throws {
    let request = try Self.request(row.value.change)
    #expect(request.url == row.value.url && request.body?.reveal() == row.value.body)
    #expect(request.headers("Authorization") == row.value.auth)
    #expect(request.headers("Content-Type") == (row.value.body?.first == "{" ? ["application/json"] : []))
  }

  @Test func `the reply of RFC 7662 section 2-2 is read`() throws {
    let reply = HTTPResponse.json(
      #"{"active":true,"client_id":"l238j323ds-23ij4","username":"jdoe","scope":"read write dolphin","sub":"Z5O3upPC88QrAjx00dis","aud":"https://protected.example.net/resource","iss":"https://server.example.com/","exp":1419356238,"iat":1419350238,"extension_field":"twenty-seven"}"#
    )
    let found = try Introspection.validate(reply, provider: Sample.provider(), now: Sample.now)
    #expect(found.isActive && found.scopes == ["read", "write", "dolphin"] && found.subject == "jdoe")
    #expect(found.expiresAt == Date(timeIntervalSince1970: 1_419_356_238))
    #expect(found.claims["extension_field"] == .string("twenty-seven"))
    let dead = try Introspection.validate(.json(#"{"active":false}"#), provider: Sample.provider(), now: Sample.now)
    #expect(!dead.isActive && dead.scopes == nil && dead.expiresAt == nil && dead.subject == nil)
  }

  static let failures: [Named<(HTTPResponse, Introspection.Failure)>] = [
    Named("401", (.error("invalid_client", status: 401), .refused(ServerError(status: 401, code: "invalid_client")))),
    Named(
      "no word",
      (.json("{}"), .unreadable(ServerError(status: 200), reason: "it does not say whether the token is active"))),
    Named(
      "a word of text",
      (
        .json(#"{"active":"true"}"#),
        .unreadable(ServerError(status: 200), reason: "it does not say whether the token is active")
      )),
    Named(
      "a page",
      (.text("<html>"), .unreadable(ServerError(status: 200), reason: "it does not say whether the token is active"))),
    Named("an error with 200", (.error("no", status: 200), .refused(ServerError(status: 200, code: "no")))),
    Named("an active error", (.json(#"{"active":true}"#, status: 400), .refused(ServerError(status: 400)))),
    Named(
      "an outage in words",
      (
        .error("temporarily_unavailable", status: 400),
        .transient(ServerError(status: 400, code: "temporarily_unavailable"), retryAfter: nil)
      )),
    Named("500", (.text("", status: 500), .transient(ServerError(status: 500), retryAfter: nil))),
    Named(
      "302", (.text("", status: 302), .unreadable(ServerError(status: 302), reason: "a redirect instead of a reply"))),
    Named("404", (.text("", status: 404), .refused(ServerError(status: 404)))),
  ]

  @Test(arguments: failures) func `what is no answer is told apart`(
    _ row: Named<(HTTPResponse, Introspection.Failure)>
  ) {
    #expect(throws: row.value.1) {
      try Introspection.validate(row.value.0, provider: Sample.provider(), now: Sample.now)
    }
  }

  @Test func `a provider with a way of its own answers for good tokens alone`() throws {
    let provider = Sample.provider(quirks: { $0.introspection = IntrospectionStyle() })
    #expect(try Introspection.validate(.json(#"{"user":"x"}"#), provider: provider, now: Sample.now).isActive)
    #expect(throws: Introspection.Failure.self) {
      try Introspection.validate(.json(#"{"user":"x","active":"false"}"#), provider: provider, now: Sample.now)
    }
    #expect(throws: Introspection.Failure.self) {
      try Introspection.validate(.json(#"{"user":"x"}"#, status: 404), provider: provider, now: Sample.now)
    }
  }
}

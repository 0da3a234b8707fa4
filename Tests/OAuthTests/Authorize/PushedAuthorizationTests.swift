import Crypto
import Foundation
import Testing

@testable import OAuth

/// Authorization requests that are left with the server beforehand (RFC 9126).
@Suite struct PushedAuthorizationTests {
  static let now = Date(timeIntervalSince1970: 1_700_000_000)

  private static func read(_ body: String, status: Int = 201) throws(TokenFailure) -> PushedAuthorization {
    var provider = Provider(name: "acme")
    provider.quirks = Quirks()
    provider.quirks?.errorAliases = ["bad_app": "invalid_client"]
    return try PushedAuthorization.validate(
      HTTPResponse(status: status, body: Array(body.utf8)), provider: provider, now: now)
  }

  /// RFC 9126 sections 2.2 and 4.
  @Test func `the examples of RFC 9126 are read and made`() throws {
    let pushed = try Self.read(
      #"{"request_uri": "urn:ietf:params:oauth:request_uri:6esc_11ACC5bwc014ltc14eY22c", "expires_in": 60}"#)
    #expect(pushed.expiresAt == Self.now.addingTimeInterval(60))
    let url = PushedAuthorization.url("https://server.example.com/authorize", clientID: "s6BhdRkqt3", pushed)
    #expect(
      url == "https://server.example.com/authorize?client_id=s6BhdRkqt3"
        + "&request_uri=urn%3Aietf%3Aparams%3Aoauth%3Arequest_uri%3A6esc_11ACC5bwc014ltc14eY22c")
  }

  @Test func `200 is as good as 201, and a missing lifetime is unknown`() throws {
    let pushed = try Self.read(#"{"request_uri": "https://a.example/r/1"}"#, status: 200)
    #expect(pushed == PushedAuthorization(requestURI: "https://a.example/r/1", expiresAt: nil))
    let url = PushedAuthorization.url("https://a.example/authorize?tenant=1", clientID: "a b", pushed)
    #expect(
      url == "https://a.example/authorize?tenant=1&client_id=a%20b&request_uri=https%3A%2F%2Fa.example%2Fr%2F1")
  }

  @Test(arguments: [400, 401, 403, 503]) func `a refusal is none the less one for a reference in it`(_ status: Int) {
    #expect(throws: TokenFailure.self) { try Self.read(#"{"request_uri": "urn:a", "expires_in": 60}"#, status: status) }
  }

  struct Failing: CustomTestStringConvertible, Sendable {
    let id: String
    let status: Int
    let body: String
    let wanted: TokenFailure
    var testDescription: String { id }
  }

  private static let unusable = TokenFailure.notATokenReply(
    ServerError(status: 201), reason: "no usable request_uri in it")

  static let failing = [
    Failing(id: "no reference", status: 201, body: "{}", wanted: unusable),
    Failing(id: "an empty one", status: 201, body: #"{"request_uri": ""}"#, wanted: unusable),
    Failing(id: "one with a blank", status: 201, body: #"{"request_uri": "urn:a b"}"#, wanted: unusable),
    Failing(id: "one that is no text", status: 201, body: #"{"request_uri": 1}"#, wanted: unusable),
    Failing(
      id: "one as long as a book", status: 201, body: #"{"request_uri": "\#(String(repeating: "u", count: 2049))"}"#,
      wanted: unusable),
    // RFC 9126 section 2.3
    Failing(
      id: "the request is wrong", status: 400,
      body: #"{"error": "invalid_request", "error_description": "The redirect_uri is not valid for the given client"}"#,
      wanted: .clientRefused(
        ServerError(
          status: 400, code: "invalid_request", description: "The redirect_uri is not valid for the given client"))),
    Failing(
      id: "the client is unknown, in the server's own words", status: 401, body: #"{"error": "bad_app"}"#,
      wanted: .clientRefused(ServerError(status: 401, code: "invalid_client", description: "bad_app"))),
    Failing(id: "a bare 401", status: 401, body: "", wanted: .clientRefused(ServerError(status: 401))),
    Failing(id: "too many", status: 429, body: "", wanted: .transient(ServerError(status: 429), retryAfter: nil)),
    Failing(
      id: "none there", status: 404, body: "",
      wanted: .notATokenReply(ServerError(status: 404), reason: "a status that a token endpoint does not use")),
  ]

  @Test(arguments: failing) func `a failure is sorted by what helps`(_ row: Failing) {
    let error = #expect(throws: TokenFailure.self) { try Self.read(row.body, status: row.status) }
    #expect(error == row.wanted)
  }
}

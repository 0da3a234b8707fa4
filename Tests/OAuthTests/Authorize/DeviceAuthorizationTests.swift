import Crypto
import Foundation
import Testing

@testable import OAuth

/// The device authorization response, as RFC 8628 has it and as servers send it.
@Suite struct DeviceAuthorizationTests {
  static let now = Date(timeIntervalSince1970: 1_700_000_000)

  /// RFC 8628 section 3.2.
  static let example = #"""
    {
      "device_code": "GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS",
      "user_code": "WDJB-MJHT",
      "verification_uri": "https://example.com/device",
      "verification_uri_complete":
          "https://example.com/device?user_code=WDJB-MJHT",
      "expires_in": 1800,
      "interval": 5
    }
    """#

  private static func read(
    _ body: String, status: Int = 200, from endpoint: String? = nil, _ change: (inout Quirks) -> Void = { _ in }
  ) throws(TokenFailure) -> DeviceAuthorization {
    var provider = Provider(name: "acme")
    provider.endpoints = Endpoints()
    provider.endpoints?.deviceAuthorization = endpoint
    var quirks = Quirks()
    change(&quirks)
    provider.quirks = quirks
    return try DeviceAuthorization.validate(
      HTTPResponse(status: status, body: Array(body.utf8)), provider: provider, now: now)
  }

  @Test func `the example of RFC 8628 is read`() throws {
    let read = try Self.read(Self.example)
    #expect(read.deviceCode == Secret("GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS"))
    #expect(read.userCode == "WDJB-MJHT" && read.verificationURI == "https://example.com/device")
    #expect(read.verificationURIComplete == "https://example.com/device?user_code=WDJB-MJHT")
    #expect(read.expiresAt == Self.now.addingTimeInterval(1800) && read.interval == 5 && read.message == nil)
  }

  struct Reply: CustomTestStringConvertible, Sendable {
    let id: String
    let members: String
    var interval = 5
    var lifetime = 1800.0
    var complete: String?
    var uri = "https://a.example/d"
    var message: String?

    var testDescription: String { id }
    var body: String { #"{"device_code": "d", "user_code": "u", \#(members)}"# }
  }

  private static let uri = #""verification_uri": "https://a.example/d""#
  private static let base = uri + #", "expires_in": 1800"#

  static let replies = [
    Reply(id: "no interval", members: base),
    Reply(id: "interval null", members: base + #", "interval": null"#),
    Reply(id: "interval as a string", members: base + #", "interval": "7""#, interval: 7),
    Reply(id: "interval with a fraction", members: base + #", "interval": 5.5"#, interval: 6),
    Reply(id: "interval 0", members: base + #", "interval": 0"#, interval: 1),
    Reply(id: "interval negative", members: base + #", "interval": -5"#),
    Reply(id: "interval of a day", members: base + #", "interval": 86400"#, interval: 300),
    Reply(id: "interval beyond all integers", members: base + #", "interval": 1e300"#, interval: 300),
    Reply(id: "interval that is a word", members: base + #", "interval": "soon""#),
    Reply(id: "no expires_in", members: uri, lifetime: 600),
    Reply(id: "expires_in as a string", members: uri + #", "expires_in": "900""#, lifetime: 900),
    Reply(id: "expires_in 0", members: uri + #", "expires_in": 0"#, lifetime: 600),
    Reply(id: "expires_in negative", members: uri + #", "expires_in": -1"#, lifetime: 600),
    Reply(id: "expires_in of a century", members: uri + #", "expires_in": 3155760000"#, lifetime: 86400),
    Reply(id: "expires_in not finite", members: uri + #", "expires_in": "1e999""#, lifetime: 600),
    Reply(
      id: "verification_url", members: #""verification_url": "https://g.example/device", "expires_in": 1800"#,
      uri: "https://g.example/device"),
    Reply(
      id: "both names", members: base + #", "verification_url": "https://other.example/device""#),
    Reply(
      id: "the right name null",
      members: #""verification_uri": null, "verification_url": "https://g.example/device", "expires_in": 1800"#,
      uri: "https://g.example/device"),
    Reply(
      id: "verification_url_complete", members: base + #", "verification_url_complete": "https://a.example/d?c=u""#,
      complete: "https://a.example/d?c=u"),
    Reply(id: "complete is a script", members: base + #", "verification_uri_complete": "javascript:alert(1)""#),
    Reply(
      id: "complete has an escape sequence", members: base + #", "verification_uri_complete": "https://a\u001b[2J""#),
    Reply(id: "complete is a number", members: base + #", "verification_uri_complete": 1"#),
    Reply(
      id: "message", members: base + #", "message": "Go there,\n\u001b[31mtype u.""#, message: "Go there, type u."),
    Reply(id: "message empty", members: base + #", "message": "\u200b""#),
  ]

  @Test(arguments: replies) func `what servers send is understood`(_ reply: Reply) throws {
    let read = try Self.read(reply.body)
    #expect(read.interval == reply.interval && read.expiresAt == Self.now.addingTimeInterval(reply.lifetime))
    #expect(read.verificationURIComplete == reply.complete && read.verificationURI == reply.uri)
    #expect(read.message == reply.message)
  }

  @Test func `a page of this machine is one of a server on this machine alone`() throws {
    let body = #"{"device_code": "d", "user_code": "u", "verification_uri": "http://127.0.0.1:80/d"}"#
    #expect(throws: TokenFailure.self) { try Self.read(body) }
    #expect(throws: TokenFailure.self) { try Self.read(body, from: "https://as.example/device") }
    #expect(try Self.read(body, from: "http://127.0.0.1:8080/device").verificationURI == "http://127.0.0.1:80/d")
  }

  @Test func `a form is as good as JSON`() throws {
    let read = try Self.read(
      "device_code=d&user_code=ABCD-EFGH&verification_uri=https%3A%2F%2Fa.example%2Fd&expires_in=899&interval=5")
    #expect(read.userCode == "ABCD-EFGH" && read.expiresAt == Self.now.addingTimeInterval(899))
  }

  @Test(arguments: [
    ("device_code", #"{"user_code": "u", "verification_uri": "https://a.example/d"}"#),
    ("device_code", #"{"device_code": "", "user_code": "u", "verification_uri": "https://a.example/d"}"#),
    ("device_code", #"{"device_code": "a\nb", "user_code": "u", "verification_uri": "https://a.example/d"}"#),
    ("user_code", #"{"device_code": "d", "verification_uri": "https://a.example/d"}"#),
    ("user_code", #"{"device_code": "d", "user_code": "", "verification_uri": "https://a.example/d"}"#),
    ("user_code", #"{"device_code": "d", "user_code": "A\u001b[8mB", "verification_uri": "https://a.example/d"}"#),
    ("user_code", #"{"device_code": "d", "user_code": "A\u202eB", "verification_uri": "https://a.example/d"}"#),
    ("user_code", #"{"device_code": "d", "user_code": "A\nB", "verification_uri": "https://a.example/d"}"#),
    ("user_code", #"{"device_code": "d", "user_code": 1234, "verification_uri": "https://a.example/d"}"#),
    ("verification_uri", #"{"device_code": "d", "user_code": "u"}"#),
    ("verification_uri", #"{"device_code": "d", "user_code": "u", "verification_uri": "file:///etc/passwd"}"#),
    ("verification_uri", #"{"device_code": "d", "user_code": "u", "verification_uri": "https://a.example/\u0007"}"#),
    ("verification_uri", #"{"device_code": "d", "user_code": "u", "verification_uri": "https://a@b.example/"}"#),
    ("verification_uri", #"{"device_code": "d", "user_code": "u", "verification_uri": "example.com/device"}"#),
    ("verification_uri", #"{"device_code": "d", "user_code": "u", "verification_uri": "https://bücher.example/"}"#),
  ])
  func `what a person could not use, or should not see, is refused by name`(_ name: String, _ body: String) {
    let error = #expect(throws: TokenFailure.self) { try Self.read(body) }
    #expect(error == .notATokenReply(ServerError(status: 200), reason: "no usable \(name) in it"))
  }

  @Test func `a provider's own names and units are understood`() throws {
    let own = #"{"device_code": "d", "user_code": "u", "link": "https://a.example/d", "expires_in": 900000}"#
    let read = try Self.read(own) { quirks in
      quirks.device = DeviceStyle()
      quirks.device?.fieldAliases = ["link": "verification_uri"]
      quirks.device?.expiresInUnit = .milliseconds
    }
    #expect(read.verificationURI == "https://a.example/d" && read.expiresAt == Self.now.addingTimeInterval(900))
  }

  struct Failing: CustomTestStringConvertible, Sendable {
    let id: String
    let status: Int
    let body: String
    let wanted: TokenFailure
    var testDescription: String { id }
  }

  static let failing = [
    Failing(
      id: "the client is unknown", status: 401, body: #"{"error": "invalid_client"}"#,
      wanted: .clientRefused(ServerError(status: 401, code: "invalid_client"))),
    Failing(
      id: "an error with 200", status: 200, body: #"{"error": "unauthorized_client"}"#,
      wanted: .clientRefused(ServerError(status: 200, code: "unauthorized_client"))),
    Failing(
      id: "a bare refusal", status: 400, body: "", wanted: .clientRefused(ServerError(status: 400))),
    Failing(
      id: "an error that nobody knows", status: 403, body: #"{"error": "no_way"}"#,
      wanted: .clientRefused(ServerError(status: 403, code: "no_way"))),
    Failing(
      id: "denied", status: 403, body: #"{"error": "access_denied"}"#,
      wanted: .grantRefused(ServerError(status: 403, code: "access_denied"))),
    Failing(
      id: "overload", status: 503, body: "", wanted: .transient(ServerError(status: 503), retryAfter: nil)),
    Failing(
      id: "a page", status: 200, body: "<html>hello</html>",
      wanted: .transient(ServerError(status: 200, description: "a web page instead of a reply"), retryAfter: nil)),
    Failing(
      id: "nothing", status: 200, body: "", wanted: .notATokenReply(ServerError(status: 200), reason: "an empty body")),
  ]

  @Test(arguments: failing) func `a failure is sorted by what helps`(_ row: Failing) {
    let error = #expect(throws: TokenFailure.self) { try Self.read(row.body, status: row.status) }
    #expect(error == row.wanted)
  }
}

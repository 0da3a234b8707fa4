import Crypto
import OAuth
import TestSupport
import Testing

/// The table "what a failed refresh means" of the command line's contract, by the exit code that each row leads to.
struct TokenFailureTests {
  enum Meaning: Int, Sendable { case transient = 75, notATokenReply = 76, grantRefused = 77, clientRefused = 78 }

  struct Reply: CustomTestStringConvertible, Sendable {
    let id: String
    let response: HTTPResponse
    let meaning: Meaning

    init(_ id: String, _ response: HTTPResponse, _ meaning: Meaning) {
      (self.id, self.response, self.meaning) = (id, response, meaning)
    }

    var testDescription: String { id }
  }

  static let page = "<!DOCTYPE html><title>Attention Required</title>"

  static let byStatus: [Reply] =
    [408, 425, 429, 500, 502, 503, 504, 599].flatMap { status in
      [
        Reply("\(status), empty", .text("", status: status), .transient),
        Reply("\(status), words", .text("overloaded", status: status), .transient),
        Reply("\(status), unknown code", .error("e42", status: status), .transient),
        Reply("\(status), message", .json(#"{"message":"later"}"#, status: status), .transient),
      ]
    }
    + [400, 401, 403].flatMap { status in
      [
        Reply("\(status), empty", .text("", status: status), .grantRefused),
        Reply("\(status), words", .text("invalid request", status: status), .grantRefused),
        Reply("\(status), empty object", .json("{}", status: status), .grantRefused),
        Reply("\(status), null", .json("null", status: status), .grantRefused),
        Reply("\(status), unknown code", .error("scope_invalid", status: status), .grantRefused),
        Reply("\(status), a token all the same", .json(#"{"access_token":"a"}"#, status: status), .grantRefused),
        Reply(
          "\(status), error object", .json(#"{"error":{"code":190,"message":"x"}}"#, status: status), .grantRefused),
      ]
    }
    + [200, 201, 204, 301, 302, 303, 307, 308, 402, 404, 405, 410, 415, 422].map { status in
      Reply("\(status), empty", .text("", status: status), .notATokenReply)
    }

  static let byCode: [Reply] = [200, 400, 401, 403, 404, 500].flatMap { status in
    [
      ("invalid_grant", Meaning.grantRefused), ("access_denied", .grantRefused),
      ("interaction_required", .grantRefused),
      ("login_required", .grantRefused), ("consent_required", .grantRefused), ("expired_token", .grantRefused),
      ("invalid_client", .clientRefused), ("unauthorized_client", .clientRefused),
      ("unsupported_grant_type", .clientRefused), ("invalid_scope", .clientRefused), ("invalid_target", .clientRefused),
      ("invalid_request", .clientRefused),
      ("temporarily_unavailable", .transient), ("server_error", .transient), ("slow_down", .transient),
    ].flatMap { code, meaning in
      [
        Reply("\(status), \(code)", .error(code, status: status), meaning),
        Reply("\(status), \(code) in a form", .text("error=\(code)&state=x", status: status), meaning),
      ]
    }
  }

  static let pages: [Reply] = [200, 302, 400, 401, 403, 404, 429, 500, 503].flatMap { status in
    [
      Reply("\(status), page", .text(page, type: "text/html", status: status), .transient),
      Reply("\(status), page called json", .json(page, status: status), .transient),
      Reply("\(status), words called html", .text("Access Denied", type: "text/html", status: status), .transient),
    ]
  }

  @Test(arguments: byStatus + byCode + pages) func `a reply without a token means one thing`(_ reply: Reply) {
    let failure = #expect(throws: TokenFailure.self) { try read(reply.response) }
    #expect(failure.map(meaning) == reply.meaning)
    #expect(failure?.serverError.status == reply.response.status)
  }

  @Test(arguments: [
    ("120", 120), ("0", 0), ("-1", nil), ("", nil), ("soon", nil), ("1.5", nil),
    ("99999999999999999999", nil),
  ]) func `how long to wait is taken from the server where it is a number`(_ header: String, _ seconds: Int?) {
    let response = HTTPResponse(status: 429, headers: [HTTPHeader("retry-AFTER", header)])
    #expect(throws: TokenFailure.transient(ServerError(status: 429), retryAfter: seconds)) { try read(response) }
  }

  @Test func `what a body without a code says is shown, cleaned and cut`() {
    let response = HTTPResponse.text("no\u{1B}[31m such\r\ntoken " + String(repeating: "x", count: 5000), status: 400)
    let failure = #expect(throws: TokenFailure.self) { try read(response) }
    let words = failure?.serverError.description ?? ""
    #expect(words.hasPrefix("no such token xxx") && words.hasSuffix("…") && words.count == 200)
    #expect(failure?.serverError.code == nil)
  }

  @Test func `no word of a failure gives away what was sent`() {
    let redactor = Redactor()
    redactor.register(Secret("refresh-s3cr3t"))
    let said = ServerError(status: 400, code: "x", description: "token refresh-s3cr3t is unknown")
    let failures = [
      TokenFailure.transient(said, retryAfter: 5), .grantRefused(said), .clientRefused(said),
      .notATokenReply(said, reason: "r"),
    ]
    for failure in failures {
      let clean = failure.redacted(by: redactor)
      #expect(meaning(clean) == meaning(failure))
      #expect(clean.serverError.description == "token [redacted] is unknown")
    }
    #expect(failures[0].redacted(by: redactor) == .transient(said.redacted(by: redactor), retryAfter: 5))
  }

  @Test func `an error with a success status is told once, redacted and clean`() {
    let redactor = Redactor()
    redactor.register(Secret("refresh-s3cr3t"))
    let failure = #expect(throws: TokenFailure.self) { try read(.error("refresh-s3cr3t\u{1B}[31m", status: 200)) }
    #expect(failure?.serverError.code == "refresh-s3cr3t\u{1B}[31m")
    guard let failure, case .notATokenReply(let error, let reason) = failure.redacted(by: redactor) else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(reason == "an error with a success status" && error.code?.contains("s3cr3t") == false)
    let echoed = TokenFailure.notATokenReply(ServerError(status: 200), reason: "refresh-s3cr3t\u{1B}[31m is odd")
    #expect(
      echoed.redacted(by: redactor) == .notATokenReply(ServerError(status: 200), reason: "[redacted] is odd"))
  }

  private func read(_ response: HTTPResponse) throws {
    _ = try TokenResponse.validate(response, provider: Sample.provider(), now: Sample.now)
  }

  private func meaning(_ failure: TokenFailure) -> Meaning {
    switch failure {
    case .transient: .transient
    case .grantRefused: .grantRefused
    case .clientRefused: .clientRefused
    case .notATokenReply: .notATokenReply
    }
  }

  @Test(arguments: [400, 404, 500, 503]) func `of a body that could be read nothing is shown as it came`(_ status: Int)
  {
    let error = #expect(throws: TokenFailure.self) {
      try TokenResponse.validate(
        .json(#"{"message":"later","access_token":"hush"}"#, status: status), provider: Sample.provider(),
        now: Sample.now)
    }
    #expect(error?.serverError.description == nil && error?.serverError.code == nil)
    let words = #expect(throws: TokenFailure.self) {
      try TokenResponse.validate(.text("over, loaded", status: status), provider: Sample.provider(), now: Sample.now)
    }
    #expect(words?.serverError.description == "over, loaded")
  }
}

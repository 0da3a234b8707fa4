import Crypto
import Foundation
import Testing

@testable import OAuth

/// What the answers to polls mean (RFC 8628 section 3.5).
@Suite struct DevicePollTests {
  static let now = Date(timeIntervalSince1970: 1_700_000_000)

  struct Row: CustomTestStringConvertible, Sendable {
    let id: String
    var status = 400
    var headers: [HTTPHeader] = []
    let body: String
    let wanted: Wanted
    var style = DeviceStyle()

    var testDescription: String { id }
  }

  enum Wanted: Sendable, Equatable {
    case tokens(String)
    case pending
    case slowDown(Int?)
    case backOff(Int?)
    case refused(String?)
    case client(String)
    case noReply
  }

  static func judge(_ row: Row) -> Wanted {
    var provider = Provider(name: "acme")
    var quirks = Quirks()
    quirks.device = row.style
    quirks.errorAliases = ["token_expired": "expired_token", "authorization_declined": "access_denied"]
    provider.quirks = quirks
    let response = HTTPResponse(status: row.status, headers: row.headers, body: Array(row.body.utf8))
    do throws(TokenFailure) {
      switch try DevicePoll.validate(response, provider: provider, now: now) {
      case .tokens(let tokens): return .tokens(tokens.accessToken.reveal())
      case .pending: return .pending
      case .slowDown(let interval): return .slowDown(interval)
      case .backOff(_, let retryAfter): return .backOff(retryAfter)
      }
    } catch {
      switch error {
      case .grantRefused(let said): return .refused(said.code)
      case .clientRefused(let said): return .client(said.code ?? "")
      case .notATokenReply: return .noReply
      case .transient: return .backOff(-1)
      }
    }
  }

  private static func twitchy() -> DeviceStyle {
    var style = DeviceStyle()
    style.errorField = "message"
    return style
  }

  private static func byStatus() -> DeviceStyle {
    var style = DeviceStyle()
    style.statusErrors = [
      "400": "authorization_pending", "404": "invalid_grant", "410": "expired_token", "418": "access_denied",
      "429": "slow_down",
    ]
    return style
  }

  static let rows = [
    Row(id: "approved", status: 200, body: #"{"access_token": "t", "token_type": "Bearer"}"#, wanted: .tokens("t")),
    Row(id: "approved, created", status: 201, body: #"{"access_token": "t"}"#, wanted: .tokens("t")),
    Row(id: "approved, as a form", status: 200, body: "access_token=t&scope=a", wanted: .tokens("t")),
    Row(id: "pending", body: #"{"error": "authorization_pending"}"#, wanted: .pending),
    Row(id: "pending with 200", status: 200, body: #"{"error": "authorization_pending"}"#, wanted: .pending),
    Row(id: "pending as a form", status: 200, body: "error=authorization_pending", wanted: .pending),
    Row(id: "pending with 403", status: 403, body: #"{"error": "authorization_pending"}"#, wanted: .pending),
    Row(id: "pending with 428", status: 428, body: #"{"error": "authorization_pending"}"#, wanted: .pending),
    Row(id: "pending with 500", status: 500, body: #"{"error": "authorization_pending"}"#, wanted: .pending),
    Row(id: "slow_down", body: #"{"error": "slow_down"}"#, wanted: .slowDown(nil)),
    Row(id: "slow_down with 429", status: 429, body: #"{"error": "slow_down"}"#, wanted: .slowDown(nil)),
    Row(id: "slow_down and an interval", body: #"{"error": "slow_down", "interval": 10}"#, wanted: .slowDown(10)),
    Row(id: "slow_down, interval a text", body: #"{"error": "slow_down", "interval": "10"}"#, wanted: .slowDown(10)),
    Row(id: "slow_down, interval absurd", body: #"{"error": "slow_down", "interval": 1e12}"#, wanted: .slowDown(300)),
    Row(id: "denied", body: #"{"error": "access_denied"}"#, wanted: .refused("access_denied")),
    Row(id: "denied with 200", status: 200, body: #"{"error": "access_denied"}"#, wanted: .refused("access_denied")),
    Row(id: "denied by another name", body: #"{"error": "authorization_declined"}"#, wanted: .refused("access_denied")),
    Row(id: "expired", body: #"{"error": "expired_token"}"#, wanted: .refused("expired_token")),
    Row(id: "expired by another name", body: #"{"error": "token_expired"}"#, wanted: .refused("expired_token")),
    Row(id: "used before", body: #"{"error": "invalid_grant"}"#, wanted: .refused("invalid_grant")),
    Row(id: "unknown client", status: 401, body: #"{"error": "invalid_client"}"#, wanted: .client("invalid_client")),
    Row(
      id: "no such grant", body: #"{"error": "unsupported_grant_type"}"#, wanted: .client("unsupported_grant_type")),
    Row(id: "an error that nobody knows", body: #"{"error": "pending"}"#, wanted: .refused("pending")),
    Row(id: "the same with 200", status: 200, body: #"{"error": "pending"}"#, wanted: .noReply),
    Row(id: "the same with 404", status: 404, body: #"{"error": "pending"}"#, wanted: .noReply),
    Row(id: "the same with 500", status: 500, body: #"{"error": "pending"}"#, wanted: .backOff(nil)),
    Row(id: "server_error", status: 400, body: #"{"error": "server_error"}"#, wanted: .backOff(nil)),
    Row(id: "500", status: 500, body: "", wanted: .backOff(nil)),
    Row(id: "503 and when", status: 503, headers: [HTTPHeader("Retry-After", "17")], body: "", wanted: .backOff(17)),
    Row(id: "429 without a word", status: 429, body: "", wanted: .backOff(nil)),
    Row(id: "a page", status: 403, body: "<!DOCTYPE html><p>blocked", wanted: .backOff(nil)),
    Row(id: "400 without a word", status: 400, body: "", wanted: .refused(nil)),
    Row(id: "404", status: 404, body: "", wanted: .noReply),
    Row(id: "a redirect", status: 302, body: "", wanted: .noReply),
    Row(id: "200 without a token", status: 200, body: "{}", wanted: .noReply),
    Row(
      id: "pending in another field", body: #"{"status": 400, "message": "authorization_pending"}"#, wanted: .pending,
      style: twitchy()),
    Row(
      id: "another error in another field", body: #"{"status": 400, "message": "invalid device code"}"#,
      wanted: .refused("invalid device code"), style: twitchy()),
    Row(
      id: "a token beside that field", status: 200, body: #"{"access_token": "t", "message": "hello"}"#,
      wanted: .tokens("t"), style: twitchy()),
    Row(id: "pending by status", status: 400, body: "", wanted: .pending, style: byStatus()),
    Row(id: "pending by status, an empty object", status: 400, body: "{}", wanted: .pending, style: byStatus()),
    Row(id: "slow_down by status", status: 429, body: "", wanted: .slowDown(nil), style: byStatus()),
    Row(id: "denied by status", status: 418, body: "", wanted: .refused("access_denied"), style: byStatus()),
    Row(id: "expired by status", status: 410, body: "", wanted: .refused("expired_token"), style: byStatus()),
    Row(
      id: "the body before the status", status: 400, body: #"{"error": "access_denied"}"#,
      wanted: .refused("access_denied"), style: byStatus()),
    Row(id: "a page is not the server's status", status: 429, body: "<html>", wanted: .backOff(nil), style: byStatus()),
    Row(id: "a status without a meaning", status: 503, body: "", wanted: .backOff(nil), style: byStatus()),
  ]

  @Test(arguments: rows) func `the error of the body decides, whatever the status`(_ row: Row) {
    #expect(Self.judge(row) == row.wanted)
  }
}

import Crypto
import Flows
import Foundation
import Testing

@testable import Host

/// An answer in the fragment, which a page of the listener's own hands over (RFC 6749 section 4.2.2).
@Suite(.timeLimit(.minutes(1)))
struct FragmentTests {
  private static let form = "Content-Type: application/x-www-form-urlencoded\r\n"
  private static let own = "Origin: http://127.0.0.1:PORT\r\n"
  private static let answer = "access_token=t%20k&code=good&state=s"

  @Test func `a request without an answer gets the page that hands it over, and nobody judges it`() async throws {
    let login = try Login(for: .fragment)
    let response = try await exchange(login.port, get("/callback", port: login.port))
    #expect(response.status == 200 && response.body.contains("<noscript>"))
    #expect(login.judged.all.isEmpty)
    #expect(try await login.finishes())
  }

  @Test func `that page may run one script, which may ask its own server, and nothing else`() throws {
    let response = RawResponse(bytes: CallbackPage(appName: "oauthctl").relay())
    let start = try #require(response.body.range(of: "<script>"))
    let end = try #require(response.body.range(of: "</script>"))
    let script = response.body[start.upperBound..<end.lowerBound]
    #expect(!response.body[end.upperBound...].contains("<script"))
    let digest = Base64URL.encodeClassic(SHA256.digest(Array(script.utf8)))
    let policy = try #require(response.field("Content-Security-Policy"))
    #expect(policy.contains("default-src 'none';") && policy.contains(" script-src 'sha256-\(digest)';"))
    #expect(
      policy.contains(" connect-src 'self';") && !policy.contains("unsafe") && policy.contains("form-action 'none'"))
    #expect(response.field("Cache-Control") == "no-store" && response.field("Referrer-Policy") == "no-referrer")
    #expect(Int(response.field("Content-Length") ?? "") == response.body.utf8.count)
    for word in ["https://", " style=", " onload", "<form", "<img", "src="] {
      #expect(!response.body.contains(word), "\(word)")
    }
  }

  static let senders: [(id: String, fields: String)] = [
    ("a page of the same origin", own + form),
    ("with fetch metadata", own + form + "Sec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: cors\r\n"),
    ("without an origin", form + "Sec-Fetch-Site: same-origin\r\n"),
    ("with a hidden origin", form + "Origin: null\r\nSec-Fetch-Site: same-origin\r\n"),
    ("with a charset", own + "Content-Type: application/X-WWW-form-urlencoded;charset=UTF-8\r\n"),
  ]

  @Test(arguments: senders) func `what that page posts is judged`(_ row: (id: String, fields: String)) async throws {
    let login = try Login(for: .fragment)
    let response = try await exchange(login.port, post(row.fields, port: login.port))
    #expect(response.status == 200 && response.body.contains("Authorization received"), "\(row.id): \(response.text)")
    #expect(response.field("Content-Security-Policy")?.contains("script") == false)
    #expect(try await login.value() == Self.answer)
    #expect(login.judged.all == [Self.answer])
  }

  static let strangers: [(id: String, status: Int, request: String)] = [
    ("another origin", 403, head("Origin: https://evil.example\r\n" + form)),
    ("another port", 403, head("Origin: http://127.0.0.1:1\r\n" + form)),
    ("the other name of this machine", 403, head("Origin: http://localhost:PORT\r\n" + form)),
    ("https", 403, head("Origin: https://127.0.0.1:PORT\r\n" + form)), ("two origins", 403, head(own + own + form)),
    ("no origin", 403, head(form)), ("a hidden origin", 403, head("Origin: null\r\n" + form)),
    ("a form elsewhere", 403, head("Origin: null\r\nSec-Fetch-Site: cross-site\r\n" + form)),
    ("another port's page", 403, head("Sec-Fetch-Site: same-site\r\n" + form)),
    ("a liar", 403, head(own + "Sec-Fetch-Site: cross-site\r\n" + form)), ("no type", 415, head(own)),
    ("plain text", 415, head(own + "Content-Type: text/plain\r\n")), ("two types", 415, head(own + form + form)),
    ("chunks", 411, head(own + form + "Transfer-Encoding: chunked\r\n")), ("no length", 411, head(own + form, nil)),
    ("two lengths", 400, head(own + form + "Content-Length: 1\r\n")), ("no number", 400, head(own + form, "+3")),
    ("an empty number", 400, head(own + form, "")), ("too long", 413, head(own + form, "65537")),
    ("very long", 413, head(own + form, "99999999999999999999999")),
    ("no text", 400, head(own + form, "4") + "a\0=b"), ("a blank", 400, head(own + form, "4") + "a =b"),
    ("another host", 421, head(own + form).replacingOccurrences(of: "Host: 127.0.0.1:PORT", with: "Host: e.example")),
    ("no host", 400, head(own + form).replacingOccurrences(of: "Host: 127.0.0.1:PORT\r\n", with: "")),
    ("another path", 404, head(own + form).replacingOccurrences(of: "/callback", with: "/callback/")),
    ("another method", 405, head(own + form).replacingOccurrences(of: "POST", with: "PUT")),
  ]

  @Test(arguments: strangers) func `what anything else posts changes nothing`(
    _ row: (id: String, status: Int, request: String)
  ) async throws {
    let login = try Login(for: .fragment)
    let request = row.request.replacingOccurrences(of: "PORT", with: "\(login.port)") + Self.answer
    let response = try await exchange(login.port, request)
    #expect(response.status == row.status, "\(row.id): \(response.text)")
    if row.status == 405 { #expect(response.field("Allow") == "GET, POST") }
    #expect(login.judged.all.isEmpty)
    #expect(try await login.finishes())
  }

  @Test func `for an answer in the query a post is none`() async throws {
    let login = try Login()
    let response = try await exchange(login.port, post(Self.own + Self.form, port: login.port))
    #expect(response.status == 405 && response.field("Allow") == "GET")
    let empty = try await exchange(login.port, get("/callback", port: login.port))
    #expect(empty.status == 400 && !empty.body.contains("<script"))
    #expect(login.judged.all == [""])
    #expect(try await login.finishes())
  }

  @Test func `an answer in the query is taken as well, and another login's gets no script`() async throws {
    let stale = try Login(for: .fragment)
    let other = try await exchange(stale.port, get("/callback?code=x&state=other", port: stale.port))
    #expect(other.status == 400 && !other.body.contains("<script"))
    let decorated = try await exchange(stale.port, get("/callback?lang=de", port: stale.port))
    #expect(decorated.status == 200 && decorated.body.contains("<script"))
    #expect(try await stale.finishes())
    let refused = try Login(for: .fragment)
    let page = try await exchange(refused.port, get("/callback?error=access_denied&state=s", port: refused.port))
    #expect(page.body.contains("Authorization failed"))
    #expect(try await refused.value() == "error=access_denied&state=s")
  }

  @Test func `a fragment that the judge does not know is ignored, and the wait goes on`() async throws {
    let login = try Login(for: .fragment)
    let response = try await exchange(login.port, post(Self.own + Self.form, port: login.port, body: "state=other"))
    #expect(response.status == 400 && response.body.contains("Not the page"))
    #expect(try await login.finishes())
  }

  @Test(arguments: [0, 1, 4096, 64 * 1024]) func `a body comes in any pieces, up to the limit`(size: Int) async throws {
    let login = try Login(for: .fragment)
    let body = "code=good&" + String(repeating: "x", count: max(0, size - 10))
    let bytes = Array(post(Self.own + Self.form, port: login.port, body: body).utf8)
    let client = try RawClient(port: login.port)
    let step = size < 4096 ? 1 : 3000
    try await onThread {
      for start in stride(from: 0, to: bytes.count, by: step) {
        client.send(Array(bytes[start..<min(start + step, bytes.count)]))
        usleep(200)
      }
    }
    #expect(try await client.readAll().status == 200)
    #expect(try await login.value() == body)
  }

  @Test func `a body that does not come is not waited for`() async throws {
    let login = try Login(limits: .init(request: 300), for: .fragment)
    let client = try RawClient(port: login.port)
    client.send(post(Self.own + Self.form, port: login.port).replacingOccurrences(of: Self.answer, with: "code="))
    #expect(try await client.readAll().text == "")
    #expect(login.judged.all.isEmpty)
    #expect(try await login.finishes())
  }

  private static func head(_ fields: String, _ length: String? = "\(answer.utf8.count)") -> String {
    let length = length.map { "Content-Length: \($0)\r\n" } ?? ""
    return "POST /callback HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\(fields)\(length)\r\n"
  }

  private func post(_ fields: String, port: Int, body: String = answer) -> String {
    Self.head(fields, "\(body.utf8.count)").replacingOccurrences(of: "PORT", with: "\(port)") + body
  }
}

import Flows
import Testing

@testable import Host

/// An answer that the server's page has the browser post (OAuth 2.0 Form Post Response Mode).
@Suite(.timeLimit(.minutes(1)))
struct PostedFormTests {
  private static let type = "Content-Type: application/x-www-form-urlencoded\r\n"
  private static let answer = "code=good&state=a+b%20c"

  private static func head(_ fields: String, method: String = "POST", length: String? = "\(answer.utf8.count)")
    -> String
  {
    "\(method) /callback HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\(fields)"
      + (length.map { "Content-Length: \($0)\r\n" } ?? "") + "\r\n"
  }

  private static let navigates = "Sec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n"

  static let senders: [(id: String, fields: String)] = [
    ("another site's page", type + "Origin: https://login.example\r\nSec-Fetch-Site: cross-site\r\n" + navigates),
    ("a hidden origin", type + "Origin: null\r\n"), ("no word of an origin", type),
    ("a server on this machine", type + "Origin: http://127.0.0.1:1\r\nSec-Fetch-Site: same-site\r\n" + navigates),
    ("with a charset", "Content-Type: application/x-www-form-urlencoded; charset=utf-8\r\n"),
  ]

  @Test(arguments: senders) func `a page's form is judged, whosever it is`(_ row: (id: String, fields: String))
    async throws
  {
    let login = try Login(for: .form)
    let request = Self.head(row.fields).replacing("PORT", with: "\(login.port)") + Self.answer
    let response = try await exchange(login.port, request)
    #expect(response.status == 200 && response.body.contains("Authorization received"), "\(row.id): \(response.text)")
    #expect(
      !response.body.contains("code=") && !response.body.contains("a+b")
        && response.field("Content-Security-Policy")?.contains("script") == false)
    #expect(try await login.value() == Self.answer)
    #expect(login.judged.all == [Self.answer])
  }

  static let strangers: [(id: String, status: Int, request: String)] = [
    ("a script", 403, head(type + "Sec-Fetch-Mode: cors\r\n")),
    ("a frame", 403, head(type + "Sec-Fetch-Dest: iframe\r\n")),
    ("two origins", 403, head(type + "Origin: null\r\nOrigin: null\r\n")), ("no type", 415, head("")),
    ("plain text", 415, head("Content-Type: text/plain\r\n")),
    ("parts", 415, head("Content-Type: multipart/form-data; boundary=x\r\n")),
    ("no length", 411, head(type, length: nil)),
    ("chunks", 411, head(type + "Transfer-Encoding: chunked\r\n")), ("too long", 413, head(type, length: "65537")),
    ("no number", 400, head(type, length: "-1")), ("no text", 400, head(type, length: "4") + "a\0=b"),
    ("another host", 421, head(type).replacing("Host: 127.0.0.1:PORT", with: "Host: evil.example")),
    ("another path", 404, head(type).replacing("/callback", with: "/callback/")),
    ("another method", 405, head(type, method: "PUT")),
  ]

  @Test(arguments: strangers) func `what else is posted changes nothing`(
    _ row: (id: String, status: Int, request: String)
  ) async throws {
    let login = try Login(for: .form)
    let request = row.request.replacing("PORT", with: "\(login.port)") + Self.answer
    let response = try await exchange(login.port, request)
    #expect(response.status == row.status, "\(row.id): \(response.text)")
    if row.status == 405 { #expect(response.field("Allow") == "GET, POST") }
    #expect(login.judged.all.isEmpty)
    #expect(try await login.finishes())
  }

  @Test func `a form of another login is answered, and the right one is still taken`() async throws {
    let login = try Login(for: .form)
    func post(_ body: String) async throws -> RawResponse {
      let head = Self.head(Self.type, length: "\(body.utf8.count)").replacing("PORT", with: "\(login.port)")
      return try await exchange(login.port, head + body)
    }
    #expect(try await post("code=other&state=x").status == 400)
    #expect(try await post("error=access_denied").body.contains("Authorization failed"))
    #expect(try await login.value() == "error=access_denied")
  }

  @Test func `a form is taken only where one is waited for`() async throws {
    for part in [CallbackPart.query, .fragment] {
      let login = try Login(for: part)
      let request = Self.head(Self.type + "Origin: https://login.example\r\n").replacing("PORT", with: "\(login.port)")
      let response = try await exchange(login.port, request + Self.answer)
      #expect(response.status == (part == .query ? 405 : 403))
      #expect(try await login.finishes())
    }
  }

  @Test func `an answer in the query is taken all the same, and there is no page for a fragment`() async throws {
    let login = try Login(for: .form)
    let empty = try await exchange(login.port, get("/callback", port: login.port))
    #expect(empty.status == 400 && !empty.body.contains("<script"))
    #expect(try await login.finishes())
  }
}

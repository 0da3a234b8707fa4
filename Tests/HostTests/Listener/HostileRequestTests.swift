import Flows
import Foundation
import Glibc
import Testing

@testable import Host

/// Requests that must neither end nor stall the wait, nor reach the judge; after each a good callback is still taken.
@Suite(.timeLimit(.minutes(1)))
struct HostileRequestTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var id: String
    var status: Int
    /// `PORT` stands for the bound port.
    var request: String
    var testDescription: String { id }
  }

  private static let host = "Host: 127.0.0.1:PORT\r\n\r\n"
  static let cases: [Case] = [
    Case(id: "favicon", status: 204, request: "GET /favicon.ico HTTP/1.1\r\n" + host),
    Case(id: "head-of-callback", status: 405, request: "HEAD /callback?code=good HTTP/1.1\r\n" + host),
    Case(
      id: "post", status: 405, request: "POST /callback?code=good HTTP/1.1\r\nContent-Length: 9\r\n\(host)code=good"),
    Case(id: "options", status: 405, request: "OPTIONS /callback?code=good HTTP/1.1\r\n" + host),
    Case(id: "options-star", status: 404, request: "OPTIONS * HTTP/1.1\r\n" + host),
    Case(id: "connect", status: 404, request: "CONNECT 127.0.0.1:PORT HTTP/1.1\r\n" + host),
    Case(id: "lower-case-method", status: 405, request: "get /callback?code=good HTTP/1.1\r\n" + host),
    Case(id: "root", status: 404, request: "GET /?code=good HTTP/1.1\r\n" + host),
    Case(id: "path-with-slash", status: 404, request: "GET /callback/?code=good HTTP/1.1\r\n" + host),
    Case(id: "path-below", status: 404, request: "GET /callback/x?code=good HTTP/1.1\r\n" + host),
    Case(id: "path-double-slash", status: 404, request: "GET //callback?code=good HTTP/1.1\r\n" + host),
    Case(id: "path-encoded", status: 404, request: "GET /%63allback?code=good HTTP/1.1\r\n" + host),
    Case(id: "path-upper-case", status: 404, request: "GET /Callback?code=good HTTP/1.1\r\n" + host),
    Case(id: "path-longer", status: 404, request: "GET /callback2?code=good HTTP/1.1\r\n" + host),
    Case(id: "path-parameters", status: 404, request: "GET /callback;x?code=good HTTP/1.1\r\n" + host),
    Case(id: "fragment", status: 400, request: "GET /callback?code=good#x HTTP/1.1\r\n" + host),
    Case(
      id: "sec-purpose", status: 503,
      request: "GET /callback?code=good HTTP/1.1\r\nSec-Purpose: prefetch;prerender\r\n" + host),
    Case(id: "purpose", status: 503, request: "GET /callback?code=good HTTP/1.1\r\nPurpose: prefetch\r\n" + host),
    Case(id: "x-moz", status: 503, request: "GET /callback?code=good HTTP/1.1\r\nX-moz: Prefetch\r\n" + host),
    Case(
      id: "image-elsewhere", status: 403,
      request: "GET /callback?code=good HTTP/1.1\r\nSec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: image\r\n" + host),
    Case(
      id: "script-elsewhere", status: 403,
      request: "GET /callback?code=good HTTP/1.1\r\nSec-Fetch-Mode: cors\r\n" + host),
    Case(
      id: "frame-elsewhere", status: 403,
      request: "GET /callback?code=good HTTP/1.1\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: iframe\r\n" + host),
    Case(id: "rebinding", status: 421, request: "GET /callback?code=good HTTP/1.1\r\nHost: evil.example:PORT\r\n\r\n"),
    Case(id: "other-port", status: 421, request: "GET /callback?code=good HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n"),
    Case(id: "no-port", status: 421, request: "GET /callback?code=good HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    Case(
      id: "host-tail", status: 421,
      request: "GET /callback?code=good HTTP/1.1\r\nHost: localhost:PORT.evil.example\r\n\r\n"),
    Case(id: "no-host", status: 400, request: "GET /callback?code=good HTTP/1.1\r\n\r\n"),
    Case(id: "two-hosts", status: 400, request: "GET /callback?code=good HTTP/1.1\r\nHost: evil.example\r\n" + host),
    Case(
      id: "absolute-elsewhere", status: 421,
      request: "GET http://evil.example/callback?code=good HTTP/1.1\r\n" + host),
    Case(
      id: "absolute-with-user", status: 421,
      request: "GET http://x@127.0.0.1:PORT/callback?code=good HTTP/1.1\r\n" + host),
    Case(id: "http-0.9", status: 400, request: "GET /callback?code=good\r\n\r\n"),
    Case(id: "http-2-preface", status: 400, request: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    Case(id: "two-spaces", status: 400, request: "GET  /callback?code=good HTTP/1.1\r\n" + host),
    Case(id: "space-in-target", status: 400, request: "GET /callback?code=good x HTTP/1.1\r\n" + host),
    Case(id: "space-before-colon", status: 400, request: "GET /callback?code=good HTTP/1.1\r\nX : y\r\n" + host),
    Case(id: "folded-field", status: 400, request: "GET /callback?code=good HTTP/1.1\r\nX: y\r\n z\r\n" + host),
    Case(id: "nul-in-field", status: 400, request: "GET /callback?code=good HTTP/1.1\r\nX: \0\r\n" + host),
    Case(id: "tls-hello", status: 400, request: "\u{16}\u{3}\u{1}\u{2}\0\u{1}\0\u{1}\u{3}"),
    Case(
      id: "huge-field", status: 431,
      request: "GET /callback?code=good HTTP/1.1\r\nCookie: \(String(repeating: "c", count: 40_000))\r\n" + host),
    Case(
      id: "huge-target", status: 431,
      request: "GET /callback?code=good&\(String(repeating: "x", count: 20_000)) HTTP/1.1\r\n" + host),
    Case(
      id: "many-fields", status: 431,
      request: "GET /callback?code=good HTTP/1.1\r\n" + String(repeating: "A: b\r\n", count: 500) + host),
    Case(id: "endless-line", status: 431, request: String(repeating: "G", count: 200_000)),
    Case(id: "empty-lines", status: 400, request: String(repeating: "\r\n", count: 20_000)),
  ]

  @Test(arguments: cases)
  func `a request that is no callback changes nothing`(_ one: Case) async throws {
    let login = try Login()
    let request = one.request.replacingOccurrences(of: "PORT", with: "\(login.port)")
    let response = try await exchange(login.port, request)
    #expect(response.status == one.status, "\(response.text)")
    #expect(response.field("Cache-Control") == "no-store")
    #expect(login.judged.all.isEmpty)
    if one.id.hasPrefix("head") { #expect(response.body.isEmpty) }
    #expect(try await login.finishes())
  }

  @Test func `a stale tab gets a polite page and the wait goes on`() async throws {
    let login = try Login()
    for n in 0..<50 {
      let response = try await exchange(login.port, get("/callback?code=x&state=\(n)", port: login.port))
      #expect(response.status == 400)
      #expect(response.body.contains("Not the page"))
      #expect(!response.text.contains("code=x"))
    }
    #expect(try await login.finishes())
    #expect(login.judged.all.count == 51)
  }

  static let forms: [Case] = [
    Case(id: "http-1.0-without-host", status: 200, request: "GET /callback?code=good HTTP/1.0\r\n\r\n"),
    Case(id: "bare-line-feeds", status: 200, request: "GET /callback?code=good HTTP/1.1\nHost: 127.0.0.1:PORT\n\n"),
    Case(
      id: "absolute-form", status: 200,
      request: "GET HTTP://127.0.0.1:PORT/callback?code=good HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n"),
    Case(id: "localhost", status: 200, request: "GET /callback?code=good HTTP/1.1\r\nhost:\tLocalHost:PORT \r\n\r\n"),
    Case(id: "v6-host", status: 200, request: "GET /callback?code=good HTTP/1.1\r\nHost: [::1]:PORT\r\n\r\n"),
    Case(id: "empty-line-first", status: 200, request: "\r\nGET /callback?code=good HTTP/1.1\r\n" + host),
    Case(
      id: "fetch-metadata-of-a-redirect", status: 200,
      request: "GET /callback?code=good HTTP/1.1\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n"
        + "Sec-Fetch-User: ?1\r\nSec-Fetch-Dest: document\r\n" + host),
    Case(
      id: "pipelined", status: 200,
      request: "GET /callback?code=good HTTP/1.1\r\n\(host)GET /callback?code=good2 HTTP/1.1\r\n" + host),
    Case(
      id: "with-a-body", status: 200,
      request: "GET /callback?code=good HTTP/1.1\r\nContent-Length: 50000\r\n" + host
        + String(repeating: "b", count: 50_000)),
  ]

  @Test(arguments: forms)
  func `every form of the callback's request is taken`(_ one: Case) async throws {
    let login = try Login()
    let request = one.request.replacingOccurrences(of: "PORT", with: "\(login.port)")
    let response = try await exchange(login.port, request)
    #expect(response.status == one.status, "\(response.text)")
    #expect(response.body.hasSuffix("</html>\n"))
    #expect(try await login.value() == "code=good")
    #expect(login.judged.all == ["code=good"])
  }

  @Test func `a request that comes byte by byte is taken`() async throws {
    let login = try Login()
    let client = try RawClient(port: login.port)
    try await onThread { [port = login.port] in
      for byte in get("/callback?code=good", port: port).utf8 {
        client.send([byte])
        usleep(300)
      }
    }
    #expect(try await client.readAll().status == 200)
    #expect(try await login.value() == "code=good")
  }

  @Test func `a browser that goes away before it reads the page does not lose the login`() async throws {
    let login = try Login()
    do {
      let client = try RawClient(port: login.port)
      var now = linger(l_onoff: 1, l_linger: 0)
      setsockopt(client.number, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
      client.send(get("/callback?code=good", port: login.port))
    }
    // The reset may be seen before the request: then the browser asks again, as here.
    if login.judged.all.isEmpty { _ = try? await exchange(login.port, get("/callback?code=good", port: login.port)) }
    #expect(try await login.value() == "code=good")
  }
}

import Crypto
import Flows
import Host
import OAuth
import Testing

/// Requests and what reaches a server, what comes back, and what is never sent.
struct CurlClientTests {
  private let client: CurlClient

  init() throws {
    client = try CurlClient(CurlOptions(version: "1.2.3"))
  }

  @Test func `a GET comes back with its status, headers and body`() async throws {
    let server = try ScriptedServer { connection in
      connection.readRequest()
      connection.respond("418 I'm a teapot", headers: ["X-One: 1", "x-two:  spaced  ", "X-One: again"], body: "short")
    }
    defer { server.stop() }

    let response = try await client.send(HTTPRequest(method: .get, url: server.url + "/a%20b?q=1&r=%2F"))

    #expect(response.status == 418)
    #expect(response.body == Array("short".utf8))
    #expect(response.header("x-one") == "1")
    #expect(response.header("X-TWO") == "spaced")
    #expect(response.headers.filter { $0.name == "X-One" }.map(\.value) == ["1", "again"])
    let request = try #require(server.requests.first)
    #expect(request.line == "GET /a%20b?q=1&r=%2F HTTP/1.1")
    #expect(request.header("User-Agent") == "oauthctl/1.2.3 (+linux)")
    #expect(request.header("Host") == "127.0.0.1:\(server.port)")
    #expect(request.header("Content-Type") == nil)
  }

  @Test func `a POST sends its body byte for byte, without asking whether it may`() async throws {
    let server = try ScriptedServer { connection in
      connection.readRequest()
      connection.respond("200 OK")
    }
    defer { server.stop() }
    let body = Secret(bytes: (0..<5000).map { UInt8(truncatingIfNeeded: $0) })

    _ = try await client.send(
      HTTPRequest(
        method: .post, url: server.url, headers: [HTTPHeader("Content-Type", "application/x-test")], body: body))

    let request = try #require(server.requests.first)
    #expect(request.line == "POST / HTTP/1.1")
    #expect(Secret(bytes: request.body) == body)
    #expect(request.header("Content-Type") == "application/x-test")
    #expect(request.header("Content-Length") == "5000")
    #expect(request.header("Expect") == nil)
  }
}

import Crypto
import Flows
import Foundation
import Host
import OAuth
import Synchronization
import Testing

/// Requests: what reaches a server, what comes back, and what is never sent.
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
    for name in ["Content-Type", "Content-Length", "Cookie", "Authorization", "Expect"] {
      #expect(request.header(name) == nil)
    }
  }

  @Test func `a POST sends its body byte for byte, without asking whether it may`() async throws {
    let server = try ScriptedServer.answering()
    defer { server.stop() }
    let body = Secret(bytes: (0..<2_000_000).map { UInt8(truncatingIfNeeded: $0) })

    _ = try await client.send(
      HTTPRequest(
        method: .post, url: server.url, headers: [HTTPHeader("Content-Type", "application/x-test")], body: body))

    let request = try #require(server.requests.first)
    #expect(request.line == "POST / HTTP/1.1")
    #expect(Secret(bytes: request.body) == body)
    #expect(request.header("Content-Type") == "application/x-test")
    #expect(request.header("Content-Length") == "2000000")
    #expect(request.header("Expect") == nil)
  }

  @Test(arguments: [nil, Secret("")])
  func `an empty POST says that it is empty`(body: Secret?) async throws {
    let server = try ScriptedServer.answering()
    defer { server.stop() }
    _ = try await client.send(HTTPRequest(method: .post, url: server.url, body: body))
    #expect(server.requests.first?.header("Content-Length") == "0")
    #expect(server.requests.first?.header("Content-Type") == nil)
  }

  @Test func `a DELETE goes with and without a body`() async throws {
    let server = try ScriptedServer.answering()
    defer { server.stop() }
    _ = try await client.send(HTTPRequest(method: .delete, url: server.url + "/a"))
    _ = try await client.send(HTTPRequest(method: .delete, url: server.url + "/b", body: Secret("x")))
    #expect(server.requests.map(\.line) == ["DELETE /a HTTP/1.1", "DELETE /b HTTP/1.1"])
    #expect(server.requests.map(\.body) == [[], Array("x".utf8)])
  }

  @Test func `headers are sent as given, the empty ones too`() async throws {
    let server = try ScriptedServer.answering()
    defer { server.stop() }
    _ = try await client.send(
      HTTPRequest(
        method: .get, url: server.url,
        headers: [
          HTTPHeader("Authorization", "Bearer a:b;c"), HTTPHeader("X-Empty", ""),
          HTTPHeader("Accept", "application/json"),
          HTTPHeader("X-Text", "Grüße"),
        ]))
    let request = try #require(server.requests.first)
    #expect(request.header("Authorization") == "Bearer a:b;c")
    #expect(request.header("X-Empty") == "")
    #expect(request.header("Accept") == "application/json")
    #expect(request.header("X-Text") == "Grüße")
  }

  static let malformed = [
    HTTPHeader("X", "a\r\nY: b"), HTTPHeader("X", "a\nb"), HTTPHeader("X", "a\u{0}b"), HTTPHeader("X\nY", "a"),
    HTTPHeader("X: y", "a"), HTTPHeader("", "a"), HTTPHeader("X", "a\u{7F}"), HTTPHeader("Content-Length", "1"),
    HTTPHeader("transfer-encoding", "chunked"),
  ]

  @Test(arguments: malformed.indices)
  func `a header that would not stay one line is never sent`(_ index: Int) async throws {
    let server = try ScriptedServer.answering()
    defer { server.stop() }
    let error = await #expect(throws: TransportError.self) {
      try await client.send(HTTPRequest(method: .get, url: server.url, headers: [Self.malformed[index]]))
    }
    #expect(error?.kind == .refusedURL)
    #expect(error?.mayHaveArrived == false)
    #expect(server.accepted == 0)
  }

  @Test(arguments: ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"])
  func `no redirect is followed`(status: String) async throws {
    let trap = try ScriptedServer.answering()
    let server = try ScriptedServer { [location = trap.url] connection in
      connection.readRequest()
      connection.respond(status, headers: ["Location: \(location)/"])
    }
    defer { server.stop(); trap.stop() }
    for method in [HTTPRequest.Method.post, .get] {
      let response = try await client.send(HTTPRequest(method: method, url: server.url, body: Secret("token=x")))
      #expect(response.status == Int(status.prefix(3)))
      #expect(response.header("Location") == trap.url + "/")
    }
    #expect(trap.accepted == 0)
  }

  @Test func `cookies are neither kept nor sent`() async throws {
    let server = try ScriptedServer { connection in
      connection.readRequest()
      connection.respond("200 OK", headers: ["Set-Cookie: a=b"])
    }
    defer { server.stop() }
    for _ in 0..<2 { _ = try await client.send(HTTPRequest(method: .get, url: server.url)) }
    #expect(server.requests.map { $0.header("Cookie") } == [nil, nil])
  }

  @Test func `interim responses and trailers are not the answer`() async throws {
    let server = try ScriptedServer { connection in
      connection.readRequest()
      connection.write("HTTP/1.1 103 Early Hints\r\nX: early\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n")
      connection.write("HTTP/1.1 200 OK\r\nX: real\r\nTransfer-Encoding: chunked\r\nTrailer: X, Y\r\n\r\n")
      connection.write("3\r\nabc\r\n0\r\nX: late\r\nY: late\r\n\r\n")
    }
    defer { server.stop() }
    let response = try await client.send(HTTPRequest(method: .get, url: server.url))
    #expect(response.status == 200)
    #expect(response.headers.filter { $0.name == "X" } == [HTTPHeader("X", "real")])
    #expect(response.header("Y") == nil)
    #expect(response.body == Array("abc".utf8))
  }

  @Test func `a body may end with the connection, and may be as long as the limit`() async throws {
    let server = try ScriptedServer { connection in
      connection.readRequest()
      connection.write("HTTP/1.0 200 OK\r\n\r\n")
      connection.write([UInt8](repeating: 0x78, count: 1 << 20))
    }
    defer { server.stop() }
    let response = try await client.send(HTTPRequest(method: .get, url: server.url))
    #expect(response.body.count == 1 << 20)
    #expect(response.body.allSatisfy { $0 == 0x78 })
  }

  @Test func `twenty requests go at once`() async throws {
    let arrived = Atomic(0)
    let counter = Box(arrived)
    // Nobody is answered before all have come.
    let server = try ScriptedServer { connection in
      guard let request = connection.readRequest() else { return }
      counter.value.add(1, ordering: .relaxed)
      let deadline = Date(timeIntervalSinceNow: 10)
      while counter.value.load(ordering: .relaxed) < 20, Date() < deadline { usleep(2000) }
      connection.respond("200 OK", body: request.line)
    }
    defer { server.stop() }
    let client = client
    let bodies = try await withThrowingTaskGroup(of: String.self) { group in
      for number in 0..<20 {
        group.addTask {
          let response = try await client.send(HTTPRequest(method: .get, url: "\(server.url)/\(number)"))
          return String(decoding: response.body, as: UTF8.self)
        }
      }
      return try await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    #expect(bodies == Set((0..<20).map { "GET /\($0) HTTP/1.1" }))
    #expect(counter.value.load(ordering: .relaxed) == 20)
  }

  @Test func `a cancelled request ends at once`() async throws {
    let server = try ScriptedServer { connection in
      connection.readRequest()
      connection.waitForClose()
    }
    defer { server.stop() }
    let client = client
    let request = Task { try await client.send(HTTPRequest(method: .post, url: server.url, body: Secret("x"))) }
    while server.requests.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
    let start = ContinuousClock.now
    request.cancel()
    await #expect(throws: CancellationError.self) { try await request.value }
    // It takes milliseconds; the rest is for a machine that has much else to do. The deadline would be 30 s.
    #expect(ContinuousClock.now - start < .seconds(5))
  }

  @Test func `a task that was cancelled before sends nothing`() async throws {
    let server = try ScriptedServer.answering()
    defer { server.stop() }
    let client = client
    let request = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await client.send(HTTPRequest(method: .get, url: server.url))
    }
    request.cancel()
    await #expect(throws: CancellationError.self) { try await request.value }
    #expect(server.accepted == 0)
  }

  @Test func `libcurl is loaded by the first request and not before`() async {
    await #expect(processExitsWith: .success) {
      func isLoaded() throws -> Bool {
        String(decoding: try WholeFile.read("/proc/self/maps", limit: 16 << 20), as: UTF8.self)
          .contains("/libcurl.so.4")
      }
      let client = try CurlClient(CurlOptions(version: "0"))
      let isLoadedBefore = try isLoaded()
      _ = try? await client.send(HTTPRequest(method: .get, url: "ftp://nowhere"))
      let isLoadedAfter = try isLoaded()
      #expect(!isLoadedBefore)
      #expect(isLoadedAfter)
    }
  }
}

private final class Box: Sendable {
  let value: Atomic<Int>
  init(_ value: consuming Atomic<Int>) { self.value = value }
}

import Flows
import OAuth
import Testing

@testable import Host

/// Which URLs are sent to: `https`, and `http` to this machine alone, as libcurl itself reads them.
struct DestinationTests {
  private let library: CurlLibrary

  init() throws { library = try CurlLibrary.shared.get() }

  static let refused: [(url: String, host: String, reason: String)] = [
    ("http://example.org/", "example.org", "plain http is for loopback hosts alone"),
    ("http://localhost.evil.example/", "localhost.evil.example", "plain http is for loopback hosts alone"),
    ("http://127.0.0.1.evil.example/", "127.0.0.1.evil.example", "plain http is for loopback hosts alone"),
    ("http://127.0.0.1@evil.example/", "evil.example", "a user or password in the URL"),
    ("http://localhost:80@evil.example/", "evil.example", "a user or password in the URL"),
    ("https://me@example.org/", "example.org", "a user or password in the URL"),
    ("https://:pw@example.org/", "example.org", "a user or password in the URL"),
    ("http://evil.example#@127.0.0.1/", "evil.example", "plain http is for loopback hosts alone"),
    ("http://evil.example?@127.0.0.1/", "evil.example", "plain http is for loopback hosts alone"),
    ("http://128.0.0.1/", "128.0.0.1", "plain http is for loopback hosts alone"),
    ("http://0.0.0.0/", "0.0.0.0", "plain http is for loopback hosts alone"),
    ("http://0/", "0.0.0.0", "plain http is for loopback hosts alone"),
    ("http://2130706434x/", "2130706434x", "plain http is for loopback hosts alone"),
    ("http://[::2]/", "[::2]", "plain http is for loopback hosts alone"),
    ("http://[::ffff:10.0.0.1]/", "[::ffff:10.0.0.1]", "plain http is for loopback hosts alone"),
    ("http://ⓛocalhost/", "ⓛocalhost", "plain http is for loopback hosts alone"),
    ("http://localhost./", "localhost.", "plain http is for loopback hosts alone"),
    ("http://127.0.0.1./", "127.0.0.1.", "plain http is for loopback hosts alone"),
    ("ftp://localhost/", "localhost", "neither https nor http"),
    ("file:///etc/passwd", "", "not a URL"),
    ("localhost/x", "", "not a URL"),
    ("ftp.localhost", "", "not a URL"),
    ("//localhost/", "", "not a URL"),
    ("http:/localhost", "localhost", "neither https nor http"),
    ("http://[::1].x/", "", "not a URL"),
    ("http://[::1/", "", "not a URL"),
    ("http://localhost\\@evil.example/", "evil.example", "a user or password in the URL"),
    ("http://local host/", "", "not a URL"),
    ("https://example.org/a b", "", "not a URL"),
    ("https://example.org/\r\nX: y", "", "not a URL"),
    ("http://localhost:99999/", "", "not a URL"),
    ("https://", "", "not a URL"),
    ("https://example.org\u{0}.evil.example/", "", "not a URL"),
    ("", "", "not a URL"),
  ]

  @Test(arguments: refused.indices)
  func `a URL that is not sent to is refused, with the host that it means`(_ index: Int) {
    let (url, host, reason) = Self.refused[index]
    let error = #expect(throws: TransportError.self, "\(url)") { _ = try Destination(url, library) }
    #expect(error?.kind == .refusedURL)
    #expect(error?.host == host, "\(url)")
    #expect(error?.message == reason, "\(url)")
    #expect(error?.mayHaveArrived == false)
  }

  static let accepted: [(url: String, host: String, isLoopback: Bool)] = [
    ("https://example.org/path?q#f", "example.org", false), ("HTTPS://EXAMPLE.org", "EXAMPLE.org", false),
    ("https://localhost.evil.example", "localhost.evil.example", false), ("https://10.0.0.1/", "10.0.0.1", false),
    ("https://localhost/", "localhost", true), ("http://LocalHost:80/", "LocalHost", true),
    ("http://127.0.0.1:1/", "127.0.0.1", true), ("http://127.255.255.254", "127.255.255.254", true),
    ("http://[::1]:8/", "[::1]", true), ("http://127.1/", "127.0.0.1", true), ("http://0x7f.1/", "127.0.0.1", true),
    ("http://2130706433/", "127.0.0.1", true), ("http://0177.0.0.1/", "127.0.0.1", true),
    ("http://%31%32%37.0.0.1/", "127.0.0.1", true), ("https://example.org/@127.0.0.1", "example.org", false),
    ("http:///localhost", "localhost", true),
  ]

  @Test(arguments: accepted.indices)
  func `a URL that is sent to`(_ index: Int) throws {
    let (url, host, isLoopback) = Self.accepted[index]
    let destination = try Destination(url, library)
    #expect(destination.host == host)
    #expect(destination.isLoopback == isLoopback, "\(url)")
    #expect(destination.isEncrypted == url.lowercased().hasPrefix("https"))
  }

  @Test(arguments: ["127.1", "0x7f.1", "2130706433", "0177.0.0.1", "localhost", "%31%32%37.0.0.1"])
  func `a loopback host in disguise is connected to as it was judged`(host: String) async throws {
    let server = try ScriptedServer.answering()
    defer { server.stop() }
    let client = try CurlClient(CurlOptions(version: "0"))
    let response = try await client.send(HTTPRequest(method: .get, url: "http://\(host):\(server.port)/"))
    #expect(response.status == 200)
    #expect(server.requests.count == 1)
  }
}

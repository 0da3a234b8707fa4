import Crypto
import Flows
import Foundation
import Glibc
import OAuth
import TestSupport
import Testing

@testable import Host

/// The proxies of the environment; each test in a process of its own, because it changes it.
struct CurlProxyTests {
  @Test func `the proxy is asked for a tunnel, and told nothing else`() async {
    await #expect(processExitsWith: .success) {
      let proxy = try ScriptedServer { connection in
        connection.readRequest()
        connection.respond("407 Proxy Authentication Required", headers: ["X: proxy"])
      }
      setenv("HTTPS_PROXY", proxy.url, 1)
      let request = HTTPRequest(
        method: .post, url: "https://token.invalid/t?code=x", headers: [HTTPHeader("Authorization", "Basic s3cret")],
        body: Secret("s3cret"))
      let client = try CurlClient(CurlOptions(version: "0"))
      let error = await #expect(throws: TransportError.self) { try await client.send(request) }
      #expect(error?.kind == .cannotConnect)
      #expect(error?.mayHaveArrived == false)
      #expect(error?.message.contains("407") == true)
      #expect(proxy.requests.map(\.line) == ["CONNECT token.invalid:443 HTTP/1.1"])
      #expect(proxy.requests.first?.head.contains("s3cret") == false)
    }
  }

  @Test func `what breaks behind the proxy before TLS has not arrived`() async {
    await #expect(processExitsWith: .success) {
      let proxy = try ScriptedServer { connection in
        connection.readRequest()
        connection.write("HTTP/1.1 200 Connection established\r\n\r\n")
        _ = connection.read(1)
      }
      setenv("https_proxy", proxy.url, 1)
      let client = try CurlClient(CurlOptions(version: "0"))
      let error = await #expect(throws: TransportError.self) {
        try await client.send(HTTPRequest(method: .post, url: "https://token.invalid/"))
      }
      #expect(error?.kind == .handshake)
      #expect(error?.mayHaveArrived == false)
      #expect(proxy.requests.count == 1)
    }
  }

  @Test func `a proxy that is not there`() async {
    await #expect(processExitsWith: .success) {
      setenv("HTTPS_PROXY", "http://proxy.invalid:1", 1)
      let client = try CurlClient(CurlOptions(version: "0"))
      let error = await #expect(throws: TransportError.self) {
        try await client.send(HTTPRequest(method: .get, url: "https://token.invalid/"))
      }
      #expect(error?.kind == .cannotConnect)
      #expect(error?.mayHaveArrived == false)
    }
  }

  @Test func `NO_PROXY is honoured`() async {
    await #expect(processExitsWith: .success) {
      let proxy = try ScriptedServer.answering()
      setenv("HTTPS_PROXY", proxy.url, 1)
      setenv("NO_PROXY", "token.invalid", 1)
      let client = try CurlClient(CurlOptions(version: "0"))
      let error = await #expect(throws: TransportError.self) {
        try await client.send(HTTPRequest(method: .get, url: "https://token.invalid/"))
      }
      #expect(error?.kind == .cannotResolve)
      #expect(proxy.accepted == 0)
    }
  }

  @Test func `loopback hosts are never reached through a proxy`() async {
    await #expect(processExitsWith: .success) {
      let proxy = try ScriptedServer.answering()
      let server = try ScriptedServer.answering()
      for name in ["http_proxy", "https_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"] {
        setenv(name, proxy.url, 1)
      }
      let client = try CurlClient(CurlOptions(version: "0", connectDeadline: .seconds(1)))
      for host in ["127.0.0.1", "localhost"] {
        let response = try await client.send(HTTPRequest(method: .get, url: "http://\(host):\(server.port)/"))
        #expect(response.status == 200)
      }
      await #expect(throws: TransportError.self) {
        try await client.send(HTTPRequest(method: .get, url: "https://127.0.0.1:\(server.port)/"))
      }
      #expect(proxy.accepted == 0)
      #expect(server.requests.count == 2)
    }
  }

  static let malformed: [Named<String>] = [
    Named("an at sign", "http://user:hush@sekret@proxy.example:3128"),
    Named("a blank", "http://us er:sekret@proxy.example"),
    Named("a port too high", "http://user:sekret@proxy.example:99999"),
    Named("a scheme", "htp!://user:sekret@proxy.example"),
    Named("another scheme", "gopher://user:sekret@proxy.example"), Named("a bracket", "http://user:sekret@[::1"),
    Named("a slash", "http://user:12/sekret@proxy.example:3128"), Named("a hash", "http://sekret#word@proxy.example"),
    Named("no scheme", "user:sek@sekret@proxy.example"),
    Named("long", "http://u:\(String(repeating: "sekret", count: 99))@h:99999"),
  ]

  @Test(arguments: malformed) func `a proxy that cannot be read is named by its variable, and not shown`(
    _ row: Named<String>
  ) async {
    await #expect(processExitsWith: .success) { [value = row.value as String] in
      for variable in ["HTTPS_PROXY", "all_proxy"] {
        unsetenv("HTTPS_PROXY")
        setenv(variable, value, 1)
        let client = try CurlClient(CurlOptions(version: "0", connectDeadline: .seconds(5)))
        let error = await #expect(throws: TransportError.self) {
          try await client.send(HTTPRequest(method: .post, url: "https://token.invalid/"))
        }
        #expect(error?.kind == .badProxy)
        #expect(error?.mayHaveArrived == false)
        #expect(error?.message.hasPrefix("the proxy in \(variable) cannot be used: it") == true)
        #expect(error?.message.contains("sek") == false)
      }
    }
  }

  @Test func `a malformed proxy is nobody's fault where it is not used`() async {
    await #expect(processExitsWith: .success) {
      setenv("HTTPS_PROXY", "http://user:sekret@proxy.example:99999", 1)
      setenv("NO_PROXY", "token.invalid", 1)
      let client = try CurlClient(CurlOptions(version: "0"))
      let error = await #expect(throws: TransportError.self) {
        try await client.send(HTTPRequest(method: .get, url: "https://token.invalid/"))
      }
      #expect(error?.kind == .cannotResolve)
    }
  }

  static let texts: [Named<(text: String, isShown: Bool)>] = [
    Named("its host", ("Could not resolve proxy: proxy.example", true)),
    Named("its port", ("Failed to connect to proxy.example port 3128 after 10 ms", true)),
    Named("its password", ("login sekret! failed", false)), Named("decoded", ("login s-e@kret failed", false)),
    Named("a piece", ("cannot read ekre", false)), Named("the user", ("no ada here", false)),
    Named("what follows the host", ("cannot open hidden", false)),
    Named("another url with a user", ("Unsupported proxy 'http://x:y@z'", false)),
    Named("another variable", ("no other here", false)),
  ]

  @Test(arguments: texts) func `a text of libcurl with a piece of a proxy's variable is not shown`(
    _ row: Named<(text: String, isShown: Bool)>
  ) {
    let variables = ProxyVariables([
      "https_proxy": "http://ada:s-e%40kret;sekret@proxy.example:3128/hidden", "http_proxy": "http://h:99999/other",
    ])
    #expect(variables.mayShow(row.value.text) == row.value.isShown)
    #expect(variables.problem == nil)
  }
}

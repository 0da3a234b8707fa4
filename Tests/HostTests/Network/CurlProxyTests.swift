import Crypto
import Flows
import Foundation
import Glibc
import Host
import OAuth
import Testing

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
      #expect(error?.kind == .tls)
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
}

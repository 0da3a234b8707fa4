import Crypto
import Flows
import Host
import OAuth
import Synchronization
import Testing

/// What `--verbose` shows of a request and its response.
struct TracingHTTPClientTests {
  private struct Answer: HTTPClient {
    let result: Result<HTTPResponse, TransportError>
    func send(_ request: HTTPRequest) async throws -> HTTPResponse { try result.get() }
  }

  private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])
    func add(_ line: String) { lines.withLock { $0.append(line) } }
    /// The lines, the time taken left out.
    var all: [String] { lines.withLock { $0 }.map { $0.replacing(#/\(\d+ ms\)/#, with: "(n ms)") } }
  }

  private func trace(
    _ request: HTTPRequest, _ result: Result<HTTPResponse, TransportError>, live: [Secret] = []
  ) async -> [String] {
    let (lines, redactor) = (Lines(), Redactor())
    for secret in live { redactor.register(secret) }
    let client = TracingHTTPClient(Answer(result: result), redactor: redactor) { lines.add($0) }
    _ = try? await client.send(request)
    return lines.all
  }

  @Test func `a token request and its reply, without their secrets`() async {
    let lines = await trace(
      HTTPRequest(
        method: .post, url: "https://host/token?state=abc",
        headers: [
          HTTPHeader("Content-Type", "application/x-www-form-urlencoded"), HTTPHeader("Authorization", "Basic YTpi"),
        ], body: Secret("grant_type=authorization_code&code=abc&custom=my%2Blive%2Bvalue")),
      .success(
        HTTPResponse(
          status: 200, headers: [HTTPHeader("Content-Type", "application/json"), HTTPHeader("Set-Cookie", "a=b")],
          body: Array("{\n  \"access_token\": \"abc\",\n  \"sub\": \"Grüße\u{202E}\u{1B}[1m\"\n}\n".utf8))),
      live: [Secret("my+live+value")])
    #expect(
      lines == [
        "> POST https://host/token?state=[redacted]",
        "> Content-Type: application/x-www-form-urlencoded",
        "> Authorization: Basic [redacted]",
        "> grant_type=authorization_code",
        "> code=[redacted]",
        "> custom=[redacted]",
        "< 200 (n ms)",
        "< Content-Type: application/json",
        "< Set-Cookie: [redacted]",
        "< {",
        "<   \"access_token\": \"[redacted]\",",
        "<   \"sub\": \"Grüße\\u{202e}\\u{1b}[1m\"",
        "< }",
      ])
  }

  @Test func `a request with every proof of who asks, without one of them`() async {
    let jwt = "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl"
    let lines = await trace(
      HTTPRequest(
        method: .post, url: "https://host/token",
        headers: [HTTPHeader("Content-Type", "application/x-www-form-urlencoded"), HTTPHeader("DPoP", jwt)],
        body: Secret("client_id=c&client_assertion=\(jwt)&device_code=dc-123456&request=\(jwt)"),
        clientCertificate: ClientCertificate(chain: Secret("the chain"), key: Secret("the key"))),
      .success(
        HTTPResponse(status: 400, headers: [HTTPHeader("DPoP-Nonce", "n-1")], body: Array("dc-123456, \(jwt)".utf8))))
    let mark = "[redacted](\(Secret(jwt).fingerprint))"
    #expect(
      lines == [
        "> POST https://host/token", "> Content-Type: application/x-www-form-urlencoded", "> DPoP: \(mark)",
        "> client_id=c", "> client_assertion=\(mark)", "> device_code=[redacted]", "> request=\(mark)",
        "* a server that asks is shown the client's certificate", "< 400 (n ms)", "< DPoP-Nonce: n-1",
        "< [redacted], \(mark)",
      ])
  }

  @Test func `what has a name anywhere in a reply is shown nowhere in it, nor later`() async {
    let (lines, body) = (
      Lines(), "<r><access_token>at-abc-123</access_token></r> {\"id_token\": \"it-abc-123\"} it-abc-123"
    )
    let headers = [HTTPHeader("X-Request", "at-abc-123"), HTTPHeader("X-Id", "69742d6162632d313233")]
    let client = TracingHTTPClient(
      Answer(result: .success(HTTPResponse(status: 200, headers: headers, body: Array(body.utf8)))),
      redactor: Redactor()
    ) { lines.add($0) }
    _ = try? await client.send(HTTPRequest(method: .get, url: "https://h/"))
    _ = try? await client.send(HTTPRequest(method: .get, url: "https://h/at-abc-123"))
    let reply = [
      "< 200 (n ms)", "< X-Request: [redacted]", "< X-Id: [redacted]",
      "< <r><access_token>[redacted]</access_token></r> {\"id_token\": \"[redacted]\"} [redacted]",
    ]
    #expect(lines.all == ["> GET https://h/"] + reply + ["> GET https://h/[redacted]"] + reply)
  }

  @Test func `a failure is shown, and thrown on`() async throws {
    let error = TransportError(kind: .timedOut, host: "h", message: "too\nlate", mayHaveArrived: true)
    #expect(
      await trace(HTTPRequest(method: .get, url: "https://h/"), .failure(error)) == [
        "> GET https://h/", "* timedOut (n ms): too\\nlate",
      ])
    let client = TracingHTTPClient(Answer(result: .failure(error)), redactor: Redactor()) { _ in }
    await #expect(throws: error) { try await client.send(HTTPRequest(method: .get, url: "https://h/")) }
  }

  @Test func `a long body is cut`() async {
    let body = Array(String(repeating: "x", count: 5000).utf8)
    let lines = await trace(
      HTTPRequest(method: .get, url: "https://h/"), .success(HTTPResponse(status: 200, body: body)))
    #expect(lines.count == 4)
    #expect(lines[2] == "< " + String(repeating: "x", count: 4096))
    #expect(lines[3] == "< [cut; the body has 5000 bytes]")
  }

  @Test func `bytes that are no text are counted, not shown`() async {
    let body: [UInt8] = [0x1F, 0x8B, 0, 0xFF, 0xFE]
    let lines = await trace(
      HTTPRequest(method: .get, url: "https://h/"), .success(HTTPResponse(status: 200, body: body)))
    #expect(lines.last == "< [5 bytes that are no text]")
  }

  @Test func `the bytes of the response go on unchanged`() async throws {
    let body = Array("{\"access_token\":\"abc\"}".utf8)
    let client = TracingHTTPClient(
      Answer(result: .success(HTTPResponse(status: 201, body: body))), redactor: Redactor()
    ) { _ in }
    let response = try await client.send(HTTPRequest(method: .get, url: "https://h/"))
    #expect(response.status == 201)
    #expect(response.body == body)
  }
}

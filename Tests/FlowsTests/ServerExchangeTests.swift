import Crypto
import Foundation
import OAuth
import TestSupport
import Testing

@testable import Flows

/// A server that wants its nonce in the proof is asked once more, and no more than that.
@Suite(.timeLimit(.minutes(1))) struct ServerExchangeTests {
  private static let origin = "https://id.acme.example"

  private static func wanting(_ nonce: String, status: Int = 400) -> HTTPResponse {
    .json(#"{"error":"use_dpop_nonce"}"#, status: status, headers: [HTTPHeader("DPoP-Nonce", nonce)])
  }

  private static func bound(_ nonces: [String: String] = [:]) throws -> RequestingClient {
    var client = Sample.client()
    client.binding = DPoPBinding(key: try PrivateKey.generate().pem(), nonces: nonces)
    return client
  }

  private func send(_ http: FakeHTTPClient, as client: inout RequestingClient) async throws -> HTTPResponse {
    try await ServerExchange(network: Sample.network(http)).send(as: &client) { client, stamp in
      try TokenRequest.build(.refreshToken(Secret("r-1")), endpoint: Sample.tokenURL, as: client, stamp: stamp)
    }
  }

  private func nonces(_ http: FakeHTTPClient) -> [String?] {
    http.requests.map { request in
      request.headers("DPoP").first.flatMap { JWT.Parsed(Secret($0)) }?.claims["nonce"]?.text
    }
  }

  @Test func `the nonce is learned, and goes with the second request`() async throws {
    let http = FakeHTTPClient(
      .post(Sample.tokenURL, Self.wanting("n-1")),
      .post(Sample.tokenURL, form: ["refresh_token": "r-1"], Sample.rotated))
    var client = try Self.bound()
    let answer = try await send(http, as: &client)
    #expect(answer.body == Sample.rotated.body)
    #expect(nonces(http) == [nil, "n-1"] && client.binding?.nonces == [Self.origin: "n-1"])
  }

  @Test func `a nonce that is known goes with the first, and one that came since with the second`() async throws {
    let http = FakeHTTPClient(
      .post(Sample.tokenURL, Self.wanting("n-2", status: 401)), .post(Sample.tokenURL, Sample.rotated))
    var client = try Self.bound([Self.origin: "n-1"])
    _ = try await send(http, as: &client)
    #expect(nonces(http) == ["n-1", "n-2"])
  }

  @Test func `it is not sent a third time`() async throws {
    let http = FakeHTTPClient(.post(Sample.tokenURL, Self.wanting("n-1")), .post(Sample.tokenURL, Self.wanting("n-2")))
    var client = try Self.bound()
    let answer = try await send(http, as: &client)
    #expect(answer.body == Self.wanting("n-2").body)
    #expect(client.binding?.nonces == [Self.origin: "n-2"])
  }

  static let others: [Named<HTTPResponse>] = [
    Named("a nonce that it had", wanting("n-1")),
    Named("without a nonce", .json(#"{"error":"use_dpop_nonce"}"#, status: 400)),
    Named(
      "another error", .json(#"{"error":"invalid_grant"}"#, status: 400, headers: [HTTPHeader("DPoP-Nonce", "n-2")])),
    Named("an outage", .json("{}", status: 503, headers: [HTTPHeader("DPoP-Nonce", "n-2")])),
    Named("a success", .json("{}", headers: [HTTPHeader("DPoP-Nonce", "n-2")])),
  ]

  @Test(arguments: others) func `else it is sent once`(_ row: Named<HTTPResponse>) async throws {
    let http = FakeHTTPClient(.post(Sample.tokenURL, row.value))
    var client = try Self.bound([Self.origin: "n-1"])
    let answer = try await send(http, as: &client)
    #expect(answer.body == row.value.body)
    #expect(client.binding?.nonces[Self.origin] == (DPoP.nonce(in: row.value) ?? "n-1"))
  }

  @Test func `what an authorization server and a resource want in a proof is kept apart`() async throws {
    let api = "https://api.acme.example/me"
    let answer = HTTPResponse.json("{}", headers: [HTTPHeader("DPoP-Nonce", "as-1")])
    let demand = HTTPResponse(
      status: 401,
      headers: [
        HTTPHeader("WWW-Authenticate", #"DPoP error="use_dpop_nonce""#), HTTPHeader("DPoP-Nonce", "rs-1"),
      ])
    let http = FakeHTTPClient(
      .post(Sample.tokenURL, answer), .get("\(api)?fields=a#b", demand), .get("\(api)?fields=a#b", .json("{}")),
      .post(Sample.tokenURL, Sample.rotated))
    let tokens = Sample.tokens { $0.tokenType = "DPoP" }
    var client = try Self.bound()
    _ = try await send(http, as: &client)
    _ = try await ServerExchange(network: Sample.network(http)).send(as: &client) { client, stamp in
      try Userinfo.request(tokens, endpoint: "\(api)?fields=a#b", as: client, stamp: stamp)
    }
    _ = try await send(http, as: &client)
    #expect(nonces(http) == [nil, nil, "rs-1", "as-1"])
    #expect(client.binding?.nonces == [Self.origin: "as-1", "https://api.acme.example": "rs-1"])
    let proofs = http.requests.map { JWT.Parsed(Secret($0.headers("DPoP").first ?? ""))?.claims ?? [:] }
    #expect(proofs.map { $0["htu"]?.text } == [Sample.tokenURL, api, api, Sample.tokenURL])
    let hash = Base64URL.encode(SHA256.digest(Array(tokens.accessToken.reveal().utf8)))
    #expect(proofs.map { $0["ath"]?.text } == [nil, hash, hash, nil], "only a resource is shown the token's digest")
  }

  @Test func `a client without a key asks once, whatever it is told`() async throws {
    let http = FakeHTTPClient(.post(Sample.tokenURL, Self.wanting("n-1")))
    var client = Sample.client()
    let answer = try await send(http, as: &client)
    #expect(answer.body == Self.wanting("n-1").body && client.binding == nil)
  }
}

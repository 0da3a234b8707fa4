import Crypto
import Foundation
import OAuth
import TestSupport
import Testing

@testable import Flows

/// A refresh of tokens that are bound to a key: whatever goes wrong with proofs, the login stays.
@Suite(.timeLimit(.minutes(1))) struct BoundRefreshTests {
  private func session(_ key: Secret? = nil, _ change: (inout Session) -> Void = { _ in }) throws -> Session {
    let pem = try key ?? PrivateKey.generate().pem()
    return Sample.session { session in
      session.tokens.tokenType = "DPoP"
      session.binding = DPoPBinding(key: pem)
      change(&session)
    }
  }

  private func reply(_ type: String) -> HTTPResponse {
    .json(
      #"{"access_token":"access-2","token_type":"\#(type)","refresh_token":"refresh-2"}"#,
      headers: [HTTPHeader("DPoP-Nonce", "n-1")])
  }

  @Test func `a proof goes along, and the nonce is saved with the tokens`() async throws {
    let harness = RefreshHarness(
      try MemoryStore(session()), FakeHTTPClient(.post(Sample.tokenURL, reply("DPoP"))))
    let renewed = try await harness.run()
    #expect(harness.http.requests[0].headers("DPoP").count == 1)
    #expect(try harness.stored().binding?.nonces == ["https://id.acme.example": "n-1"])
    #expect(renewed.tokens.authorizationScheme == "DPoP")
  }

  @Test func `a token that is not bound any more is kept: the one before is spent`() async throws {
    let harness = RefreshHarness(
      try MemoryStore(session()), FakeHTTPClient(.post(Sample.tokenURL, reply("Bearer"))))
    _ = try await harness.run()
    let stored = try harness.stored()
    #expect(stored.tokens.refreshToken == Secret("refresh-2") && stored.tokens.authorizationScheme == "Bearer")
    #expect(stored.binding != nil)
  }

  @Test(arguments: ["invalid_dpop_proof", "use_dpop_nonce"]) func `a refused proof marks nothing as refused`(
    _ code: String
  ) async throws {
    let before = try session()
    let harness = RefreshHarness(
      try MemoryStore(before), FakeHTTPClient(.post(Sample.tokenURL, .error(code))))
    let failure = await #expect(throws: TokenFailure.self) { try await harness.run() }
    let stored = try harness.stored()
    #expect(stored.tokens == before.tokens && stored.refused == nil && stored.pendingRefresh == nil)
    let said = ServerError(status: 400, code: code)
    if code == "use_dpop_nonce" { #expect(failure == .transient(said, retryAfter: nil)) }
    #expect((stored.backoff != nil) == (code == "use_dpop_nonce"))
  }

  @Test func `a key that cannot be read is told, nothing is sent, and the login stays`() async throws {
    let before = try session(Secret("rubbish"))
    let harness = RefreshHarness(try MemoryStore(before), FakeHTTPClient())
    let error = await #expect(throws: FlowError.self) { try await harness.run() }
    guard case .unusableBindingKey(provider: "acme", _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    let stored = try harness.stored()
    #expect(stored.tokens == before.tokens && stored.refused == nil && stored.pendingRefresh == nil)
  }

  @Test func `a client's key that cannot be read is told, nothing is sent, and the login stays`() async throws {
    let before = Sample.session { $0.clientAuth = .privateKeyJWT }
    let store = try MemoryStore(before)
    var client = ClientRegistration(id: "app")
    client.key = ClientKey(pem: Secret("rubbish"))
    try store.put(client)
    let harness = RefreshHarness(store, FakeHTTPClient())
    await #expect(throws: KeyError.self) { try await harness.run() }
    let stored = try harness.stored()
    #expect(stored.tokens == before.tokens && stored.refused == nil && stored.pendingRefresh == nil)
  }

  @Test func `a secret of the caller's signs by the algorithm that was chosen`() async throws {
    let store = try MemoryStore(Sample.session { $0.clientAuth = .clientSecretJWT })
    var client = ClientRegistration(id: "app", secret: Secret("kept"))
    client.algorithm = .hs512
    try store.put(client)
    let harness = RefreshHarness(store, FakeHTTPClient(.post(Sample.tokenURL, Sample.rotated)))
    let secret = Secret("given")
    _ = try await harness.run(secret: secret)
    let jwt = try #require(harness.http.requests[0].form["client_assertion"].flatMap { JWT.Parsed(Secret($0)) })
    try jwt.checkSignature(keys: JSONWebKeySet(keys: []), secret: secret, algorithms: [.hs512])
  }

  @Test(arguments: ["invalid_dpop_proof", "use_dpop_nonce"]) func `a logout whose proof is refused forgets nothing`(
    _ code: String
  ) async throws {
    let store = try MemoryStore(session())
    let revoke = RevokeSession(
      store: store, lock: FakeLock(),
      network: Sample.network(FakeHTTPClient(.post(Sample.revocationURL, .error(code)))))
    await #expect(throws: TokenFailure.self) {
      try await revoke.revoke(Sample.account, isLocal: false)
    }
    #expect(try store.session() != nil)
  }
}

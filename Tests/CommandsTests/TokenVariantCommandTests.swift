import Crypto
import Foundation
import OAuth
import TestSupport
import Testing

@testable import Commands
@testable import Flows

/// `token` for other scopes, audiences and resources, and with the proof of a key.
@Suite(.timeLimit(.minutes(1))) struct TokenVariantCommandTests {
  private func http(_ form: [String: String]) -> FakeHTTPClient {
    FakeHTTPClient(
      .post(Sample.tokenURL, form: ["grant_type": "refresh_token"].merging(form) { _, own in own }, Sample.rotated))
  }

  @Test(arguments: [
    (["--scope", "read"], ["scope": "read"]), (["--audience", "a"], ["audience": "a"]),
    (["--resource", "https://a/"], ["resource": "https://a/"]),
    (["-s", "write", "-s", "read"], ["scope": "read write"]),
  ]) func `a variant is asked for once, and then handed out`(_ options: [String], _ form: [String: String]) async throws
  {
    let harness = try CommandHarness(MemoryStore(Sample.session()), http: http(form))
    for _ in 0..<2 {
      let outcome = try await harness.run(words: ["token", "acme/work"] + options)
      #expect(outcome.code == 0 && outcome.output == "access-2\n" && outcome.messages.isEmpty)
    }
    #expect(try await harness.run("token", "acme/work").output == "access-1\n" && harness.http.requests.count == 1)
  }

  @Test func `without one, and where none may be asked for, that is told`() async throws {
    let outcome = try await CommandHarness(MemoryStore(Sample.session())).run(
      "token", "acme/work", "--scope", "read", "--no-refresh")
    #expect(outcome.code == 77 && outcome.output.isEmpty)
    #expect(outcome.messages.last == "oauthctl: hint: leave out --no-refresh")
  }

  @Test func `a refused grant is told of a variant that is not there yet`() async throws {
    let session = Sample.session { session in
      session.refused = RefusedGrant(
        fingerprint: Secret("refresh-1").fingerprint, at: Sample.now, status: 400, error: "invalid_grant")
    }
    let outcome = try await CommandHarness(MemoryStore(session)).run("token", "acme/work", "--scope", "read")
    #expect(outcome.code == 77 && outcome.messages.first?.contains("invalid_grant") == true)
  }

  private func bound(_ nonces: [String: String] = [:]) throws -> (session: Session, key: PublicKey) {
    let key = try PrivateKey.generate()
    let pem = try key.pem()
    let session = Sample.session(tokens: Sample.tokens { $0.tokenType = "DPoP" }) { session in
      session.binding = DPoPBinding(key: pem, nonces: nonces)
    }
    return (session, key.publicKey)
  }

  private let ask = ["token", "acme/work", "--format", "header", "--url", "https://api.example/me?x=1#y"]

  @Test func `a bound token comes with the proof of its key for that request`() async throws {
    let (session, key) = try bound(["https://api.example": "n-1"])
    let harness = try CommandHarness(MemoryStore(session))
    for (options, method, nonce) in [
      ([], "GET", "n-1"), (["--method", "POST", "--nonce", "n-2"], "POST", "n-2"),
    ] as [([String], String, String)] {
      let outcome = try await harness.run(words: ask + options)
      let lines = outcome.output.split(separator: "\n").map(String.init)
      #expect(outcome.code == 0 && lines.count == 2 && lines[0] == "Authorization: DPoP access-1")
      let proof = try #require(JWT.Parsed(Secret(String(lines[1].dropFirst("DPoP: ".count)))))
      #expect(proof.claims["htm"] == .string(method) && proof.claims["htu"] == .string("https://api.example/me"))
      #expect(proof.claims["nonce"] == .string(nonce) && proof.claims["ath"] != nil)
      try proof.checkSignature(keys: JSONWebKeySet(keys: [JSONWebKey(key)]))
    }
    #expect(harness.store.saves.isEmpty && harness.clientsMade.all.isEmpty)
  }

  @Test func `a bearer token comes alone`() async throws {
    let outcome = try await CommandHarness(MemoryStore(Sample.session())).run(words: ask)
    #expect(outcome.output == "Authorization: Bearer access-1\n")
  }

  @Test func `a key that cannot be used names the account to log in again`() async throws {
    let session = Sample.session(tokens: Sample.tokens { $0.tokenType = "DPoP" }) {
      $0.binding = DPoPBinding(key: Secret("rubbish"))
    }
    let outcome = try await CommandHarness(MemoryStore(session)).run(
      "token", "acme/work", "--format", "header", "--url", "https://api.example/")
    #expect(outcome.code == 77)
    #expect(outcome.messages.last?.contains("run 'oauthctl login acme/work'") == true)
  }

  @Test func `a bound token whose key is gone is told`() async throws {
    let session = Sample.session(tokens: Sample.tokens { $0.tokenType = "DPoP" })
    let outcome = try await CommandHarness(MemoryStore(session)).run(words: ask)
    #expect(outcome.code == 77 && outcome.output.isEmpty && outcome.messages.last?.contains("--dpop") == true)
  }

  @Test func `a bound token alone warns a person, and no script`() async throws {
    let (session, _) = try bound()
    for isInteractive in [true, false] {
      let harness = try CommandHarness(MemoryStore(session), terminal: FakeTerminal(isInteractive: isInteractive))
      let outcome = try await harness.run("token", "acme/work")
      #expect(outcome.output == "access-1\n" && outcome.messages.isEmpty != isInteractive)
    }
  }

  private func found(_ json: String) throws -> DiscoverProvider.Found {
    let reply = HTTPResponse.json(#"{"issuer":"\#(Sample.issuer)",\#(json)}"#)
    let metadata = try Discovery.validate(
      reply, url: Sample.issuer + "/.well-known/openid-configuration", issuer: Sample.issuer)
    return DiscoverProvider.Found(provider: Sample.provider(), metadata: metadata)
  }

  @Test func `algorithms and curves are those that the server lists`() throws {
    var client = ClientRegistration(id: "app", secret: Secret("s"))
    client.key = ClientKey(pem: try PrivateKey.generate(.p384).pem())
    let listed = try found(
      #"""
      "token_endpoint_auth_signing_alg_values_supported":["HS512","ES384"],
      "request_object_signing_alg_values_supported":["none","ES384"],"dpop_signing_alg_values_supported":["RS256","ES512"]
      """#)
    #expect(try listed.assertionAlgorithm(for: client, .clientSecretJWT) == .hs512)
    #expect(try listed.assertionAlgorithm(for: client, .privateKeyJWT) == .es384)
    #expect(try listed.assertionAlgorithm(for: client, .basic) == nil)
    #expect(try listed.requestAlgorithm(for: client) == .es384)
    #expect(try listed.proofCurve() == .p521)
    let silent = try found(#""x":1"#)
    #expect(try silent.assertionAlgorithm(for: client, .privateKeyJWT) == nil)
    #expect(try silent.proofCurve() == .p256)
    let others = try found(
      #""dpop_signing_alg_values_supported":["RS256"],"request_object_signing_alg_values_supported":[]"#)
    #expect(try others.requestAlgorithm(for: client) == nil)
    #expect(throws: FlowError.self) { try others.proofCurve() }
    // A resource that takes the token is shown proofs, too.
    var both = silent
    both.resourceProofAlgorithms = ["ES512", "ES384"]
    #expect(try both.proofCurve() == .p384 && both.proofCurve(former: .es512) == .p521)
    #expect(try both.proofCurve(former: .es256) == .p384)
    both = listed
    both.resourceProofAlgorithms = ["ES256"]
    #expect(throws: FlowError.self) { try both.proofCurve() }
  }

  @Test(
    arguments: [
      (ServerError.Shown(method: .privateKeyJWT, isBound: false), "invalid_client", "--private-key-file"),
      (.init(method: .tls, isBound: false), "invalid_client", "--certificate-file"),
      (.init(method: .none, isBound: true), "invalid_dpop_proof", "clock"),
      (.init(method: .none, isBound: false), "invalid_dpop_proof", "login acme --dpop"),
      (.init(method: .none, isBound: false), "use_dpop_nonce", "login acme --dpop"),
    ] as [(ServerError.Shown, String, String)])
  func `a refused client is told what to look at`(_ shown: ServerError.Shown, _ code: String, _ words: String) {
    var error = ServerError(status: 400, code: code)
    error.shown = shown
    let failure = Failure(TokenFailure.clientRefused(error), login: "acme")
    #expect(failure.kind == .configuration && failure.hint?.contains(words) == true)
  }
}

import Crypto
import Foundation
import OAuth
import TestSupport
import Testing

@testable import Commands

/// The files of keys and certificates: read once, checked before anyone is asked.
struct KeyFilesTests {
  private func key(_ files: [String: Secret], _ name: String = "k") throws -> ClientKey? {
    let harness = try CommandHarness(files: files)
    let words = ["login", "acme", "--private-key-file", name]
    return try KeyFiles(harness.environment("login", "acme")).clientKey(CommandHarness.invocation(words))
  }

  private func certificate(_ files: [String: Secret], _ words: String...) throws -> ClientCertificate? {
    let harness = try CommandHarness(files: files)
    return try KeyFiles(harness.environment("login", "acme")).certificate(
      CommandHarness.invocation(["login", "acme"] + words))
  }

  @Test func `a key in PEM is kept as it is, and one as a JWK with its name and algorithm`() throws {
    let pem = try PrivateKey.generate().pem()
    #expect(try key(["k": pem]) == ClientKey(pem: pem))
    let jwk = Secret(
      #"""
      {"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
      "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0","d":"jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI",
      "kid":"k-1","alg":"ES256"}
      """#)
    let kept = try #require(try key(["k": jwk]))
    #expect(kept.keyID == "k-1" && kept.algorithm == .es256)
    #expect(try PrivateKey(pem: kept.pem).publicKey.kind == "P-256")
    #expect(
      try KeyFiles(CommandHarness().environment("login", "acme")).clientKey(CommandHarness.invocation(["login", "a"]))
        == nil)
  }

  static let useless: [Named<Secret>] = [
    Named("text", Secret("hello")),
    Named("a public key in PEM", Secret("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----")),
    Named(
      "a JWK without its private half",
      Secret(#"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#)),
    Named("a shared secret", Secret(#"{"kty":"oct","k":"c2VjcmV0"}"#)), Named("other JSON", Secret("{}")),
    Named("broken JSON", Secret("{")),
  ]

  @Test(arguments: useless) func `what is no private key is told with its file's name`(_ row: Named<Secret>) throws {
    let failure = #expect(throws: Failure.self) { try key(["k": row.value]) }
    #expect(failure?.kind == .configuration && failure?.message.hasPrefix("k: ") == true && failure?.hint != nil)
    #expect(failure?.message.contains("c2VjcmV0") == false)
  }

  @Test func `without a certificate there is none, and a key alone needs one`() throws {
    #expect(try certificate([:]) == nil)
    let failure = #expect(throws: Failure.self) { try certificate([:], "--key-file", "k") }
    #expect(failure?.kind == .usage && failure?.hint == "give --certificate-file too")
  }

  @Test func `a key where a certificate is wanted is told by what is wanted`() throws {
    let pem = try PrivateKey.generate().pem()
    let failure = #expect(throws: Failure.self) { try certificate(["c": pem], "--certificate-file", "c") }
    #expect(failure?.kind == .configuration && failure?.hint?.hasPrefix("give a certificate in PEM") == true)
  }
}

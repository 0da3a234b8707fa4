import Crypto
import OAuth
import TestSupport
import Testing

/// The cases of the OpenID conformance suite's client modules that are about an ID token, by the modules' names.
struct IDTokenConformanceTests {
  private static let accessToken = Secret("jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y")
  /// OpenID Connect Core appendix A.3 and A.4: the hash of that access token, and of a code.
  private static let atHash = JSONValue.string("77QmUPtjPfzWtF2AnpK9RQ")
  private static let code = Secret("Qcb0Orv1zh30vL1MPRsbm-diHiMwcLyZvn1arpZv-Jxf_11jnpEX3Tgfvk")
  private static let cHash = JSONValue.string("LDktKdoQak3Pk0cnXxCltA")

  /// A token that came through the browser, beside an access token and a code.
  private static func hybrid(_ id: String, _ fault: String?, _ change: (inout IDTokenCase) -> Void) -> IDTokenCase {
    IDTokenCase(id, fault) {
      $0.expectation.isFrontChannel = true
      $0.expectation.accessToken = accessToken
      $0.expectation.code = code
      $0.claims["at_hash"] = atHash
      $0.claims["c_hash"] = cHash
      change(&$0)
    }
  }

  static let modules = [
    IDTokenCase("oidcc-client-test", nil),
    IDTokenCase("oidcc-client-test-idtoken-sig-rs256", nil) { $0.algorithm = .rs256 },
    IDTokenCase("oidcc-client-test-idtoken-sig-none", "alg") { $0.key = nil },
    IDTokenCase("oidcc-client-test-invalid-iss", "iss") { $0.claims["iss"] = .string("https://id.example/") },
    IDTokenCase("oidcc-client-test-missing-sub", "sub") { $0.claims["sub"] = .some(nil) },
    IDTokenCase("oidcc-client-test-invalid-aud", "aud") { $0.claims["aud"] = .string("app1") },
    IDTokenCase("oidcc-client-test-missing-aud", "aud") { $0.claims["aud"] = .some(nil) },
    IDTokenCase("oidcc-client-test-missing-iat", "iat") { $0.claims["iat"] = .some(nil) },
    IDTokenCase("oidcc-client-test-nonce-invalid", "nonce") { $0.claims["nonce"] = .string("n-2") },
    IDTokenCase("oidcc-client-test-invalid-sig-rs256", "signature") { $0.isSpoiled = true },
    IDTokenCase("oidcc-client-test-invalid-sig-es256", "signature") {
      $0.key = .p256
      $0.keyID = "ec"
      $0.isSpoiled = true
    },
    IDTokenCase("oidcc-client-test-invalid-sig-hs256", "signature") {
      $0.key = .secret(IDTokenCase.clientSecret)
      $0.expectation.clientSecret = Secret(IDTokenCase.clientSecret)
      $0.isSpoiled = true
    },
    IDTokenCase("oidcc-client-test-kid-absent-single-jwks", nil) {
      $0.keyID = nil
      $0.known = [("rsa", .rsa)]
    },
    // The suite lets a client look for the key among several, or refuse.
    IDTokenCase("oidcc-client-test-kid-absent-multiple-jwks", nil) {
      $0.keyID = nil
      $0.key = .p521
      $0.known = [(nil, .rsa), (nil, .ed25519), (nil, .p256), (nil, .p521)]
    },
    IDTokenCase("oidcc-client-test-signing-key-rotation", "kid") {
      $0.keyID = "new"
      $0.known = [("old", .rsa)]
    },
    IDTokenCase("oidcc-client-test-signing-key-rotation, the keys fetched anew", nil) {
      $0.keyID = "new"
      $0.known = [("old", .p256), ("new", .rsa)]
    },
    hybrid("oidcc-client-test, hybrid", nil) { _ in },
    hybrid("oidcc-client-test-missing-athash", "at_hash") { $0.claims["at_hash"] = .some(nil) },
    hybrid("oidcc-client-test-invalid-athash", "at_hash") { $0.claims["at_hash"] = cHash },
    hybrid("oidcc-client-test-missing-chash", "c_hash") { $0.claims["c_hash"] = .some(nil) },
    hybrid("oidcc-client-test-invalid-chash", "c_hash") { $0.claims["c_hash"] = atHash },
    IDTokenCase("oidcc-client-test-refresh-token-invalid-issuer", "iss") {
      $0.claims["iss"] = .string("https://other.example")
      $0.expectation.subject = "ada"
    },
    IDTokenCase("oidcc-client-test-refresh-token-invalid-sub", "sub") {
      $0.claims["sub"] = .string("eve")
      $0.expectation.subject = "ada"
    },
  ]

  @Test(arguments: modules) func `an ID token of a module is judged as the suite wants it`(_ module: IDTokenCase) throws
  {
    #expect(try module.judge()?.claim == module.fault)
  }
}

import Crypto
import OAuth
import TestSupport
import Testing

struct PKCETests {
  /// RFC 7636 appendix B.
  private let verifier: [UInt8] = [
    116, 24, 223, 180, 151, 153, 224, 37, 79, 250, 96, 125, 216, 173, 187, 186, 22, 212, 37, 77, 105, 214, 191, 240, 91,
    88,
    5, 88, 83, 132, 141, 121,
  ]

  @Test func `the example of RFC 7636 appendix B`() {
    let pkce = PKCE(random: verifier)
    #expect(pkce.verifier.reveal() == "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
    #expect(pkce.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    #expect(pkce.method == .s256)
  }

  @Test func `plain shows the verifier, none shows nothing`() {
    #expect(PKCE(random: verifier, method: .plain).challenge == "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
    #expect(PKCE(random: verifier, method: .none).challenge == nil)
  }

  @Test func `a verifier is as long as the standard wants it, of its characters alone`() {
    let text = PKCE(random: Sample.random(32)).verifier.reveal()
    #expect((43...128).contains(text.utf8.count))
    #expect(text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-._~".contains($0)) })
  }

  @Test func `state, nonce and verifier are made of different bytes`() {
    let pending = PendingAuthorization(
      random: Sample.random(96), method: .s256, usesOpenID: true, redirectURI: "http://127.0.0.1/", issuer: nil,
      requiresIssuer: false)
    #expect(pending.state.reveal() == "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8")
    #expect(pending.nonce?.reveal() == "ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8")
    #expect(pending.pkce.verifier.reveal() == "QEFCQ0RFRkdISUpLTE1OT1BRUlNUVVZXWFlaW1xdXl8")
  }
}

import Crypto
import TestSupport
import Testing

@testable import OAuth

/// Keys and signatures of RFC 7515, RFC 7517 and RFC 8037, read as a server's or a user's key file is.
struct JWKExampleTests {
  /// RFC 7517 appendix A.1: a key to encrypt and one to sign.
  @Test func `the public keys of RFC 7517 are read, and the one to encrypt checks nothing`() throws {
    let set = try #require(JSONWebKeySet(RFCKeys.json(StandardTexts.publicKeys)))
    #expect(set.keys.map(\.keyID) == ["1", "2011-04-29"])
    #expect(set.keys.map(\.use) == ["enc", nil] && set.keys.map(\.algorithm) == [nil, "RS256"])
    #expect(set.keys.allSatisfy { $0.publicKey != nil })
    #expect(set.candidates(keyID: nil, algorithm: .rs256).map(\.keyID) == ["2011-04-29"])
    #expect(set.candidates(keyID: nil, algorithm: .es256).isEmpty)
    #expect(set.candidates(keyID: nil, algorithm: .ps256).isEmpty)
    // RFC 7638 section 3.1 names this very key.
    #expect(set.keys[1].thumbprint == "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs")
  }

  /// RFC 7517 appendix A.2: the same keys, with their private halves.
  @Test func `the private keys of RFC 7517 are those of its public ones, and sign`() throws {
    let set = try #require(JSONWebKeySet(RFCKeys.json(StandardTexts.publicKeys)))
    let message = Array("message".utf8)
    for (index, text) in [StandardTexts.privateEC, StandardTexts.privateRSA].enumerated() {
      let key = try JSONWebKey.privateKey(from: RFCKeys.json(text))
      #expect(key.keyID == set.keys[index].keyID && key.algorithm?.rawValue == set.keys[index].algorithm)
      #expect(key.key.publicKey.parameters == set.keys[index].parameters)
      let algorithm = key.key.usualAlgorithm
      let signature = try key.key.sign(message, by: algorithm)
      #expect(set.keys[index].publicKey?.isValid(signature, of: message, by: algorithm) == true)
    }
    let both = #"{"keys":[\#(StandardTexts.privateEC),\#(StandardTexts.privateRSA)]}"#
    #expect(throws: KeyError.unreadable(reason: "the key set has 2 keys, where one is wanted")) {
      try JSONWebKey.privateKey(from: RFCKeys.json(both))
    }
    // What is published of them is what the first appendix has.
    let read = try #require(JSONWebKeySet(RFCKeys.json(both)))
    #expect(read == set)
  }

  /// RFC 7517 appendix A.3: secrets are no keys of an issuer.
  @Test func `the shared secrets of RFC 7517 are left out`() throws {
    #expect(try JSONWebKeySet(RFCKeys.json(StandardTexts.sharedSecrets))?.keys.isEmpty == true)
  }

  /// RFC 7515 appendices A.2, A.3 and A.4, RFC 8037 appendices A.4 and A.5: key, algorithm, what is signed, signature.
  static let signed: [Named<(String, SignatureAlgorithm, String)>] = [
    Named("RFC 7515 A.2", (RFCKeys.rsa, .rs256, JWTTests.a2)),
    Named("RFC 7515 A.3", (RFCKeys.p256, .es256, JWTTests.a3)),
    Named(
      "RFC 7515 A.4",
      (
        RFCKeys.p521, .es512,
        """
        eyJhbGciOiJFUzUxMiJ9.UGF5bG9hZA.AdwMgeerwtHoh-l192l60hp9wAHZFVJbLfD_UxMi70cwnZOYaRI1bKPWROc-mZZqwqT2SI-KGDKB\
        34XO0aw_7XdtAG8GaSwFKdCAPZgoXD2YBJZCPEX3xKpRwcdOO8KpEHwJjyqOgzDO7iKvU8vcnwNrmxYbSW9ERBXukOXolLzeO_Jn
        """
      )),
    Named(
      "RFC 8037 A.4",
      (
        RFCKeys.ed25519, .edDSA,
        """
        eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR\
        4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg
        """
      )),
  ]

  @Test(arguments: signed) func `a key of the examples checks its signature, and makes it where there is but one`(
    _ row: Named<(String, SignatureAlgorithm, String)>
  ) throws {
    let (text, algorithm, token) = row.value
    let parts = token.split(separator: ".").map(String.init)
    let input = Array((parts[0] + "." + parts[1]).utf8)
    let signature = try #require(Base64URL.decode(parts[2]))
    let key = try RFCKeys.publicKey(text)
    #expect(key.fits(algorithm) && key.publicKey?.isValid(signature, of: input, by: algorithm) == true)
    #expect(key.publicKey?.isValid(signature, of: input.dropLast() + [0x5F], by: algorithm) == false)
    let made = try RFCKeys.privateKey(text).sign(input, by: algorithm)
    // ECDSA takes a new random number each time.
    let isFixed = algorithm == .rs256 || algorithm == .edDSA
    #expect((made == signature) == isFixed)
    #expect(key.publicKey?.isValid(made, of: input, by: algorithm) == true)
  }

  /// RFC 7515 appendix A.5.
  @Test func `the unsecured token of RFC 7515 is one by nobody`() throws {
    let jwt = try #require(JWT.Parsed(Secret("eyJhbGciOiJub25lIn0.\(JWTTests.payload).")))
    #expect(jwt.algorithm == nil && jwt.signature.isEmpty)
    let keys = try RFCKeys.set([(nil, RFCKeys.rsa), (nil, RFCKeys.p256)])
    let error = #expect(throws: JWT.Mismatch.self) { try jwt.checkSignature(keys: keys, secret: Secret("s")) }
    #expect(error?.claim == "alg" && error?.got == "none")
  }

  /// RFC 7515 appendix E, its header before claims.
  @Test func `a header that must be understood and is not is refused`() throws {
    let header =
      "eyJhbGciOiJub25lIiwNCiAiY3JpdCI6WyJodHRwOi8vZXhhbXBsZS5jb20vVU5ERUZJTkVEIl0sDQogImh0dHA6Ly9leGFtcGxlLmNvbS9V"
      + "TkRFRklORUQiOnRydWUNCn0"
    #expect(JWT.Parsed(Secret(header + ".RkFJTA.")) == nil)
    let jwt = try #require(JWT.Parsed(Secret("\(header).\(JWTTests.payload).")))
    let error = #expect(throws: JWT.Mismatch.self) { try jwt.checkSignature(keys: JSONWebKeySet(keys: [])) }
    #expect(error?.claim == "crit" && error?.got == #"["http://example.com/UNDEFINED"]"#)
  }
}

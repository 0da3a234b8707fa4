import Crypto
import OAuth
import TestSupport
import Testing

struct IDTokenVerificationTests {
  private static let now = IDTokenCase.now

  static let signatures = [
    IDTokenCase("RS512", nil) { $0.algorithm = .rs512 }, IDTokenCase("PS256", nil) { $0.algorithm = .ps256 },
    IDTokenCase("ES512", nil) { ($0.key, $0.keyID) = (.p521, "521") },
    IDTokenCase("EdDSA", nil) { ($0.key, $0.keyID) = (.ed25519, "ed") },
    IDTokenCase("HS512 with the client's secret", nil) {
      $0.key = .secret(IDTokenCase.clientSecret)
      $0.algorithm = .hs512
      $0.expectation.clientSecret = Secret(IDTokenCase.clientSecret)
    },
    IDTokenCase("HS256, and no key set", nil) {
      $0.key = .secret(IDTokenCase.clientSecret)
      $0.known = nil
      $0.expectation.clientSecret = Secret(IDTokenCase.clientSecret)
    },
    IDTokenCase("HS256 where the client has no secret", "alg") { $0.key = .secret(IDTokenCase.clientSecret) },
    IDTokenCase("HS256 where its secret is empty", "alg") {
      $0.key = .secret("x")
      $0.expectation.clientSecret = Secret("")
    },
    // The oldest trick: the issuer's public key, as it is published, taken for a secret.
    IDTokenCase("HS256 with the public key", "signature") {
      $0.key = .secret(#"{"keys":[{"kid":"rsa"}]}"#)
      $0.expectation.clientSecret = Secret(IDTokenCase.clientSecret)
    },
    IDTokenCase("HS256 where RS256 is agreed upon", "alg") {
      $0.key = .secret(IDTokenCase.clientSecret)
      $0.expectation.clientSecret = Secret(IDTokenCase.clientSecret)
      $0.expectation.algorithms = [.rs256]
    },
    IDTokenCase("an algorithm that is not agreed upon", "alg") { $0.expectation.algorithms = [.es256, .edDSA] },
    IDTokenCase("none, written otherwise", "alg") {
      $0.key = nil
      $0.header["alg"] = .string("NONE")
    },
    IDTokenCase("no algorithm", "alg") {
      $0.key = nil
      $0.header["alg"] = .null
    },
    IDTokenCase("none, and no key set", "alg") {
      $0.key = nil
      $0.known = nil
    },
    IDTokenCase("a key of another kind by that name", "kid") { $0.keyID = "ec" },
    IDTokenCase("another's key by that name", "signature") {
      $0.key = .p256
      $0.keyID = "ec"
      $0.isSpoiled = true
    },
    IDTokenCase("a key set without keys", "kid") { $0.known = [] },
    IDTokenCase("no key set, straight from the token endpoint", nil) { $0.known = nil },
    IDTokenCase("no key set, through the browser", "signature") {
      $0.known = nil
      $0.expectation.isFrontChannel = true
    },
    IDTokenCase("a name of the key that is a number", "kid") {
      $0.header["kid"] = .integer(7)
      $0.keyID = nil
    },
    IDTokenCase("something critical", "crit") { $0.header["crit"] = .array([.string("exp")]) },
    IDTokenCase("nothing critical, said aloud", "crit") { $0.header["crit"] = .array([]) },
    IDTokenCase("an access token", "typ") { $0.header["typ"] = .string("at+jwt") },
    IDTokenCase("a logout token", "typ") { $0.header["typ"] = .string("Logout+JWT") },
    IDTokenCase("no type", nil) { $0.header["typ"] = nil },
  ]

  @Test(arguments: signatures) func `a token is taken by its signature alone`(_ row: IDTokenCase) throws {
    #expect(try row.judge()?.claim == row.fault)
  }

  @Test func `a key that a token brings along is not looked at`() throws {
    let own = try IDTokenCase.Key.p256.published(nil)?.json
    let forged = IDTokenCase("", "kid") {
      $0.key = .p256
      $0.keyID = nil
      $0.known = [(nil, .rsa), (nil, .p521)]
      $0.header["jwk"] = own
      $0.header["jku"] = .string("https://evil.example/keys")
    }
    let mismatch = try forged.judge()
    #expect(mismatch == JWT.Mismatch(of: .idToken, claim: "kid", expected: "a key for ES256", got: nil))
  }

  static let claims = [
    IDTokenCase("the issuer's other name", nil) { $0.claims["iss"] = .string("id.example") },
    IDTokenCase("no issuer", "iss") { $0.claims["iss"] = .some(nil) },
    IDTokenCase("no issuer that is fixed", nil) {
      $0.claims["iss"] = .string("https://tenant.example")
      $0.expectation.issuers = []
    },
    IDTokenCase("a list with the client alone", nil) { $0.claims["aud"] = .array([.string("app")]) },
    IDTokenCase("a list, made for another", "azp") {
      $0.claims["aud"] = .array([.string("app"), .string("x")])
      $0.claims["azp"] = .string("x")
    },
    IDTokenCase("a list, made for nobody", "azp") { $0.claims["aud"] = .array([.string("app"), .string("x")]) },
    IDTokenCase("a list, made for the client", nil) {
      $0.claims["aud"] = .array([.string("x"), .string("app")])
      $0.claims["azp"] = .string("app")
    },
    IDTokenCase("made for another", "azp") { $0.claims["azp"] = .string("x") },
    IDTokenCase("made for a number", "azp") { $0.claims["azp"] = .integer(1) },
    IDTokenCase("an empty list", "aud") { $0.claims["aud"] = .array([]) },
    // U+212A is another character, which Swift takes for the same as K.
    IDTokenCase("an audience that only looks the same", "aud") {
      $0.claims["aud"] = .string("\u{212A}")
      $0.expectation.clientID = "K"
    },
    IDTokenCase("a subject of a number", "sub") { $0.claims["sub"] = .integer(1) },
    IDTokenCase("an empty subject", "sub") { $0.claims["sub"] = .string("") },
    IDTokenCase("a subject in another spelling", "sub") {
      $0.claims["sub"] = .string("e\u{301}")
      $0.expectation.subject = "\u{E9}"
    },
    IDTokenCase("no nonce", "nonce") { $0.claims["nonce"] = .some(nil) },
    IDTokenCase("a nonce that is not compared", nil) { $0.expectation.nonce = nil },
    IDTokenCase("ended within the leeway", nil) { $0.claims["exp"] = .integer(now - 59) },
    IDTokenCase("ended", "exp") { $0.claims["exp"] = .integer(now - 60) },
    IDTokenCase("no end", "exp") { $0.claims["exp"] = .some(nil) },
    IDTokenCase("an end in words", "exp") { $0.claims["exp"] = .string("\(now + 60)") },
    IDTokenCase("an end with a fraction", nil) { $0.claims["exp"] = .number(Double(now) + 1.25) },
    IDTokenCase("an absurd end", "exp") { $0.claims["exp"] = .number(1e300) },
    IDTokenCase("issued within the leeway", nil) { $0.claims["iat"] = .integer(now + 60) },
    IDTokenCase("issued to come", "iat") { $0.claims["iat"] = .integer(now + 61) },
    IDTokenCase("issued in words", "iat") { $0.claims["iat"] = .string("now") },
    IDTokenCase("not good yet", "nbf") { $0.claims["nbf"] = .number(Double(now) + 60.5) },
    IDTokenCase("good by now", nil) { $0.claims["nbf"] = .integer(now) },
    IDTokenCase("good from some word on", "nbf") { $0.claims["nbf"] = .string("x") },
    IDTokenCase("a login within the time", nil) {
      $0.expectation.maxAge = 100
      $0.claims["auth_time"] = .integer(now - 160)
    },
    IDTokenCase("a login too long ago", "auth_time") {
      $0.expectation.maxAge = 100
      $0.claims["auth_time"] = .integer(now - 161)
    },
    IDTokenCase("no time of a login", "auth_time") { $0.expectation.maxAge = 100 },
    IDTokenCase("a login at no time that was asked for", nil) { $0.claims["auth_time"] = .integer(0) },
    IDTokenCase("another's access token, beside the token endpoint's", "at_hash") {
      $0.claims["at_hash"] = .string("77QmUPtjPfzWtF2AnpK9RQ")
      $0.expectation.accessToken = Secret("another")
    },
    IDTokenCase("an access token that it does not speak of", nil) { $0.expectation.accessToken = Secret("another") },
    IDTokenCase("a hash that is a number", "at_hash") {
      $0.claims["at_hash"] = .integer(1)
      $0.expectation.accessToken = Secret("another")
    },
  ]

  @Test(arguments: claims) func `a token is taken claim by claim`(_ row: IDTokenCase) throws {
    #expect(try row.judge()?.claim == row.fault)
  }

  /// Left halves of the digests, as `openssl dgst` and `basenc` make them of "token".
  static let hashes: [Named<(SignatureAlgorithm, IDTokenCase.Key, String)>] = [
    Named("RS256", (.rs256, .rsa, "PEaenWxYddN6Q_NT1PiOYQ")),
    Named("PS384", (.ps384, .rsa, "Cm6hANx1qgPTYYSWu3KFaieklEAsPkh3")),
    Named("ES512", (.es512, .p521, "ImXaughy_DrvFp0Hk2XlkPDLyO1GwqeYTIpkKAPP2Ww")),
    Named("EdDSA", (.edDSA, .ed25519, "ImXaughy_DrvFp0Hk2XlkPDLyO1GwqeYTIpkKAPP2Ww")),
  ]

  @Test(arguments: hashes) func `a token is tied to another by its own algorithm's digest`(
    _ row: Named<(SignatureAlgorithm, IDTokenCase.Key, String)>
  ) throws {
    let (algorithm, key, hash) = row.value
    let good = IDTokenCase(row.id, nil) {
      $0.algorithm = algorithm
      $0.key = key
      $0.keyID = nil
      $0.claims["at_hash"] = .string(hash)
      $0.expectation.accessToken = Secret("token")
    }
    #expect(try good.judge() == nil)
  }

  @Test func `what a mismatch says has neither nonce nor hash`() throws {
    let nonce = IDTokenCase("", "nonce") { $0.claims["nonce"] = .string("theirs") }
    #expect(try nonce.judge() == JWT.Mismatch(of: .idToken, claim: "nonce", expected: "this login's", got: "another"))
    let hash = IDTokenCase("", "at_hash") {
      $0.claims["at_hash"] = .string("theirs")
      $0.expectation.accessToken = Secret("ours")
    }
    #expect(
      try hash.judge()
        == JWT.Mismatch(of: .idToken, claim: "at_hash", expected: "that of the access token", got: "another"))
    let name = IDTokenCase("", "kid") { $0.keyID = "new" }
    #expect(try name.judge() == JWT.Mismatch(of: .idToken, claim: "kid", expected: "one of rsa", got: "new"))
    let algorithm = IDTokenCase("", "alg") {
      $0.key = nil
      $0.expectation.algorithms = [.rs256, .es256]
    }
    #expect(
      try algorithm.judge() == JWT.Mismatch(of: .idToken, claim: "alg", expected: "one of RS256 ES256", got: "none"))
  }

  @Test(arguments: [("", nil), ("e30.e30", nil), ("a.b.c.d.e", "an encrypted one"), ("e30=.e30=.", nil)])
  func `what is no signed JWT is told from what is an encrypted one`(_ text: String, _ got: String?) {
    let error = #expect(throws: JWT.Mismatch.self) {
      try IDToken.verify(Secret(text), expecting: IDToken.Expectation(issuers: [], clientID: "app"), now: Sample.now)
    }
    #expect(error == JWT.Mismatch(of: .idToken, claim: "id_token", expected: "a signed JWT", got: got))
  }
}

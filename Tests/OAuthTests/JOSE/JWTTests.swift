import Crypto
import Foundation
import OAuth
import TestSupport
import Testing

struct JWTTests {
  /// RFC 7515 appendix A.1 to A.3: the payload of all three, and their headers and signatures.
  static let payload =
    "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
  static let a1 = "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.\(payload).dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
  static let a2 = """
    eyJhbGciOiJSUzI1NiJ9.\(payload).cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5Y\
    Kt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0Gar\
    ZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWk\
    WywlVmtVrBp0igcN_IoypGlUPQGe77Rw
    """
  static let a3 = """
    eyJhbGciOiJFUzI1NiJ9.\(payload).DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6\
    NU1Q
    """

  /// Each RFC's example: whose it is, the token, the keys and the secret that it is checked with.
  static let examples = [
    Named("RFC 7515 A.1", (a1, "")), Named("RFC 7515 A.2", (a2, RFCKeys.rsa)),
    Named("RFC 7515 A.3", (a3, RFCKeys.p256)),
  ]

  @Test(arguments: examples) func `the examples of RFC 7515 are what they say`(_ row: Named<(String, String)>) throws {
    let (token, key) = row.value
    let jwt = try #require(JWT.Parsed(Secret(token)))
    #expect(
      jwt.claims == ["iss": .string("joe"), "exp": .integer(1_300_819_380), "http://example.com/is_root": .bool(true)])
    let keys = key.isEmpty ? JSONWebKeySet(keys: []) : try RFCKeys.set([(nil, key)])
    let secret = Secret(bytes: try #require(Base64URL.decode(RFCKeys.secret)))
    try jwt.checkSignature(keys: keys, secret: key.isEmpty ? secret : nil)
    // With another host in the payload it is not.
    let other = try #require(JWT.Parsed(Secret(token.replacing("LmNvbS9pc19yb290", with: "Lm9yZy9pc19yb290"))))
    let error = #expect(throws: JWT.Mismatch.self) {
      try other.checkSignature(keys: keys, secret: key.isEmpty ? secret : nil)
    }
    #expect(error?.claim == "signature")
  }

  /// RFC 7515 appendix A.2 in this program's spelling: what is signed does not depend on a dictionary's order.
  @Test func `a token is the same text each time, members sorted and slashes bare`() throws {
    let claims: [String: JSONValue] = [
      "z": .string("https://h/"), "a": .integer(1), "n": .object(["b": .null, "a": .array([.bool(true)])]),
    ]
    let key = try RFCKeys.signingKey(RFCKeys.ed25519, keyID: "k/1")
    let token = try JWT.sign(header: ["typ": .string("JWT")], claims: claims, key: key)
    let parts = token.reveal().split(separator: ".").map {
      Base64URL.decode(String($0)).map { String(decoding: $0, as: UTF8.self) }
    }
    #expect(parts[0] == #"{"alg":"EdDSA","kid":"k/1","typ":"JWT"}"#)
    #expect(parts[1] == #"{"a":1,"n":{"a":[true],"b":null},"z":"https://h/"}"#)
    #expect(try JWT.sign(header: ["typ": .string("JWT")], claims: claims, key: key) == token)
  }

  @Test func `a key signs by its own algorithms alone`() throws {
    let key = try RFCKeys.signingKey(RFCKeys.p256)
    for algorithm in SignatureAlgorithm.allCases where algorithm != .es256 {
      #expect(throws: KeyError.self, "\(algorithm)") {
        try JWT.sign(header: [:], claims: [:], key: key, algorithm: algorithm)
      }
    }
    #expect(throws: KeyError.self) {
      try JWT.sign(header: [:], claims: [:], key: .secret(Secret("s")), algorithm: .rs256)
    }
  }

  @Test func `each algorithm signs what the public half takes, and no other key's`() throws {
    let keys = [RFCKeys.rsa, RFCKeys.p256, RFCKeys.p521, RFCKeys.ed25519]
    for (text, algorithms) in [
      (RFCKeys.rsa, [SignatureAlgorithm.rs256, .rs384, .rs512, .ps256, .ps384, .ps512]), (RFCKeys.p256, [.es256]),
      (RFCKeys.p521, [.es512]), (RFCKeys.ed25519, [.edDSA]),
    ] {
      for algorithm in algorithms {
        let token = try JWT.sign(
          header: [:], claims: ["a": .integer(1)], key: RFCKeys.signingKey(text, keyID: "1"), algorithm: algorithm)
        let jwt = try #require(JWT.Parsed(token))
        try jwt.checkSignature(keys: try RFCKeys.set(keys.map { ("1", $0) }))
        let others = try RFCKeys.set(keys.filter { $0 != text }.map { ("1", $0) })
        #expect(throws: JWT.Mismatch.self, "\(algorithm)") { try jwt.checkSignature(keys: others) }
      }
    }
  }

  @Test func `a signature by a key that is too weak is told from one by another key`() throws {
    let token = try JWT.sign(header: [:], claims: [:], key: RFCKeys.signingKey(RFCKeys.rsa, keyID: "1"))
    let weak = try #require(
      JSONWebKey(
        .object([
          "kty": .string("RSA"), "kid": .string("1"), "e": .string("AQAB"),
          "n": .string(Base64URL.encode([UInt8](repeating: 0xC3, count: 128))),
        ])))
    let error = #expect(throws: JWT.Mismatch.self) {
      try JWT.Parsed(token)?.checkSignature(keys: JSONWebKeySet(keys: [weak]))
    }
    #expect(error?.claim == "signature" && error?.expected.contains("2048") == true)
  }

  static let broken = [
    Named("nothing", ""), Named("two parts", "e30.e30"), Named("four parts", "e30.e30..e30"), Named("no parts", "..."),
    Named("padding", "e30=.e30."), Named("a blank before", " e30.e30."), Named("a line end after", "e30.e30.\n"),
    Named("the other alphabet", "eyJhIjoiPz8/In0.e30."), Named("bits left over", "e31.e30."),
    Named("a header that is a list", "W10.e30."), Named("claims that are a word", "e30.bnVsbA."),
    Named("a name twice in the header", Base64URL.encode(#"{"alg":"none","alg":"RS256"}"#.utf8) + ".e30."),
    Named("a name twice in the claims", "e30." + Base64URL.encode(#"{"a":1,"a":2}"#.utf8) + "."),
    Named("no UTF-8", Base64URL.encode([0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D]) + ".e30."),
    Named("too long", "e30.e30." + String(repeating: "A", count: JWT.largest)),
  ]

  @Test(arguments: broken) func `what is not written as RFC 7515 wants is no token`(_ row: Named<String>) {
    #expect(JWT.Parsed(Secret(row.value)) == nil)
  }

  @Test func `a token without a signature is one, which says nothing of it`() throws {
    let jwt = try #require(JWT.Parsed(Secret("e30.eyJhIjoxfQ.")))
    #expect(jwt.claims == ["a": .integer(1)] && jwt.signature == [] && jwt.algorithm == nil)
    #expect(jwt.signingInput == Array("e30.eyJhIjoxfQ".utf8))
  }

  @Test func `no bytes trap the reader`() {
    var generator = SystemRandomNumberGenerator()
    let seed = Array(Self.a3.utf8)
    for round in 0..<3000 {
      let length = round % 3 == 0 ? Int.random(in: 0..<80, using: &generator) : seed.count
      var bytes = round % 3 == 0 ? (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) } : seed
      for _ in 0..<min(3, bytes.count) {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
      }
      guard let jwt = JWT.Parsed(Secret(bytes: bytes)) else { continue }
      #expect(
        String(decoding: jwt.signingInput, as: UTF8.self) + "." + Base64URL.encode(jwt.signature)
          == String(decoding: bytes, as: UTF8.self))
    }
  }
}

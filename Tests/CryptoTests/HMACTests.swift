import Crypto
import Testing

struct HMACTests {
  // RFC 4231, test cases 1, 2 and 6.
  static let vectors: [(id: String, key: [UInt8], message: String, codes: [SignatureAlgorithm: String])] = [
    (
      "case 1", Array(repeating: 0x0b, count: 20), "Hi There",
      [
        .hs256: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
        .hs384:
          "afd03944d84895626b0825f4ab46907f15f9dadbe4101ec682aa034c7cebc59cfaea9ea9076ede7f4af152e8b2fa9cb6",
        .hs512: """
        87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cdedaa833b7d6b8a702038b274eaea3f4e4\
        be9d914eeb61f1702e696c203a126854
        """,
      ]
    ),
    (
      "case 2, a short key", Array("Jefe".utf8), "what do ya want for nothing?",
      [.hs256: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"]
    ),
    (
      "case 6, a key longer than a block", Array(repeating: 0xaa, count: 131),
      "Test Using Larger Than Block-Size Key - Hash Key First",
      [.hs256: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"]
    ),
  ]

  @Test(arguments: vectors) func `a code is that of the standard`(
    _ row: (id: String, key: [UInt8], message: String, codes: [SignatureAlgorithm: String])
  ) throws {
    for (algorithm, expected) in row.codes {
      let code = try HMAC.sign(Array(row.message.utf8), key: Secret(bytes: row.key), by: algorithm)
      #expect(hex(code) == expected, "\(row.id) \(algorithm)")
    }
  }

  @Test(arguments: [SignatureAlgorithm.hs256, .hs384, .hs512]) func `a code that differs anywhere is refused`(
    _ algorithm: SignatureAlgorithm
  ) throws {
    let key = Secret("a secret")
    let code = try HMAC.sign([1, 2, 3], key: key, by: algorithm)
    #expect(code.count == algorithm.digest.length)
    #expect(HMAC.isValid(code, of: [1, 2, 3], key: key, by: algorithm))
    #expect(!HMAC.isValid(code, of: [1, 2, 3], key: Secret("a secreT"), by: algorithm))
    for index in code.indices {
      var other = code
      other[index] ^= 1
      #expect(!HMAC.isValid(other, of: [1, 2, 3], key: key, by: algorithm))
    }
    for other in [[], Array(code.dropLast()), code + [0], Array(code.prefix(16))] {
      #expect(!HMAC.isValid(other, of: [1, 2, 3], key: key, by: algorithm))
    }
  }

  @Test(arguments: SignatureAlgorithm.asymmetric) func `an algorithm of key pairs is refused`(
    _ algorithm: SignatureAlgorithm
  ) {
    #expect(throws: KeyError.unsuitable(algorithm: algorithm.rawValue, key: "shared secret")) {
      try HMAC.sign([1], key: Secret("x"), by: algorithm)
    }
    #expect(!HMAC.isValid([], of: [1], key: Secret("x"), by: algorithm))
  }

  @Test func `an empty secret signs nothing and verifies nothing`() throws {
    #expect(throws: KeyError.unreadable(reason: "the shared secret is empty")) {
      try HMAC.sign([1], key: Secret(""), by: .hs256)
    }
    // HMAC-SHA-256 of nothing with an empty key.
    let code = try bytes("thNnmggU2ex3L5XXeMNfxf8Wl8STcVZTxscSFEKSxa0")
    #expect(!HMAC.isValid(code, of: [], key: Secret(""), by: .hs256))
  }

  @Test func `a message of no bytes has a code`() throws {
    let code = try HMAC.sign([], key: Secret("k"), by: .hs256)
    #expect(HMAC.isValid(code, of: [], key: Secret("k"), by: .hs256))
  }
}

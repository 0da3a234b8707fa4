import Crypto
import Testing

/// The examples of FIPS 180-2 appendix B, and the lengths around a block.
struct SHA256Tests {
  static let vectors: [(id: String, message: [UInt8], digest: String)] = [
    ("nothing", [], "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", Array("abc".utf8), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "two blocks", Array("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8),
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (
      "a million a's", Array(repeating: UInt8(ascii: "a"), count: 1_000_000),
      "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
    ),
    ("one zero byte", [0], "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"),
  ]

  @Test(arguments: vectors) func `a digest is that of the standard`(
    _ row: (id: String, message: [UInt8], digest: String)
  ) {
    #expect(hex(SHA256.digest(row.message)) == row.digest, "\(row.id)")
  }

  @Test func `a slice is digested, not what it was cut from`() {
    let bytes = Array("xxabcxx".utf8)
    #expect(SHA256.digest(bytes[2..<5]) == SHA256.digest(Array("abc".utf8)))
  }
}

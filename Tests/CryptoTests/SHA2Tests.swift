import Crypto
import Testing

/// The examples of FIPS 180-2 appendices B to D.
struct SHA2Tests {
  static let vectors: [(function: SHA2, message: String, digest: String)] = [
    (.sha256, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      .sha384, "abc",
      "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"
    ),
    (
      .sha384, "",
      "38b060a751ac96384cd9327eb1b1e36a21fdb71114be07434c0cc7bf63f6e1da274edebfe76f65fbd51ad2f14898b95b"
    ),
    (
      .sha512, "abc",
      """
      ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd\
      454d4423643ce80e2a9ac94fa54ca49f
      """
    ),
    (
      .sha512, "",
      """
      cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce47d0d13c5d85f2b0ff8318d2877eec2f\
      63b931bd47417a81a538327af927da3e
      """
    ),
  ]

  @Test(arguments: vectors) func `a digest is that of the standard`(
    _ row: (function: SHA2, message: String, digest: String)
  ) {
    let digest = row.function.digest(Array(row.message.utf8))
    #expect(hex(digest) == row.digest)
    #expect(digest.count == row.function.length)
  }

  @Test func `each algorithm has the hash function of its name`() {
    for algorithm in SignatureAlgorithm.allCases where algorithm != .edDSA {
      #expect("\(algorithm.digest)" == "sha" + algorithm.rawValue.suffix(3))
    }
    #expect(SignatureAlgorithm.edDSA.digest == .sha512)
  }
}

/// The bytes in hexadecimal.
func hex(_ bytes: [UInt8]) -> String {
  bytes.map { byte in byte < 16 ? "0" + String(byte, radix: 16) : String(byte, radix: 16) }.joined()
}

import Crypto
import Testing

struct Base64URLTests {
  struct Vector: CustomTestStringConvertible, Sendable {
    let bytes: [UInt8]
    let safe: String
    let classic: String

    init(_ bytes: [UInt8], _ safe: String, _ classic: String) {
      (self.bytes, self.safe, self.classic) = (bytes, safe, classic)
    }

    var testDescription: String { classic.isEmpty ? "nothing" : classic }
  }

  /// RFC 4648 section 10, RFC 7515 appendix C, and the two symbols that differ.
  static let vectors = [
    Vector([], "", ""), Vector(Array("f".utf8), "Zg", "Zg=="), Vector(Array("fo".utf8), "Zm8", "Zm8="),
    Vector(Array("foo".utf8), "Zm9v", "Zm9v"), Vector(Array("foob".utf8), "Zm9vYg", "Zm9vYg=="),
    Vector(Array("fooba".utf8), "Zm9vYmE", "Zm9vYmE="), Vector(Array("foobar".utf8), "Zm9vYmFy", "Zm9vYmFy"),
    Vector([3, 236, 255, 224, 193], "A-z_4ME", "A+z/4ME="), Vector([0xFB, 0xFF, 0xBF], "-_-_", "+/+/"),
    Vector([0], "AA", "AA=="), Vector([255, 255, 255], "____", "////"),
  ]

  @Test(arguments: vectors) func `a vector is encoded in both alphabets, and decoded from both`(_ vector: Vector) {
    #expect(Base64URL.encode(vector.bytes) == vector.safe)
    #expect(Base64URL.encodeClassic(vector.bytes) == vector.classic)
    #expect(Base64URL.decode(vector.safe) == vector.bytes)
    #expect(Base64URL.decode(vector.classic) == vector.bytes)
  }

  @Test(arguments: ["A", "AAAAA", "A===", "Zg=Zg", "=Zg", "Zm 9v", "Zm9v\n", "Zm9v!", "Zé", "Zm9v.", "%3D", "\u{0}AAA"])
  func `what is no base64 is nothing`(_ text: String) {
    #expect(Base64URL.decode(text) == nil)
  }

  @Test func `any bytes come back, whatever their number`() {
    var generator = SystemRandomNumberGenerator()
    for count in 0...200 {
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
      let text = Base64URL.encode(bytes)
      #expect(Base64URL.decode(text) == bytes)
      #expect(!text.contains { "+/=".contains($0) })
      #expect(Base64URL.encodeClassic(bytes).utf8.count % 4 == 0)
      #expect(Base64URL.decode(Base64URL.encodeClassic(bytes)) == bytes)
    }
  }
}

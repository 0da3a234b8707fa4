import Crypto
import Testing

struct GeneratedKeyTests {
  @Test(arguments: EllipticCurve.allCases) func `a generated key signs, also after its way through PEM`(
    _ curve: EllipticCurve
  ) throws {
    let key = try PrivateKey.generate(curve)
    let again = try PrivateKey(pem: key.pem())
    #expect(key == again)
    #expect(key.publicKey.kind == curve.rawValue)
    let signature = try again.sign([1, 2, 3], by: key.usualAlgorithm)
    #expect(signature.count == 2 * curve.width)
    #expect(key.publicKey.isValid(signature, of: [1, 2, 3], by: key.usualAlgorithm))
    #expect(!key.publicKey.isValid(signature, of: [1, 2, 4], by: key.usualAlgorithm))
  }

  @Test func `no two generated keys are the same`() throws {
    #expect(try PrivateKey.generate() != PrivateKey.generate())
  }
}

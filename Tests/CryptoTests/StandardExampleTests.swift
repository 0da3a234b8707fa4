import Crypto
import Testing

/// Signatures of the standards' own examples, verified, and made again where that gives the same each time.
struct StandardExampleTests {
  private typealias Examples = StandardExamples

  private static func member(_ key: [String: String], _ name: String) throws -> [UInt8] {
    try bytes(try #require(key[name]))
  }

  private static func secret(_ key: [String: String], _ name: String) throws -> Secret {
    Secret(bytes: try member(key, name))
  }

  private static func rsa(_ key: [String: String]) throws -> PublicKey {
    try PublicKey(.rsa(modulus: try member(key, "n"), exponent: try member(key, "e")))
  }

  private static func point(_ curve: EllipticCurve, _ key: [String: String]) throws -> PublicKey {
    try PublicKey(.ec(curve, x: try member(key, "x"), y: try member(key, "y")))
  }

  static let publicKeys: [(example: SignatureExample, key: @Sendable () throws -> PublicKey)] = [
    (Examples.rs256, { try rsa(Examples.a2Key) }),
    (Examples.es256, { try point(.p256, Examples.a3Key) }),
    (Examples.es512, { try point(.p521, Examples.a4Key) }),
    (Examples.cookbookRS256, { try rsa(Examples.cookbookRSAKey) }),
    (Examples.cookbookPS384, { try rsa(Examples.cookbookRSAKey) }),
    (Examples.cookbookES512, { try point(.p521, Examples.cookbookECKey) }),
    (Examples.edDSA, { try PublicKey(.ed25519(try member(Examples.edwardsKey, "x"))) }),
  ]

  @Test(arguments: publicKeys) func `the example's signature is valid, and only as it is`(
    _ row: (example: SignatureExample, key: @Sendable () throws -> PublicKey)
  ) throws {
    let key = try row.key()
    let message = Array(row.example.signingInput.utf8)
    let signature = try bytes(row.example.signature)
    #expect(key.isValid(signature, of: message, by: row.example.algorithm))
    for other in SignatureAlgorithm.allCases where other != row.example.algorithm {
      #expect(!key.isValid(signature, of: message, by: other), "\(other)")
    }
    for index in stride(from: 0, to: signature.count, by: 7) {
      var tampered = signature
      tampered[index] ^= 0x10
      #expect(!key.isValid(tampered, of: message, by: row.example.algorithm), "byte \(index)")
    }
    for changed in [message + [0], Array(message.dropLast()), [], Array(message.reversed())] {
      #expect(!key.isValid(signature, of: changed, by: row.example.algorithm))
    }
  }

  static func privateKey(of example: SignatureExample) throws -> PrivateKey {
    switch example.algorithm {
    case .rs256:
      let key = Examples.a2Key
      return try PrivateKey(
        .rsa(
          modulus: member(key, "n"), exponent: member(key, "e"), privateExponent: secret(key, "d"),
          primes: RSAPrimes(
            p: secret(key, "p"), q: secret(key, "q"), dp: secret(key, "dp"), dq: secret(key, "dq"),
            qi: secret(key, "qi"))))
    case .edDSA:
      let key = Examples.edwardsKey
      return try PrivateKey(.ed25519(publicKey: member(key, "x"), seed: secret(key, "d")))
    case .es256, .es512:
      let (curve, key) = example.algorithm == .es256 ? (EllipticCurve.p256, Examples.a3Key) : (.p521, Examples.a4Key)
      return try PrivateKey(.ec(curve, x: member(key, "x"), y: member(key, "y"), d: secret(key, "d")))
    default: throw KeyError.unsupported(reason: "no private key in this example")
    }
  }

  @Test(arguments: [Examples.rs256, Examples.edDSA]) func `the example's key makes the example's signature`(
    _ example: SignatureExample
  ) throws {
    let key = try Self.privateKey(of: example)
    #expect(try key.sign(Array(example.signingInput.utf8), by: example.algorithm) == bytes(example.signature))
    #expect(key.usualAlgorithm == example.algorithm)
  }

  @Test(arguments: [Examples.es256, Examples.es512])
  func `the example's key makes a signature, another each time, that is as valid as the example's`(
    _ example: SignatureExample
  ) throws {
    let key = try Self.privateKey(of: example)
    let message = Array(example.signingInput.utf8)
    let signatures = [try key.sign(message, by: example.algorithm), try key.sign(message, by: example.algorithm)]
    #expect(signatures[0] != signatures[1])
    for signature in signatures { #expect(key.publicKey.isValid(signature, of: message, by: example.algorithm)) }
    #expect(key.publicKey.isValid(try bytes(example.signature), of: message, by: example.algorithm))
  }

  @Test(arguments: [Examples.rs256, Examples.es256, Examples.es512, Examples.edDSA])
  func `the example's private key is the same after its way through PEM`(_ example: SignatureExample) throws {
    let key = try Self.privateKey(of: example)
    let text = try key.pem()
    #expect(text.reveal().hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
    let again = try PrivateKey(pem: text)
    #expect(again.publicKey.parameters == key.publicKey.parameters)
    #expect(try again.pem() == text)
  }

  @Test(arguments: [(Examples.hs256, Examples.a1Secret), (Examples.cookbookHS256, Examples.cookbookSecret)])
  func `the example's secret makes the example's code`(_ example: SignatureExample, _ secret: String) throws {
    let key = Secret(bytes: try bytes(secret))
    let message = Array(example.signingInput.utf8)
    let code = try HMAC.sign(message, key: key, by: example.algorithm)
    #expect(code == (try bytes(example.signature)))
    #expect(HMAC.isValid(code, of: message, key: key, by: example.algorithm))
    #expect(!HMAC.isValid(code, of: message + [0], key: key, by: example.algorithm))
    #expect(!HMAC.isValid(code, of: message, key: key, by: .hs384))
  }
}

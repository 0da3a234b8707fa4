import Crypto
import Testing

/// Members that make no key, or a key that is not used.
struct RefusedKeyTests {
  // The base point of P-256 (SEC 2 section 2.4.2).
  private static let baseX = "axfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpY"
  private static let baseY = "T-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU"

  private static func number(bits: Int, last: UInt8 = 1) -> [UInt8] {
    var bytes = [UInt8](repeating: 0x55, count: (bits + 7) / 8)
    bytes[0] = 1 << UInt8((bits - 1) % 8)
    bytes[bytes.count - 1] = last
    return bytes
  }

  static let refused: [(id: String, parameters: PublicKeyParameters, says: String)] = [
    ("RSA 1024", .rsa(modulus: number(bits: 1024), exponent: [1, 0, 1]), "1024 bits, where 2048 are the least"),
    ("RSA 2047", .rsa(modulus: number(bits: 2047), exponent: [1, 0, 1]), "2047 bits"),
    (
      "RSA 1024, zeros before it",
      .rsa(modulus: Array(repeating: 0, count: 128) + number(bits: 1024), exponent: [1, 0, 1]),
      "1024 bits"
    ),
    ("RSA 16385", .rsa(modulus: number(bits: 16385), exponent: [1, 0, 1]), "too large"),
    ("an exponent of 9 bytes", .rsa(modulus: number(bits: 2048), exponent: number(bits: 65)), "too large"),
    ("no modulus", .rsa(modulus: [], exponent: [1, 0, 1]), "0 bits"),
    ("no exponent", .rsa(modulus: number(bits: 2048), exponent: []), "cannot be an RSA key's"),
    ("an exponent of 0", .rsa(modulus: number(bits: 2048), exponent: [0]), "cannot be an RSA key's"),
    ("an exponent of 1", .rsa(modulus: number(bits: 2048), exponent: [0, 1]), "cannot be an RSA key's"),
    ("an even exponent", .rsa(modulus: number(bits: 2048), exponent: [2]), "cannot be an RSA key's"),
    ("an even modulus", .rsa(modulus: number(bits: 2048, last: 2), exponent: [3]), "cannot be an RSA key's"),
    ("a point off the curve", .ec(.p256, x: point(baseX), y: point(baseY, plus: 1)), "point is not on curve"),
    ("a point off the curve by x", .ec(.p256, x: point(baseX, plus: 1), y: point(baseY)), "point is not on curve"),
    ("x and y changed", .ec(.p256, x: point(baseY), y: point(baseX)), "point is not on curve"),
    ("the point of zeros", .ec(.p256, x: zeros(32), y: zeros(32)), "point is not on curve"),
    ("x over the prime", .ec(.p256, x: Array(repeating: 255, count: 32), y: point(baseY)), ""),
    ("x too short", .ec(.p256, x: Array(point(baseX).dropFirst()), y: point(baseY)), "has not 32 bytes"),
    ("y too long", .ec(.p256, x: point(baseX), y: [0] + point(baseY)), "has not 32 bytes"),
    ("no coordinates", .ec(.p384, x: [], y: []), "has not 48 bytes"),
    ("a point of another curve", .ec(.p521, x: zeros(34) + point(baseX), y: zeros(34) + point(baseY)), "not on curve"),
    ("Ed25519 too short", .ed25519(zeros(31)), "31 bytes instead of 32"),
    ("Ed25519 too long", .ed25519(zeros(33)), "33 bytes instead of 32"),
    ("no Ed25519", .ed25519([]), "0 bytes instead of 32"),
  ]

  private static func zeros(_ count: Int) -> [UInt8] { Array(repeating: 0, count: count) }

  private static func point(_ text: String, plus: UInt8 = 0) -> [UInt8] {
    var bytes = Base64URL.decode(text) ?? []
    bytes[bytes.count - 1] ^= plus
    return bytes
  }

  @Test(arguments: refused) func `a public key that is none is refused`(
    _ row: (id: String, parameters: PublicKeyParameters, says: String)
  ) throws {
    let error = #expect(throws: KeyError.self, "\(row.id)") { try PublicKey(row.parameters) }
    #expect(
      error.map { $0.message.hasSuffix(row.says) || $0.message.contains(row.says) } == true,
      "\(row.id): \(error?.message ?? "")")
  }

  @Test func `the base point is taken`() throws {
    let key = try PublicKey(.ec(.p256, x: Self.point(Self.baseX), y: Self.point(Self.baseY)))
    #expect(key.kind == "P-256")
  }

  @Test(arguments: [(2048, "RSA 2048"), (2049, "RSA 2049"), (3072, "RSA 3072"), (16384, "RSA 16384")])
  func `an RSA key of the right size is taken, without the zeros before it`(_ bits: Int, _ kind: String) throws {
    let key = try PublicKey(.rsa(modulus: [0, 0] + Self.number(bits: bits), exponent: [0, 1, 0, 1]))
    #expect(key.kind == kind)
    #expect(key.parameters == .rsa(modulus: Self.number(bits: bits), exponent: [1, 0, 1]))
    #expect(key == (try PublicKey(key.parameters)))
  }

  @Test func `32 bytes that are no point of Ed25519 verify nothing`() throws {
    let signature = try bytes(StandardExamples.edDSA.signature)
    // 2 is the y of no point; 1 is that of the point that adds nothing.
    for y in [UInt8(2), 1] {
      let key = try PublicKey(.ed25519([y] + Self.zeros(31)))
      #expect(!key.isValid(signature, of: Array(StandardExamples.edDSA.signingInput.utf8), by: .edDSA))
    }
  }

  static let halves: [(id: String, d: [UInt8], says: String)] = [
    ("of another point", [UInt8](repeating: 0, count: 31) + [2], "do not belong together"),
    ("zero", zeros(32), "do not belong together"),
    ("over the order", Array(repeating: 255, count: 32), ""),
    ("too short", zeros(30) + [1], "has not 32 bytes"),
    ("too long", zeros(32) + [1], "has not 32 bytes"),
    ("nothing", [], "has not 32 bytes"),
  ]

  @Test(arguments: halves) func `a private part that does not go with its point is refused`(
    _ row: (id: String, d: [UInt8], says: String)
  ) throws {
    let (x, y) = (Self.point(Self.baseX), Self.point(Self.baseY))
    let error = #expect(throws: KeyError.self, "\(row.id)") {
      try PrivateKey(.ec(.p256, x: x, y: y, d: Secret(bytes: row.d)))
    }
    guard case .unreadable(let reason) = error else {
      Issue.record("\(row.id): \(String(describing: error))")
      return
    }
    #expect(row.says.isEmpty || reason.contains(row.says), "\(row.id): \(reason)")
  }

  @Test func `the base point's private part is 1`() throws {
    let one = Secret(bytes: Self.zeros(31) + [1])
    let key = try PrivateKey(.ec(.p256, x: Self.point(Self.baseX), y: Self.point(Self.baseY), d: one))
    #expect(try key.publicKey.isValid(key.sign([1], by: .es256), of: [1], by: .es256))
  }

  @Test(arguments: ["n", "e", "d", "p", "q", "dp", "dq", "qi"])
  func `an RSA key with a member that is not its own makes no wrong signature`(_ wrong: String) throws {
    var key = StandardExamples.a2Key.mapValues { Base64URL.decode($0) ?? [] }
    key[wrong]?[0] ^= 2
    func secret(_ name: String) -> Secret { Secret(bytes: key[name] ?? []) }
    let parameters = PrivateKeyParameters.rsa(
      modulus: key["n"] ?? [], exponent: key["e"] ?? [], privateExponent: secret("d"),
      primes: RSAPrimes(p: secret("p"), q: secret("q"), dp: secret("dp"), dq: secret("dq"), qi: secret("qi")))
    // libcrypto finds its way without one of the further members; what it signs then is right.
    guard let key = try? PrivateKey(parameters) else { return }
    #expect(!["n", "e"].contains(wrong))
    let message = Array(StandardExamples.rs256.signingInput.utf8)
    #expect(try key.sign(message, by: .rs256) == bytes(StandardExamples.rs256.signature), "\(wrong)")
  }

  @Test func `an Ed25519 seed of another key is refused`() throws {
    let x = try bytes(try #require(StandardExamples.edwardsKey["x"]))
    for seed in [Self.zeros(32), Self.zeros(31), []] {
      let error = #expect(throws: KeyError.self) { try PrivateKey(.ed25519(publicKey: x, seed: Secret(bytes: seed))) }
      guard case .unreadable = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
  }
}

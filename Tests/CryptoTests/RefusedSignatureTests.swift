import Crypto
import Testing

/// Signatures that must not pass.
struct RefusedSignatureTests {
  private static let message = Array("a message".utf8)

  private func zeros(_ count: Int) -> [UInt8] { Array(repeating: 0, count: count) }

  @Test(arguments: SignatureAlgorithm.asymmetric) func `a signature of another length is refused`(
    _ algorithm: SignatureAlgorithm
  ) async throws {
    let key = try PrivateKey(pem: try await OpenSSLTool.key(for: algorithm))
    let signature = try key.sign(Self.message, by: algorithm)
    #expect(key.publicKey.isValid(signature, of: Self.message, by: algorithm))
    let half = signature.count / 2
    let others = [
      [], Array(signature.dropLast()), Array(signature.dropFirst()), signature + [0], [0] + signature,
      signature + signature, Array(signature[..<half]), [0] + signature[..<half] + [0] + signature[half...],
    ]
    for other in others { #expect(!key.publicKey.isValid(other, of: Self.message, by: algorithm), "\(other.count)") }
  }

  @Test(arguments: EllipticCurve.allCases) func `a half that is zero or not below the order is refused`(
    _ curve: EllipticCurve
  ) throws {
    let key = try PrivateKey.generate(curve)
    let algorithm = key.usualAlgorithm
    let signature = try key.sign(Self.message, by: algorithm)
    let (r, s) = (Array(signature[..<curve.width]), Array(signature[curve.width...]))
    let none = zeros(curve.width)
    let full = [UInt8](repeating: 255, count: curve.width)
    for other in [none + s, r + none, none + none, full + s, r + full, full + full, s + r, none.dropLast() + [1] + s] {
      #expect(!key.publicKey.isValid(Array(other), of: Self.message, by: algorithm))
    }
    #expect(key.publicKey.isValid(r + s, of: Self.message, by: algorithm))
  }

  @Test func `an ECDSA signature in DER is refused, also one of 64 bytes`() async throws {
    let tool = try OpenSSLTool()
    let pem = try await OpenSSLTool.key(for: .es256)
    let key = try PrivateKey(pem: pem).publicKey
    let file = try tool.file("key", Array(pem.reveal().utf8))
    let message = try tool.file("message", Self.message)
    let encoded = try await tool.run("dgst", "-sha256", "-sign", file, message)
    #expect(!key.isValid(encoded, of: Self.message, by: .es256))
    #expect(!key.isValid(Array((encoded + zeros(64)).prefix(64)), of: Self.message, by: .es256))
    #expect(!key.isValid(Array(encoded.suffix(64)), of: Self.message, by: .es256))
  }

  @Test func `the halves keep their width where they begin with zeros`() throws {
    let key = try PrivateKey.generate(.p256)
    var short = 0
    for index in 0..<5000 {
      let message = Array("\(index)".utf8)
      let signature = try key.sign(message, by: .es256)
      #expect(signature.count == 64)
      // One half of 256 begins with a zero.
      guard signature[0] == 0 || signature[32] == 0 else { continue }
      short += 1
      #expect(key.publicKey.isValid(signature, of: message, by: .es256))
      if short == 2 { return }
    }
    #expect(short > 0, "of 10000 halves none begins with a zero")
  }

  @Test func `each algorithm goes with its keys alone`() async throws {
    let suitable: [SignatureAlgorithm: Set<SignatureAlgorithm>] = [
      .rs256: [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512], .es256: [.es256], .es384: [.es384], .es512: [.es512],
      .edDSA: [.edDSA],
    ]
    let kinds: [SignatureAlgorithm: String] = [
      .rs256: "RSA 2048", .es256: "P-256", .es384: "P-384", .es512: "P-521", .edDSA: "Ed25519",
    ]
    for (usual, expected) in suitable {
      let key = try PrivateKey(pem: try await OpenSSLTool.key(for: usual))
      let kind = try #require(kinds[usual])
      #expect(key.publicKey.kind == kind && key.usualAlgorithm == usual)
      for algorithm in SignatureAlgorithm.allCases {
        #expect(key.supports(algorithm) == expected.contains(algorithm), "\(kind) \(algorithm)")
        #expect(key.publicKey.supports(algorithm) == key.supports(algorithm))
        if expected.contains(algorithm) {
          let signature = try key.sign(Self.message, by: algorithm)
          #expect(key.publicKey.isValid(signature, of: Self.message, by: algorithm))
        } else {
          #expect(throws: KeyError.unsuitable(algorithm: algorithm.rawValue, key: kind)) {
            try key.sign(Self.message, by: algorithm)
          }
        }
      }
    }
  }

  @Test func `a code made with the public key as the secret does not pass`() throws {
    let key = try PrivateKey.generate().publicKey
    guard case .ec(_, let x, let y) = key.parameters else {
      Issue.record("no point")
      return
    }
    for algorithm in SignatureAlgorithm.allCases.filter(\.isSymmetric) {
      let code = try HMAC.sign(Self.message, key: Secret(bytes: [4] + x + y), by: algorithm)
      for other in SignatureAlgorithm.allCases { #expect(!key.isValid(code, of: Self.message, by: other)) }
    }
  }

  @Test func `a message of any length is signed`() throws {
    let key = try PrivateKey.generate()
    for count in [0, 1, 63, 64, 65, 100_000] {
      let message = Array(repeating: UInt8(7), count: count)
      #expect(key.publicKey.isValid(try key.sign(message, by: .es256), of: message, by: .es256))
    }
  }

  @Test func `one key signs and verifies on many threads`() async throws {
    let key = try PrivateKey(pem: try await OpenSSLTool.key(for: .rs256))
    let valid = try await withThrowingTaskGroup(of: Bool.self) { group in
      for index in 0..<40 {
        group.addTask {
          let message = Array("\(index)".utf8)
          let algorithm: SignatureAlgorithm = index % 2 == 0 ? .rs256 : .ps512
          return key.publicKey.isValid(try key.sign(message, by: algorithm), of: message, by: algorithm)
        }
      }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(valid == 40)
  }
}

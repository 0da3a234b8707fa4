import Crypto
import Testing

/// What we sign is verified by the `openssl` command, and what it signs by us.
struct OpenSSLExchangeTests {
  private static let message = Array("eyJhbGciOiJ.a message of two parts".utf8)

  @Test(arguments: SignatureAlgorithm.asymmetric) func `openssl verifies what we have signed`(
    _ algorithm: SignatureAlgorithm
  ) async throws {
    let tool = try OpenSSLTool()
    let key = try PrivateKey(pem: try await OpenSSLTool.key(for: algorithm))
    let signature = try key.sign(Self.message, by: algorithm)
    let private8 = try tool.file("key", Array(try key.pem().reveal().utf8))
    try await tool.run("pkey", "-in", private8, "-pubout", "-out", tool.path("public"))
    let files = (
      message: try tool.file("message", Self.message), other: try tool.file("other", Self.message + [0]),
      signature: try tool.file("signature", encoded(signature, algorithm))
    )
    func verification(of message: String) -> [String] {
      algorithm == .edDSA
        ? [
          "pkeyutl", "-verify", "-pubin", "-inkey", tool.path("public"), "-rawin", "-in", message, "-sigfile",
          files.signature,
        ]
        : ["dgst"] + options(algorithm) + ["-verify", tool.path("public"), "-signature", files.signature, message]
    }
    try await tool.run(verification(of: files.message))
    await #expect(throws: OpenSSLTool.Failure.self) { try await tool.run(verification(of: files.other)) }
  }

  @Test(arguments: SignatureAlgorithm.asymmetric) func `we verify what openssl has signed`(
    _ algorithm: SignatureAlgorithm
  ) async throws {
    let tool = try OpenSSLTool()
    let pem = try await OpenSSLTool.key(for: algorithm)
    let keyFile = try tool.file("key", Array(pem.reveal().utf8))
    let message = try tool.file("message", Self.message)
    let encoded = try await tool.run(
      algorithm == .edDSA
        ? ["pkeyutl", "-sign", "-inkey", keyFile, "-rawin", "-in", message]
        : ["dgst"] + options(algorithm) + ["-sign", keyFile, message])
    let signature = try decoded(encoded, algorithm)
    let key = try PrivateKey(pem: pem).publicKey
    #expect(key.isValid(signature, of: Self.message, by: algorithm))
    #expect(!key.isValid(signature, of: Self.message + [0], by: algorithm))
    // The same key, of its members alone.
    #expect(try PublicKey(key.parameters).isValid(signature, of: Self.message, by: algorithm))
    for other in SignatureAlgorithm.allCases where other != algorithm {
      #expect(!key.isValid(signature, of: Self.message, by: other), "\(other)")
    }
  }

  static let saltLengths = ["0", "20", "max"]

  @Test(arguments: saltLengths) func `a salt of another length than the digest's is refused`(_ length: String)
    async throws
  {
    let tool = try OpenSSLTool()
    let pem = try await OpenSSLTool.key(for: .ps256)
    let keyFile = try tool.file("key", Array(pem.reveal().utf8))
    let message = try tool.file("message", Self.message)
    let signature = try await tool.run(
      "dgst", "-sha256", "-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:\(length)", "-sign", keyFile,
      message)
    #expect(!(try PrivateKey(pem: pem)).publicKey.isValid(signature, of: Self.message, by: .ps256))
  }

  @Test(arguments: [SignatureAlgorithm.hs256, .hs384, .hs512], [1, 32, 64, 200])
  func `openssl makes the same code of a message`(_ algorithm: SignatureAlgorithm, length: Int) async throws {
    let tool = try OpenSSLTool()
    let secret = String(repeating: "k", count: length)
    let code = try await tool.run(
      "dgst", "-\(digest(algorithm))", "-mac", "HMAC", "-macopt", "key:\(secret)", "-binary",
      try tool.file("message", Self.message))
    #expect(try HMAC.sign(Self.message, key: Secret(secret), by: algorithm) == code)
  }

  private func digest(_ algorithm: SignatureAlgorithm) -> String { "sha" + algorithm.rawValue.suffix(3) }

  private func options(_ algorithm: SignatureAlgorithm) -> [String] {
    let padding = ["rsa_padding_mode:pss", "rsa_pss_saltlen:digest", "rsa_mgf1_md:\(digest(algorithm))"]
    return ["-\(digest(algorithm))"]
      + (algorithm.rawValue.hasPrefix("PS") ? padding.flatMap { ["-sigopt", $0] } : [])
  }

  /// A signature as openssl has it: for ECDSA a sequence of two integers in DER, written here by hand.
  private func encoded(_ signature: [UInt8], _ algorithm: SignatureAlgorithm) -> [UInt8] {
    guard algorithm.rawValue.hasPrefix("ES") else { return signature }
    let half = signature.count / 2
    let numbers = [signature[..<half], signature[half...]].flatMap { half -> [UInt8] in
      let digits = half.drop { $0 == 0 }
      let padded = (digits.first ?? 0x80) >= 0x80 ? [0] + digits : Array(digits)
      return [2, UInt8(padded.count)] + padded
    }
    return (numbers.count < 128 ? [0x30] : [0x30, 0x81]) + [UInt8(numbers.count)] + numbers
  }

  private func decoded(_ signature: [UInt8], _ algorithm: SignatureAlgorithm) throws -> [UInt8] {
    guard algorithm.rawValue.hasPrefix("ES") else { return signature }
    let width = ["ES256": 32, "ES384": 48, "ES512": 66][algorithm.rawValue, default: 0]
    var rest = signature[(signature[1] == 0x81 ? 3 : 2)...]
    var halves: [UInt8] = []
    for _ in 0..<2 {
      try #require(rest.first == 2)
      let count = Int(rest[rest.startIndex + 1])
      let digits = rest.dropFirst(2).prefix(count).drop { $0 == 0 }
      halves += Array(repeating: 0, count: width - digits.count) + digits
      rest = rest.dropFirst(2 + count)
    }
    return halves
  }
}

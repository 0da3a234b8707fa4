import Crypto
import Foundation
import Testing

/// The forms of private keys that `openssl` writes.
struct KeyFormatTests {
  static let forms: [(id: String, algorithm: SignatureAlgorithm, command: [String], begins: String)] = [
    ("PKCS#8 of RSA", .rs256, ["pkey"], "-----BEGIN PRIVATE KEY-----"),
    ("PKCS#1", .rs256, ["pkey", "-traditional"], "-----BEGIN RSA PRIVATE KEY-----"),
    ("PKCS#8 of P-256", .es256, ["pkey"], "-----BEGIN PRIVATE KEY-----"),
    ("SEC 1 of P-256", .es256, ["ec"], "-----BEGIN EC PRIVATE KEY-----"),
    ("SEC 1 of P-384", .es384, ["ec"], "-----BEGIN EC PRIVATE KEY-----"),
    ("SEC 1 of P-521", .es512, ["ec"], "-----BEGIN EC PRIVATE KEY-----"),
    ("SEC 1 without the public part", .es256, ["ec", "-no_public"], "-----BEGIN EC PRIVATE KEY-----"),
    ("SEC 1 with a compressed point", .es256, ["ec", "-conv_form", "compressed"], "-----BEGIN EC PRIVATE KEY-----"),
    ("SEC 1 with the curve written out", .es256, ["ec", "-param_enc", "explicit"], "-----BEGIN EC PRIVATE KEY-----"),
    ("PKCS#8 of Ed25519", .edDSA, ["pkey"], "-----BEGIN PRIVATE KEY-----"),
    ("with a description before it", .es256, ["pkey", "-text"], "-----BEGIN PRIVATE KEY-----"),
  ]

  @Test(arguments: forms) func `a private key is read in each form`(
    _ row: (id: String, algorithm: SignatureAlgorithm, command: [String], begins: String)
  ) async throws {
    let tool = try OpenSSLTool()
    let original = try await OpenSSLTool.key(for: row.algorithm)
    let file = try tool.file("key", Array(original.reveal().utf8))
    let text = try await tool.run(row.command + ["-in", file])
    try #require(String(decoding: text, as: UTF8.self).contains(row.begins), "\(row.id)")
    let key = try PrivateKey(pem: Secret(bytes: text))
    #expect(try key == PrivateKey(pem: original), "\(row.id)")
    #expect(key.usualAlgorithm == row.algorithm)
    let signature = try key.sign([1], by: row.algorithm)
    #expect(key.publicKey.isValid(signature, of: [1], by: row.algorithm))
  }

  static let dressings: [(id: String, dress: @Sendable (String) -> String)] = [
    ("after other text", { "issued to ada\n\n" + $0 }),
    ("with the line ends of Windows", { $0.replacingOccurrences(of: "\n", with: "\r\n") }),
    ("without a line end at its end", { String($0.dropLast()) }),
    ("before another key", { $0 + ((try? PrivateKey.generate(.p384).pem().reveal()) ?? "") }),
    ("after its certificate", { certificate + $0 }),
    ("after its parameters", { "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n" + $0 }),
    ("with spaces at the ends of its lines", { $0.replacingOccurrences(of: "-----\n", with: "-----  \n") }),
  ]

  @Test(arguments: dressings) func `a private key is found in its surroundings`(
    _ row: (id: String, dress: @Sendable (String) -> String)
  ) throws {
    let key = try PrivateKey.generate()
    #expect(try PrivateKey(pem: Secret(row.dress(key.pem().reveal()))) == key, "\(row.id)")
  }

  static let ciphers: [(id: String, algorithm: SignatureAlgorithm, command: [String])] = [
    ("PKCS#8", .es256, ["pkey", "-aes256", "-passout", "pass:x"]),
    ("PKCS#8 of Ed25519", .edDSA, ["pkey", "-aes128", "-passout", "pass:x"]),
    ("PKCS#8, no passphrase but empty", .rs256, ["pkcs8", "-topk8", "-v2", "aes256", "-passout", "pass:"]),
    ("PKCS#8, an old cipher", .rs256, ["pkcs8", "-topk8", "-v1", "PBE-SHA1-3DES", "-passout", "pass:x"]),
    ("PKCS#1", .rs256, ["rsa", "-traditional", "-aes256", "-passout", "pass:x"]),
    ("SEC 1", .es256, ["ec", "-aes256", "-passout", "pass:x"]),
  ]

  @Test(arguments: ciphers) func `an encrypted key is refused as such, without asking for a passphrase`(
    _ row: (id: String, algorithm: SignatureAlgorithm, command: [String])
  ) async throws {
    let tool = try OpenSSLTool()
    let file = try tool.file("key", Array(try await OpenSSLTool.key(for: row.algorithm).reveal().utf8))
    let text = try await tool.run(row.command + ["-in", file])
    try #require(String(decoding: text, as: UTF8.self).contains("ENCRYPTED"), "\(row.id)")
    #expect(throws: KeyError.encrypted, "\(row.id)") { try PrivateKey(pem: Secret(bytes: text)) }
  }

  static let kinds: [(id: String, options: [String], reason: String)] = [
    ("RSA 1024", ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:1024"], "an RSA key of 1024 bits"),
    ("RSA 2047", ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2047"], "an RSA key of 2047 bits"),
    ("RSA-PSS", ["-algorithm", "RSA-PSS", "-pkeyopt", "rsa_keygen_bits:2048"], "neither RSA, EC nor Ed25519"),
    ("secp256k1", ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:secp256k1"], "the curve secp256k1"),
    ("P-224", ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-224"], "the curve secp224r1"),
    ("X25519", ["-algorithm", "X25519"], "neither RSA, EC nor Ed25519"),
    ("Ed448", ["-algorithm", "ED448"], "neither RSA, EC nor Ed25519"),
  ]

  @Test(arguments: kinds) func `a key of another kind is refused by its name`(
    _ row: (id: String, options: [String], reason: String)
  ) async throws {
    let text = try await OpenSSLTool().run(["genpkey", "-quiet"] + row.options)
    let error = #expect(throws: KeyError.self, "\(row.id)") { try PrivateKey(pem: Secret(bytes: text)) }
    guard case .unsupported(let reason) = error else {
      Issue.record("\(row.id): \(String(describing: error))")
      return
    }
    #expect(reason.contains(row.reason), "\(row.id)")
  }

  static let certificate = """
    -----BEGIN CERTIFICATE-----
    MIIBBjCBrAIBAjAKBggqhkjOPQQDAjAPMQ0wCwYDVQQDDARtdGxzMB4XDTE4MTAx
    ODEyMzcwOVoXDTIyMDUwMjEyMzcwOVowDzENMAsGA1UEAwwEbXRsczBZMBMGByqG
    SM49AgEGCCqGSM49AwEHA0IABNcnyxwqV6hY8QnhxxzFQ03C7HKW9OylMbnQZjjJ
    /Au08/coZwxS7LfA4vOLS9WuneIXhbGGWvsDSb0tH6IxLm8wCgYIKoZIzj0EAwID
    SQAwRgIhAP0RC1E+vwJD/D1AGHGzuri+hlV/PpQEKTWUVeORWz83AiEA5x2eXZOV
    bUlJSGQgjwD5vaUaKlLR50Q2DmFfQj1L+SY=
    -----END CERTIFICATE-----

    """

  static let others: [(id: String, text: String, says: String)] = [
    ("nothing", "", "no private key in PEM form"),
    ("one byte", "\u{0}", "no private key in PEM form"),
    ("a JWK", #"{"kty":"EC"}"#, "no private key in PEM form"),
    ("a certificate", certificate, "a certificate, where a private key is wanted"),
    (
      "a public key",
      "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n-----END PUBLIC KEY-----\n",
      "a public key, where a private key is wanted"
    ),
    (
      "OpenSSH's form", "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n",
      "form of OpenSSH"
    ),
    ("an end missing", "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ1h\n", "a private key that is broken"),
    ("no base64", "-----BEGIN PRIVATE KEY-----\n!?!?\n-----END PRIVATE KEY-----\n", "a private key that is broken"),
    ("no key inside", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "a private key that is broken"),
    ("nothing inside", "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n", "a private key that is broken"),
  ]

  @Test(arguments: others) func `what is no private key is said to be what it is`(
    _ row: (id: String, text: String, says: String)
  ) throws {
    let error = #expect(throws: KeyError.self, "\(row.id)") { try PrivateKey(pem: Secret(row.text)) }
    #expect(error?.message.contains(row.says) == true, "\(row.id): \(error?.message ?? "")")
    #expect(error?.message.contains("\n") == false)
  }

  @Test(arguments: [SignatureAlgorithm.rs256, .es256, .edDSA])
  func `a key that was cut short anywhere is refused, and nothing of it is told`(
    _ algorithm: SignatureAlgorithm
  ) async throws {
    let lines = try await OpenSSLTool.key(for: algorithm).reveal().split(separator: "\n")
    let content = try #require(Data(base64Encoded: lines.dropFirst().dropLast().joined()))
    for count in stride(from: 0, to: content.count, by: algorithm == .rs256 ? 37 : 3) {
      let body = content.prefix(count).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
      let text = "\(lines[0])\n\(body)\n\(lines[lines.count - 1])\n"
      let error = #expect(throws: KeyError.self, "\(count)") { try PrivateKey(pem: Secret(text)) }
      for line in lines.dropFirst().dropLast() { #expect(error?.message.contains(line.prefix(8)) == false) }
    }
  }

  @Test func `a key with a bit changed anywhere is refused, or is whole all the same`() throws {
    let key = try PrivateKey.generate()
    let lines = try key.pem().reveal().split(separator: "\n").dropFirst().dropLast()
    let content = try #require(Data(base64Encoded: lines.joined()))
    var refused = 0
    for index in content.indices {
      var changed = content
      changed[index] ^= 4
      let text = "-----BEGIN PRIVATE KEY-----\n\(changed.base64EncodedString())\n-----END PRIVATE KEY-----\n"
      guard let other = try? PrivateKey(pem: Secret(text)) else {
        refused += 1
        continue
      }
      #expect(other == key, "byte \(index)")
      #expect(try key.publicKey.isValid(other.sign([1], by: .es256), of: [1], by: .es256))
    }
    // 32 bytes of the private part, 64 of the public one, and the most of what is around them.
    #expect(refused > 120 && content.count == 138)
  }

  @Test func `a file whose private and public part are of two keys is refused`() throws {
    func der(_ key: PrivateKey) throws -> Data {
      try #require(Data(base64Encoded: key.pem().reveal().split(separator: "\n").dropFirst().dropLast().joined()))
    }
    let (one, other) = (try der(PrivateKey.generate()), try der(PrivateKey.generate()))
    // The point is at the end.
    let mixed = one.dropLast(64) + other.suffix(64)
    let text = "-----BEGIN PRIVATE KEY-----\n\(mixed.base64EncodedString())\n-----END PRIVATE KEY-----\n"
    let error = #expect(throws: KeyError.self) { try PrivateKey(pem: Secret(text)) }
    #expect(error?.message == "the private and the public part of the key do not belong together")
  }

  @Test func `a key is not seen where it is printed`() throws {
    let key = try PrivateKey.generate()
    var text = "\(key) \(String(reflecting: key))"
    dump(key, to: &text)
    let lines = try key.pem().reveal().split(separator: "\n").dropFirst().dropLast()
    for line in lines { #expect(!text.contains(line)) }
  }
}

/// Message authentication with a shared secret (RFC 2104, RFC 7518 section 3.2), by libcrypto.
public enum HMAC {
  /// Gives the code of a message.
  ///
  /// A secret shorter than the digest is taken, though RFC 7518 wants it longer: the server has chosen it.
  ///
  /// - Throws: ``KeyError/unsuitable(algorithm:key:)`` for an algorithm other than HS256, HS384 and HS512;
  ///   ``KeyError/unreadable(reason:)`` for an empty secret, which would prove nothing.
  public static func sign(
    _ message: [UInt8], key: Secret, by algorithm: SignatureAlgorithm
  ) throws(KeyError) -> [UInt8] {
    guard algorithm.isSymmetric else { throw .unsuitable(algorithm: algorithm.rawValue, key: "shared secret") }
    guard !key.isEmpty else { throw .unreadable(reason: "the shared secret is empty") }
    let library = try KeyLibrary.get()
    defer { library.errors.clear() }
    let digest = algorithm.digest
    var output = [UInt8](repeating: 0, count: digest.length)
    var count = 0
    let done = key.withBytes { key in
      library.signatures.mac(
        nil, "HMAC", nil, digest.name, nil, key.baseAddress, key.count, message, message.count, &output, output.count,
        &count) != nil
    }
    guard done, count == digest.length else { throw .unavailable(reason: library.failure()) }
    return output
  }

  /// Says whether a code is the one of the message, in a time that does not tell where it differs.
  public static func isValid(
    _ code: [UInt8], of message: [UInt8], key: Secret, by algorithm: SignatureAlgorithm
  ) -> Bool {
    guard let expected = try? sign(message, key: key, by: algorithm) else { return false }
    return Secret(bytes: code) == Secret(bytes: expected)
  }
}

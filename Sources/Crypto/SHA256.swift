internal import CCrypto

/// SHA-256 (FIPS 180-4), by libcrypto.
public enum SHA256 {
  /// Gives the 32 bytes of the digest.
  public static func digest(_ bytes: some Collection<UInt8>) -> [UInt8] {
    let input = Array(bytes)
    var output = [UInt8](repeating: 0, count: 32)
    var length: UInt32 = 0
    // It fails only where libcrypto has no SHA-256 at all; then nothing that needs it may go on.
    precondition(
      EVP_Digest(input, input.count, &output, &length, EVP_sha256(), nil) == 1 && length == 32,
      "libcrypto has no SHA-256")
    return output
  }
}

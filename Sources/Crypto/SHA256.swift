internal import CCrypto
internal import Loader

/// SHA-256 (FIPS 180-4), by libcrypto.
public enum SHA256 {
  /// Gives the 32 bytes of the digest.
  public static func digest(_ bytes: some Collection<UInt8>) -> [UInt8] {
    let input = Array(bytes)
    var output = [UInt8](repeating: 0, count: 32)
    var length: UInt32 = 0
    switch CryptoLibrary.shared {
    case .success(let library):
      // It fails only where libcrypto has no SHA-256 at all; then nothing that needs it may go on.
      precondition(
        library.digest(input, input.count, &output, &length, library.sha256(), nil) == 1 && length == 32,
        "libcrypto has no SHA-256")
    case .failure(let missing):
      // Who can log in has libcrypto: the state of a login is its randomness, and libcurl needs it too.
      preconditionFailure(missing.message)
    }
    return output
  }
}

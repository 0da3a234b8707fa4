internal import CCrypto
internal import Glibc
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
      endForWant(of: missing)
    }
    return output
  }

  /// Ends the process with a message and exit code 70, as any other library that is missing does.
  ///
  /// Who can log in has libcrypto, since the state of a login is its randomness: this is met where it was removed since.
  /// An error would have to be handled wherever two secrets are told apart, and nothing could be done about it there.
  static func endForWant(of missing: SharedLibrary.Missing) -> Never {
    var line = "oauthctl: error: no digest can be made: \(missing.message)\n"
    line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
    exit(70)
  }
}

internal import Loader

/// A hash function of the SHA-2 family (FIPS 180-4), by libcrypto.
public enum SHA2: Sendable, Equatable, CaseIterable {
  /// SHA-256.
  case sha256
  /// SHA-384.
  case sha384
  /// SHA-512.
  case sha512

  /// How many bytes a digest has.
  public var length: Int {
    switch self {
    case .sha256: 32
    case .sha384: 48
    case .sha512: 64
    }
  }

  /// libcrypto's name.
  var name: String {
    switch self {
    case .sha256: "SHA256"
    case .sha384: "SHA384"
    case .sha512: "SHA512"
    }
  }

  /// Gives the digest.
  ///
  /// Without libcrypto the process ends with exit code 70, as in ``SHA256/digest(_:)``.
  public func digest(_ bytes: some Collection<UInt8>) -> [UInt8] {
    if self == .sha256 { return SHA256.digest(bytes) }
    let input = Array(bytes)
    var output = [UInt8](repeating: 0, count: length)
    var count = 0
    switch KeyLibrary.shared {
    case .success(let library):
      // It fails only where libcrypto lacks the function; then nothing that needs it may go on.
      precondition(
        library.signatures.digest(nil, name, nil, input, input.count, &output, &count) == 1 && count == length,
        "libcrypto has no \(name)")
    case .failure(let missing):
      SHA256.endForWant(of: missing)
    }
    return output
  }
}

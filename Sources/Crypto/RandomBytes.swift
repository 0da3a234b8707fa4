internal import Loader

/// The operating system could not give random bytes.
public struct RandomnessError: Error {}

/// Unpredictable bytes, by libcrypto's generator.
public enum RandomBytes {
  /// Gives `count` random bytes.
  ///
  /// - Throws: ``RandomnessError`` where the generator could not be seeded. There is no weaker fallback.
  public static func generate(_ count: Int) throws(RandomnessError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    guard case .success(let library) = CryptoLibrary.shared,
      library.randomBytes(&bytes, Int32(clamping: count)) == 1
    else { throw RandomnessError() }
    return bytes
  }
}

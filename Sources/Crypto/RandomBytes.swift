internal import Loader

/// There are no random bytes to be had.
public struct RandomnessError: Error, Sendable, Equatable {
  /// Why, on one line.
  public let reason: String

  /// Makes one.
  public init(reason: String) {
    self.reason = reason
  }
}

/// Unpredictable bytes, by libcrypto's generator.
public enum RandomBytes {
  /// Gives `count` random bytes.
  ///
  /// - Throws: ``RandomnessError`` where libcrypto cannot be loaded or its generator not be seeded. There is no weaker
  ///   fallback.
  public static func generate(_ count: Int) throws(RandomnessError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    switch CryptoLibrary.shared {
    case .success(let library):
      guard library.randomBytes(&bytes, Int32(clamping: count)) == 1 else {
        throw RandomnessError(reason: "the generator could not be seeded")
      }
      return bytes
    case .failure(let missing):
      throw RandomnessError(reason: missing.message)
    }
  }
}

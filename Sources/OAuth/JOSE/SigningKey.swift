public import Crypto

/// What a JWT of ours is signed with.
public enum SigningKey: Sendable {
  /// A secret that the server knows too (HMAC).
  case secret(Secret)
  /// A key of which the server knows the public half, and the name that it knows it by (`kid`).
  case privateKey(PrivateKey, keyID: String?)

  /// The name of the key; a secret has none.
  public var keyID: String? {
    switch self {
    case .secret: nil
    case .privateKey(_, let keyID): keyID
    }
  }

  /// The algorithm to sign with where nothing else is asked for.
  public var usualAlgorithm: SignatureAlgorithm {
    switch self {
    case .secret: .hs256
    case .privateKey(let key, _): key.usualAlgorithm
    }
  }

  /// Signs.
  ///
  /// - Throws: `KeyError` where the algorithm is not one of this key.
  func sign(_ message: [UInt8], by algorithm: SignatureAlgorithm) throws(KeyError) -> [UInt8] {
    switch self {
    case .secret(let secret): try HMAC.sign(message, key: secret, by: algorithm)
    case .privateKey(let key, _): try key.sign(message, by: algorithm)
    }
  }
}

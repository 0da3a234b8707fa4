/// A key, a signature or a certificate that cannot be had.
public enum KeyError: Error, Sendable, Equatable {
  /// It is not what it should be: why, without the file's name and without anything of the content.
  case unreadable(reason: String)
  /// It is protected by a passphrase.
  case encrypted
  /// It is whole, but of a kind that is not used here.
  case unsupported(reason: String)
  /// The algorithm does not go with a key of this kind.
  case unsuitable(algorithm: String, key: String)
  /// libcrypto is missing, or refused to do its work.
  case unavailable(reason: String)

  /// What is wrong, on one line, without a secret; it reads on after a name and a colon, as "client.pem: …".
  public var message: String {
    switch self {
    case .unreadable(let reason), .unsupported(let reason), .unavailable(let reason): reason
    case .encrypted: "the key is encrypted"
    case .unsuitable(let algorithm, let key): "\(algorithm) does not go with a key of kind \(key)"
    }
  }
}

public import Crypto

/// Proof Key for Code Exchange (RFC 7636): binds the code to the program that asked for it.
public struct PKCE: Sendable, Equatable, Codable {
  /// The verifier, sent with the code (RFC 7636 section 4.1).
  public let verifier: Secret
  /// The challenge method.
  public let method: CodeChallengeMethod

  /// Makes a verifier of 43 characters out of 32 random bytes.
  public init(random: [UInt8], method: CodeChallengeMethod = .s256) {
    self.init(verifier: Secret(Base64URL.encode(random)), method: method)
  }

  /// Takes a verifier as it is.
  public init(verifier: Secret, method: CodeChallengeMethod) {
    self.verifier = verifier
    self.method = method
  }

  /// The challenge, sent with the authorization request (RFC 7636 section 4.2); nil with no method.
  public var challenge: String? {
    switch method {
    case .s256: verifier.withBytes { Base64URL.encode(SHA256.digest(Array($0))) }
    case .plain: verifier.reveal()
    case .none: nil
    }
  }
}

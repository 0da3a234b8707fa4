internal import Crypto

extension JWT {
  /// What a token was to hold and does not.
  public struct Mismatch: Error, Sendable, Equatable {
    /// Which token.
    public var subject: Subject
    /// The claim's or the header member's name, or `signature`.
    public let claim: String
    /// What it had to be.
    public let expected: String
    /// What it is; nil where it is missing.
    public let got: String?

    /// Makes one.
    public init(of subject: Subject = .other, claim: String, expected: String, got: String?) {
      self.subject = subject
      self.claim = claim
      self.expected = expected
      self.got = got
    }

    /// Gives the same as a fault of another token than any.
    func of(_ subject: Subject) -> Mismatch {
      var named = self
      named.subject = subject
      return named
    }
  }

  /// The tokens that are judged here.
  public enum Subject: Sendable {
    /// OpenID Connect Core section 2.
    case idToken
    /// OpenID Connect Core section 5.3.2.
    case userinfo
    /// RFC 8414 section 2.1.
    case serverMetadata
    /// RFC 9728 section 2.2.
    case resourceMetadata
    /// Any other.
    case other

    /// What it is called, as the beginning of a sentence.
    public var name: String {
      switch self {
      case .idToken: "the ID token"
      case .userinfo: "the answer of the userinfo endpoint"
      case .serverMetadata: "the provider's signed metadata"
      case .resourceMetadata: "the resource's signed metadata"
      case .other: "a signed reply"
      }
    }

    /// What carries it.
    fileprivate var carrier: String {
      switch self {
      case .idToken: "id_token"
      case .userinfo: "userinfo"
      case .serverMetadata, .resourceMetadata: "signed_metadata"
      case .other: "token"
      }
    }
  }
}

extension JWT.Mismatch {
  /// What is there in the place of a signed token cannot be taken apart.
  ///
  /// Encrypted ones have five parts (RFC 7516 section 9): whoever registered the client asked for them, and there is no key
  /// for them here.
  static func unreadable(_ token: Secret, as subject: JWT.Subject) -> JWT.Mismatch {
    let dots = token.withBytes { bytes in bytes.count { $0 == UInt8(ascii: ".") } }
    return dots == 4
      ? encrypted(subject) : JWT.Mismatch(of: subject, claim: subject.carrier, expected: signed, got: nil)
  }

  /// Whether it is an encrypted token, of which nothing can be known.
  public var isEncrypted: Bool { self == Self.encrypted(subject) }

  private static func encrypted(_ subject: JWT.Subject) -> JWT.Mismatch {
    JWT.Mismatch(of: subject, claim: subject.carrier, expected: signed, got: "an encrypted one")
  }

  private static let signed = "a signed JWT"
}

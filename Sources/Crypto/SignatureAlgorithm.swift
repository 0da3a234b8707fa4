/// A signature algorithm of JOSE, by its `alg` value (RFC 7518 section 3.1, RFC 8037 section 3.1).
///
/// `none` is not among them.
public enum SignatureAlgorithm: String, Sendable, CaseIterable, Codable {
  /// HMAC with SHA-256 (RFC 7518 section 3.2).
  case hs256 = "HS256"
  /// HMAC with SHA-384.
  case hs384 = "HS384"
  /// HMAC with SHA-512.
  case hs512 = "HS512"
  /// RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518 section 3.3).
  case rs256 = "RS256"
  /// RSASSA-PKCS1-v1_5 with SHA-384.
  case rs384 = "RS384"
  /// RSASSA-PKCS1-v1_5 with SHA-512.
  case rs512 = "RS512"
  /// RSASSA-PSS with SHA-256, the salt as long as the digest (RFC 7518 section 3.5).
  case ps256 = "PS256"
  /// RSASSA-PSS with SHA-384.
  case ps384 = "PS384"
  /// RSASSA-PSS with SHA-512.
  case ps512 = "PS512"
  /// ECDSA on P-256 with SHA-256 (RFC 7518 section 3.4).
  case es256 = "ES256"
  /// ECDSA on P-384 with SHA-384.
  case es384 = "ES384"
  /// ECDSA on P-521 with SHA-512.
  case es512 = "ES512"
  /// EdDSA, of which Ed25519 is known here (RFC 8037 section 3.1).
  case edDSA = "EdDSA"

  /// What kind of key and padding it works with.
  enum Family: Equatable {
    case hmac, pkcs1, pss, ecdsa(EllipticCurve), eddsa
  }

  var family: Family {
    switch self {
    case .hs256, .hs384, .hs512: .hmac
    case .rs256, .rs384, .rs512: .pkcs1
    case .ps256, .ps384, .ps512: .pss
    case .es256: .ecdsa(.p256)
    case .es384: .ecdsa(.p384)
    case .es512: .ecdsa(.p521)
    case .edDSA: .eddsa
    }
  }

  /// Whether signer and verifier share one secret, as with HMAC.
  public var isSymmetric: Bool { family == .hmac }

  /// The hash function that goes with it, which `at_hash` and `c_hash` are made by (OpenID Connect Core 3.1.3.6).
  ///
  /// For EdDSA it is the one inside Ed25519, SHA-512.
  public var digest: SHA2 {
    switch self {
    case .hs256, .rs256, .ps256, .es256: .sha256
    case .hs384, .rs384, .ps384, .es384: .sha384
    case .hs512, .rs512, .ps512, .es512, .edDSA: .sha512
    }
  }
}

/// An elliptic curve of JOSE, by its `crv` value (RFC 7518 section 6.2.1.1).
public enum EllipticCurve: String, Sendable, CaseIterable, Codable {
  /// NIST P-256, secp256r1.
  case p256 = "P-256"
  /// NIST P-384, secp384r1.
  case p384 = "P-384"
  /// NIST P-521, secp521r1.
  case p521 = "P-521"

  /// How many bytes a coordinate has, a private value, and each half of a signature.
  public var width: Int {
    switch self {
    case .p256: 32
    case .p384: 48
    case .p521: 66
    }
  }

  /// The only signature algorithm that goes with it.
  var algorithm: SignatureAlgorithm {
    switch self {
    case .p256: .es256
    case .p384: .es384
    case .p521: .es512
    }
  }

  /// Takes libcrypto's name of a curve, or the one in the standards.
  init?(groupName: String) {
    switch groupName {
    case "prime256v1", "secp256r1", "P-256": self = .p256
    case "secp384r1", "P-384": self = .p384
    case "secp521r1", "P-521": self = .p521
    default: return nil
    }
  }
}

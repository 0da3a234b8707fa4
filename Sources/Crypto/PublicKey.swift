internal import CCrypto

/// The members of a public key, big-endian numbers all of them.
public enum PublicKeyParameters: Sendable, Equatable {
  /// An RSA key: `n` and `e` (RFC 7518 section 6.3.1), without leading zeros.
  case rsa(modulus: [UInt8], exponent: [UInt8])
  /// A point of a curve, each coordinate of the curve's full width (RFC 7518 section 6.2.1).
  case ec(EllipticCurve, x: [UInt8], y: [UInt8])
  /// An Ed25519 key's 32 bytes (RFC 8037 section 2).
  case ed25519([UInt8])
}

/// A public key that signatures are verified with.
public struct PublicKey: Sendable {
  /// Its members.
  public let parameters: PublicKeyParameters
  /// What it is, for messages: `RSA 2048`, `P-256`, `Ed25519`.
  public let kind: String

  private let library: KeyLibrary
  private let key: OpenSSLObject

  /// Makes a key of its members.
  ///
  /// - Throws: ``KeyError/unreadable(reason:)`` for members that make no key, a point that is not on its curve among them;
  ///   ``KeyError/unsupported(reason:)`` for an RSA key under 2048 bits (RFC 7518 section 3.3) or over 16384;
  ///   ``KeyError/unavailable(reason:)``.
  public init(_ parameters: PublicKeyParameters) throws(KeyError) {
    let library = try KeyLibrary.get()
    defer { library.errors.clear() }
    let members = ParameterList()
    switch parameters {
    case .rsa(let modulus, let exponent):
      let modulus = Array(modulus.drop { $0 == 0 })
      let exponent = Array(exponent.drop { $0 == 0 })
      kind = try Self.checkedKind(modulus: modulus, exponent: exponent)
      members.number(OSSL_PKEY_PARAM_RSA_N, modulus)
      members.number(OSSL_PKEY_PARAM_RSA_E, exponent)
      key = try library.makeKey("RSA", selection: publicPart, members)
      self.parameters = .rsa(modulus: modulus, exponent: exponent)
    case .ec(let curve, let x, let y):
      kind = curve.rawValue
      try Self.addPoint(curve, x: x, y: y, to: members)
      // libcrypto takes no point that is not on the curve, and all points of these curves are of the one order.
      key = try library.makeKey("EC", selection: publicPart, members)
      self.parameters = parameters
    case .ed25519(let bytes):
      kind = "Ed25519"
      guard bytes.count == 32 else {
        throw .unreadable(reason: "an Ed25519 key of \(bytes.count) bytes instead of 32")
      }
      bytes.withUnsafeBytes { members.octets(OSSL_PKEY_PARAM_PUB_KEY, $0) }
      key = try library.makeKey("ED25519", selection: publicPart, members)
      self.parameters = parameters
    }
    self.library = library
  }

  /// Whether signatures of this algorithm are made and verified with such a key.
  public func supports(_ algorithm: SignatureAlgorithm) -> Bool {
    switch (parameters, algorithm.family) {
    case (.rsa, .pkcs1), (.rsa, .pss), (.ed25519, .eddsa): true
    case (.ec(let curve, _, _), .ecdsa(let other)): curve == other
    default: false
    }
  }

  /// Says whether a signature in the form of JWS is this key's, of the message (RFC 7515 section 5.2).
  ///
  /// That of ECDSA is R and S side by side, each of the curve's full width (RFC 7518 section 3.4).
  public func isValid(_ signature: [UInt8], of message: [UInt8], by algorithm: SignatureAlgorithm) -> Bool {
    guard supports(algorithm), signature.count == signatureLength else { return false }
    defer { library.errors.clear() }
    return key.with { key in
      switch algorithm.family {
      case .ecdsa:
        guard let encoded = library.encodeHalves(signature) else { return false }
        return library.verify(encoded, of: message, with: key, by: algorithm)
      default: return library.verify(signature, of: message, with: key, by: algorithm)
      }
    }
  }

  private var signatureLength: Int {
    switch parameters {
    case .rsa(let modulus, _): modulus.count
    case .ec(let curve, _, _): 2 * curve.width
    case .ed25519: 64
    }
  }

  /// Adds a point to the members of a key.
  static func addPoint(
    _ curve: EllipticCurve, x: [UInt8], y: [UInt8], to members: ParameterList
  ) throws(KeyError) {
    guard x.count == curve.width, y.count == curve.width else {
      throw .unreadable(reason: "a coordinate of \(curve.rawValue) has not \(curve.width) bytes")
    }
    members.text(OSSL_PKEY_PARAM_GROUP_NAME, curve.rawValue)
    // The uncompressed form (SEC 1 section 2.3.3).
    ([4] + x + y).withUnsafeBytes { members.octets(OSSL_PKEY_PARAM_PUB_KEY, $0) }
  }

  private static func checkedKind(modulus: [UInt8], exponent: [UInt8]) throws(KeyError) -> String {
    let bits = modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0)
    guard bits >= 2048 else {
      throw .unsupported(reason: "an RSA key of \(bits) bits, where 2048 are the least")
    }
    // libcrypto's own limits, so that nobody's key makes a verification last.
    guard bits <= 16384, exponent.count <= 8 else {
      throw .unsupported(reason: "an RSA key of \(bits) bits with an exponent of \(exponent.count) bytes is too large")
    }
    // An even modulus is no product of two primes, and an exponent of 1 would make any message its own signature.
    guard modulus.last.map({ $0 & 1 }) == 1, exponent.last.map({ $0 & 1 }) == 1, exponent != [1] else {
      throw .unreadable(reason: "the modulus or the exponent cannot be an RSA key's")
    }
    return "RSA \(bits)"
  }
}

extension PublicKey: Equatable {
  /// Compares the members.
  public static func == (left: PublicKey, right: PublicKey) -> Bool { left.parameters == right.parameters }
}

/// `EVP_PKEY_PUBLIC_KEY`, a macro that is not imported.
let publicPart = OSSL_KEYMGMT_SELECT_ALL_PARAMETERS | OSSL_KEYMGMT_SELECT_PUBLIC_KEY
/// `EVP_PKEY_KEYPAIR`.
let bothParts = publicPart | OSSL_KEYMGMT_SELECT_PRIVATE_KEY

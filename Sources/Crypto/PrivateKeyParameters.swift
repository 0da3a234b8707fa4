internal import CCrypto

/// The members of a private key, big-endian numbers all of them.
public enum PrivateKeyParameters: Sendable {
  /// An RSA key: `n`, `e`, `d` and the other members of RFC 7518 section 6.3.2, all of them, of two primes.
  case rsa(modulus: [UInt8], exponent: [UInt8], privateExponent: Secret, primes: RSAPrimes)
  /// A key on a curve: its point and `d`, each of the curve's full width (RFC 7518 section 6.2.2).
  case ec(EllipticCurve, x: [UInt8], y: [UInt8], d: Secret)
  /// An Ed25519 key: `x`, and `d` which is its 32 bytes of seed (RFC 8037 section 2).
  case ed25519(publicKey: [UInt8], seed: Secret)
}

/// What an RSA private key has to be fast (RFC 7518 section 6.3.2).
public struct RSAPrimes: Sendable {
  let p, q, dp, dq, qi: Secret

  /// Takes the two prime factors, their exponents and the coefficient, by the names that JWK has for them.
  public init(p: Secret, q: Secret, dp: Secret, dq: Secret, qi: Secret) {
    self.p = p
    self.q = q
    self.dp = dp
    self.dq = dq
    self.qi = qi
  }
}

extension PrivateKey {
  /// Makes a key of its members, as a JWK has them.
  ///
  /// - Throws: ``KeyError/unreadable(reason:)`` for members that make no key, or do not belong together;
  ///   ``KeyError/unsupported(reason:)`` for an RSA key under 2048 bits; ``KeyError/unavailable(reason:)``.
  public init(_ parameters: PrivateKeyParameters) throws(KeyError) {
    let library = try KeyLibrary.get()
    defer { library.errors.clear() }
    let members = ParameterList()
    let kind: String
    let stated: PublicKeyParameters
    switch parameters {
    case .rsa(let modulus, let exponent, let privateExponent, let primes):
      kind = "RSA"
      stated = .rsa(modulus: modulus, exponent: exponent)
      members.number(OSSL_PKEY_PARAM_RSA_N, modulus)
      members.number(OSSL_PKEY_PARAM_RSA_E, exponent)
      members.number(OSSL_PKEY_PARAM_RSA_D, privateExponent)
      // These have macros that are not imported (openssl/core_names.h).
      members.number("rsa-factor1", primes.p)
      members.number("rsa-factor2", primes.q)
      members.number("rsa-exponent1", primes.dp)
      members.number("rsa-exponent2", primes.dq)
      members.number("rsa-coefficient1", primes.qi)
    case .ec(let curve, let x, let y, let d):
      kind = "EC"
      stated = .ec(curve, x: x, y: y)
      try PublicKey.addPoint(curve, x: x, y: y, to: members)
      guard d.count == curve.width else {
        throw .unreadable(reason: "the private part of \(curve.rawValue) has not \(curve.width) bytes")
      }
      members.number(OSSL_PKEY_PARAM_PRIV_KEY, d)
    case .ed25519(let publicKey, let seed):
      kind = "ED25519"
      stated = .ed25519(publicKey)
      guard seed.count == 32 else { throw .unreadable(reason: "the private part of Ed25519 has not 32 bytes") }
      publicKey.withUnsafeBytes { members.octets(OSSL_PKEY_PARAM_PUB_KEY, $0) }
      seed.withBytes { members.octets(OSSL_PKEY_PARAM_PRIV_KEY, $0) }
    }
    // First the public part: it is the one with the good messages.
    let publicKey = try PublicKey(stated)
    try self.init(try library.makeKey(kind, selection: bothParts, members), library, stated: publicKey)
  }
}

public import Crypto

extension JWT.Parsed {
  /// Checks who signed the token.
  ///
  /// A key set's keys never serve HMAC, whatever the token says: they are public.
  ///
  /// - Parameters:
  ///   - keys: the issuer's.
  ///   - secret: the client's own, for HMAC; nil where that is not taken.
  ///   - algorithms: what may be in `alg`; nil for all that the key set and the secret are for.
  /// - Throws: ``JWT/Mismatch`` of `alg`, `crit`, `kid` or `signature`; of `kid` where no key has that name, or none that
  ///   fits: an issuer that has new keys must be asked for them then.
  /// - See: https://www.rfc-editor.org/rfc/rfc7515#section-5.2, https://www.rfc-editor.org/rfc/rfc8725#section-3.1
  public func checkSignature(
    keys: JSONWebKeySet, secret: Secret? = nil, algorithms: [SignatureAlgorithm]? = nil
  ) throws(JWT.Mismatch) {
    let algorithm = try checkHeader(secret: secret, algorithms: algorithms)
    if algorithm.isSymmetric {
      guard let secret, HMAC.isValid(signature, of: signingInput, key: secret, by: algorithm) else {
        throw JWT.Mismatch(claim: "signature", expected: "one with the client's secret", got: "another")
      }
      return
    }
    let name = header["kid"]?.text
    let found = keys.candidates(keyID: name, algorithm: algorithm)
    guard !found.isEmpty else {
      let known = keys.keys.compactMap { $0.fits(algorithm) ? $0.keyID : nil }
      let expected = known.isEmpty ? "a key for \(algorithm.rawValue)" : "one of \(known.joined(separator: " "))"
      throw JWT.Mismatch(claim: "kid", expected: expected, got: name)
    }
    let usable = found.compactMap(\.publicKey)
    guard usable.contains(where: { $0.isValid(signature, of: signingInput, by: algorithm) }) else {
      let expected = usable.isEmpty ? "one by a key of 2048 bits, or on a curve" : "one by the issuer's key"
      throw JWT.Mismatch(claim: "signature", expected: expected, got: "another")
    }
  }

  /// Checks what must hold of a header whoever signed, and gives the algorithm.
  func checkHeader(secret: Secret?, algorithms: [SignatureAlgorithm]?) throws(JWT.Mismatch) -> SignatureAlgorithm {
    // RFC 7515 section 4.1.11: who does not understand all of it must not take the token, and there is none that we do.
    if let critical = header["crit"] {
      throw JWT.Mismatch(claim: "crit", expected: "none", got: critical.plainText)
    }
    let hasSecret = secret?.isEmpty == false
    let allowed = (algorithms ?? SignatureAlgorithm.allCases).filter { !$0.isSymmetric || hasSecret }
    guard let algorithm, allowed.contains(algorithm) else {
      throw JWT.Mismatch(
        claim: "alg", expected: "one of \(allowed.map(\.rawValue).joined(separator: " "))",
        got: header["alg"]?.plainText)
    }
    if let name = header["kid"], name.text == nil {
      throw JWT.Mismatch(claim: "kid", expected: "a name", got: name.plainText)
    }
    return algorithm
  }
}

internal import CCrypto

/// Signatures as libcrypto makes and takes them, and the form that JWS has for those of ECDSA.
extension KeyLibrary {
  /// Verifies a signature in libcrypto's form.
  func verify(
    _ signature: [UInt8], of message: [UInt8], with key: OpaquePointer, by algorithm: SignatureAlgorithm
  ) -> Bool {
    started(signatures.startVerifying, with: key, by: algorithm) { context in
      signatures.verify(context, signature, signature.count, message, message.count) == 1
    }
  }

  /// Makes a signature in libcrypto's form; nil where it does not want to.
  func sign(_ message: [UInt8], with key: OpaquePointer, by algorithm: SignatureAlgorithm) -> [UInt8]? {
    var output = [UInt8](repeating: 0, count: max(Int(keys.size(key)), 0))
    var count = output.count
    let done = started(signatures.startSigning, with: key, by: algorithm) { context in
      signatures.sign(context, &output, &count, message, message.count) == 1
    }
    return done ? Array(output.prefix(count)) : nil
  }

  private func started(
    _ start: StartDigest, with key: OpaquePointer, by algorithm: SignatureAlgorithm,
    _ body: (OpaquePointer) -> Bool
  ) -> Bool {
    guard let context = OpenSSLObject(signatures.new(), signatures.free) else { return false }
    let options = ParameterList()
    if algorithm.family == .pss {
      // The salt is as long as the digest, and the mask is made by the same (RFC 7518 section 3.5).
      options.text(OSSL_SIGNATURE_PARAM_PAD_MODE, OSSL_PKEY_RSA_PAD_MODE_PSS)
      options.text(OSSL_SIGNATURE_PARAM_PSS_SALTLEN, OSSL_PKEY_RSA_PSS_SALT_LEN_DIGEST)
      options.text(OSSL_SIGNATURE_PARAM_MGF1_DIGEST, algorithm.digest.name)
    }
    return context.with { context in
      // Ed25519 takes the message itself: it has its digest inside.
      let digest = algorithm.family == .eddsa ? nil : algorithm.digest.name
      guard options.with({ start(context, nil, digest, nil, nil, key, $0) }) == 1 else { return false }
      return body(context)
    }
  }

  /// Gives a signature of ECDSA as libcrypto wants it, of R and S side by side (RFC 7518 section 3.4).
  func encodeHalves(_ signature: [UInt8]) -> [UInt8]? {
    guard let pair = OpenSSLObject(halves.new(), halves.free) else { return nil }
    let width = signature.count / 2
    return pair.with { pair in
      let r = signature.withUnsafeBufferPointer { halves.number($0.baseAddress, CInt(width), nil) }
      let s = signature.withUnsafeBufferPointer { halves.number($0.baseAddress.map { $0 + width }, CInt(width), nil) }
      guard halves.set(pair, r, s) == 1 else {
        // The pair owns them only where it has taken them.
        halves.freeNumber(r)
        halves.freeNumber(s)
        return nil
      }
      var output = [UInt8](repeating: 0, count: max(Int(halves.encode(pair, nil)), 0))
      let count = output.withUnsafeMutableBufferPointer { buffer in
        var place = buffer.baseAddress
        return halves.encode(pair, &place)
      }
      return count > 0 && count == output.count ? output : nil
    }
  }

  /// Gives R and S side by side, each of the width, of a signature that libcrypto has made.
  func decodeHalves(_ encoded: [UInt8], width: Int) -> [UInt8]? {
    let pair = encoded.withUnsafeBufferPointer { buffer in
      var place = buffer.baseAddress
      return OpenSSLObject(halves.decode(nil, &place, buffer.count), halves.free)
    }
    return pair?.with { pair in
      var r: OpaquePointer?
      var s: OpaquePointer?
      // They stay the pair's.
      halves.get(pair, &r, &s)
      var left = [UInt8](repeating: 0, count: width)
      var right = left
      guard halves.bytes(r, &left, CInt(width)) == width, halves.bytes(s, &right, CInt(width)) == width else {
        return nil
      }
      return left + right
    }
  }
}

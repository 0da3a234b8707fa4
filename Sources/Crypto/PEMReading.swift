internal import CCrypto

/// Refuses to give a passphrase, and notes that one was wanted: without this libcrypto would ask on the terminal.
let refuse: KeyLibrary.Passphrase = { _, _, _, note in
  note?.assumingMemoryBound(to: Bool.self).pointee = true
  return -1
}

/// Whether a passphrase was wanted.
final class PassphraseQuestion {
  private let note = UnsafeMutablePointer<Bool>.allocate(capacity: 1)

  init() { note.initialize(to: false) }

  deinit { note.deallocate() }

  var wasAsked: Bool { note.pointee }

  /// Lends the place where the answer is noted.
  func with<Result>(_ body: (UnsafeMutableRawPointer) -> Result) -> Result {
    defer { withExtendedLifetime(self) {} }
    return body(UnsafeMutableRawPointer(note))
  }
}

/// What a PEM text says that it holds, to say what is wrong with it (RFC 7468).
struct PEMLabels {
  private let labels: [String]
  private let isEncrypted: Bool

  init(of pem: Secret) {
    let lines = pem.withBytes { bytes in
      // Only the lines that hold nothing of a key are copied.
      bytes.split { $0 == 10 || $0 == 13 }.filter {
        $0.starts(with: "-----BEGIN ".utf8) || $0.starts(with: "Proc-Type:".utf8)
      }
      .map { String(decoding: $0, as: UTF8.self) }
    }
    labels = lines.filter { $0.hasPrefix("-----BEGIN ") && $0.hasSuffix("-----") }.map {
      String($0.dropFirst(11).dropLast(5))
    }
    isEncrypted = lines.contains { $0.hasPrefix("Proc-Type:") && $0.hasSuffix("ENCRYPTED") }
  }

  /// Says why no private key was read.
  ///
  /// libcrypto's own reason tells nobody anything: it tries one form after the other, and none was "supported".
  func whyNoPrivateKey(asked: Bool) -> KeyError {
    if asked || isEncrypted { return .encrypted }
    if labels.contains("OPENSSH PRIVATE KEY") {
      return .unsupported(reason: "a key in the form of OpenSSH, where PKCS#8 is wanted")
    }
    if labels.contains(where: { $0.hasSuffix("PRIVATE KEY") }) {
      return .unreadable(reason: "a private key that is broken, or of a kind that libcrypto does not know")
    }
    if labels.contains(where: { $0.hasSuffix("PUBLIC KEY") }) {
      return .unreadable(reason: "a public key, where a private key is wanted")
    }
    if labels.contains(where: { $0.hasSuffix("CERTIFICATE") }) {
      return .unreadable(reason: "a certificate, where a private key is wanted")
    }
    return .unreadable(reason: "no private key in PEM form")
  }

  /// Says why no certificate was read.
  func whyNoCertificate() -> KeyError {
    if labels.contains(where: { $0.hasSuffix("CERTIFICATE") }) {
      return .unreadable(reason: "a certificate that is broken")
    }
    if labels.contains(where: { $0.hasSuffix("PRIVATE KEY") }) {
      return .unreadable(reason: "a private key, where a certificate is wanted")
    }
    return .unreadable(reason: "no certificate in PEM form")
  }
}

extension KeyLibrary {
  /// Reads the public members of a key of any kind.
  func publicParameters(of key: OpaquePointer) throws(KeyError) -> PublicKeyParameters {
    if keys.isOfKind(key, "RSA") == 1 {
      return .rsa(
        modulus: try number(OSSL_PKEY_PARAM_RSA_N, of: key), exponent: try number(OSSL_PKEY_PARAM_RSA_E, of: key))
    }
    if keys.isOfKind(key, "EC") == 1 {
      let name = groupName(of: key)
      guard let curve = EllipticCurve(groupName: name) else {
        throw .unsupported(reason: "a key on the curve \(name), where P-256, P-384 and P-521 are known")
      }
      return .ec(
        curve, x: try number(OSSL_PKEY_PARAM_EC_PUB_X, of: key, width: curve.width),
        y: try number(OSSL_PKEY_PARAM_EC_PUB_Y, of: key, width: curve.width))
    }
    if keys.isOfKind(key, "ED25519") == 1 {
      var bytes = [UInt8](repeating: 0, count: 32)
      var count = bytes.count
      guard keys.rawPublicKey(key, &bytes, &count) == 1, count == 32 else { throw .unreadable(reason: failure()) }
      return .ed25519(bytes)
    }
    throw .unsupported(reason: "a key that is neither RSA, EC nor Ed25519")
  }

  private func groupName(of key: OpaquePointer) -> String {
    var name = [CChar](repeating: 0, count: 80)
    var count = 0
    guard keys.groupName(key, &name, name.count, &count) == 1 else { return "without a name" }
    return String(decoding: name.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}

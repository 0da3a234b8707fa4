internal import CCrypto
internal import Glibc

/// A certificate that a client shows in the TLS handshake (RFC 8705).
public struct X509Certificate: Sendable {
  /// The SHA-256 of its DER form, which is `x5t#S256` once it is in base64url (RFC 8705 section 3.1).
  public let thumbprint: [UInt8]
  /// When it ends, in seconds since 1970.
  public let notAfter: Int

  private let library: KeyLibrary
  private let key: OpenSSLObject

  /// Reads the first certificate of a PEM text.
  ///
  /// - Throws: ``KeyError/unreadable(reason:)`` for what holds none or a broken one; ``KeyError/unavailable(reason:)``.
  public init(pem: Secret) throws(KeyError) {
    let library = try KeyLibrary.get()
    defer { library.errors.clear() }
    let certificate = library.reading(pem) { file in
      OpenSSLObject(library.certificates.read(file, nil, refuse, nil), library.certificates.free)
    }
    guard let certificate else { throw PEMLabels(of: pem).whyNoCertificate() }
    let content = certificate.with { certificate -> (der: [UInt8], end: tm, key: OpenSSLObject)? in
      var der = [UInt8](repeating: 0, count: max(Int(library.certificates.encode(certificate, nil)), 0))
      let count = der.withUnsafeMutableBufferPointer { buffer in
        var place = buffer.baseAddress
        return library.certificates.encode(certificate, &place)
      }
      var end = tm()
      guard count > 0, count == der.count,
        library.certificates.calendar(library.certificates.notAfter(certificate), &end) == 1,
        let key = OpenSSLObject(library.certificates.key(certificate), library.keys.free)
      else { return nil }
      return (der, end, key)
    }
    guard let content else { throw .unreadable(reason: "a certificate that is broken") }
    thumbprint = SHA256.digest(content.der)
    var end = content.end
    notAfter = timegm(&end)
    key = content.key
    self.library = library
  }

  /// Says whether it is for the key that is given.
  public func belongs(to privateKey: PrivateKey) -> Bool {
    defer { library.errors.clear() }
    return key.with { mine in privateKey.with { library.keys.equal(mine, $0) } } == 1
  }
}

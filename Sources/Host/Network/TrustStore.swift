internal import Flows

/// The certificates to trust, where they are not simply libcurl's own choice.
///
/// libcurl's options replace its store and never add to it, so a store with one more certificate is put together here.
struct TrustStore: Sendable {
  private let extra: [UInt8]?
  private let system: String?

  /// Where distributions keep their bundle, for a libcurl that does not tell which one it was built with.
  static let usualBundles = [
    "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
  ]
  static let bundleLimit = 8 << 20

  /// Reads the extra certificates.
  ///
  /// - Throws: `FileError` where they cannot be read or the file has no PEM certificate.
  init(_ options: CurlOptions) throws(FileError) {
    system = options.systemCertificates
    guard let path = options.extraCertificates else {
      extra = nil
      return
    }
    let bytes = try WholeFile.read(path, limit: Self.bundleLimit)
    guard Self.hasCertificate(bytes) else {
      throw .unreadable(path: path, reason: "there is no PEM certificate in it")
    }
    extra = bytes
  }

  /// Gives the PEM certificates to trust, or nil for libcurl's own store.
  ///
  /// - Parameter builtIn: the bundle that libcurl was built with.
  func certificates(builtIn: String?, host: String) throws(TransportError) -> [UInt8]? {
    guard extra != nil || system != nil else { return nil }
    do {
      var certificates: [UInt8] = []
      if let bundle = system ?? ([builtIn].compactMap { $0 } + Self.usualBundles).first(where: WholeFile.isReadable) {
        certificates = try WholeFile.read(bundle, limit: Self.bundleLimit)
        certificates.append(0x0A)
      }
      return certificates + (extra ?? [])
    } catch {
      throw TransportError(
        kind: .badCertificates, host: host, message: error.reason, mayHaveArrived: false)
    }
  }

  static func hasCertificate(_ bytes: [UInt8]) -> Bool {
    String(decoding: bytes, as: UTF8.self).contains("-----BEGIN CERTIFICATE-----")
      || String(decoding: bytes, as: UTF8.self).contains("-----BEGIN TRUSTED CERTIFICATE-----")
  }
}

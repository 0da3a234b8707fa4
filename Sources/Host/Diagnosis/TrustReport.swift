internal import Flows

/// Which certificate authorities a request would believe.
public enum TrustReport {
  /// Where they come from.
  public enum Source: Sendable, Equatable {
    /// `SSL_CERT_FILE`.
    case variable(file: String)
    /// The file that libcurl was built with.
    case builtIn(file: String)
    /// A file where distributions keep them, for a libcurl that does not tell which it was built with.
    case usual(file: String)
  }

  /// Finds them, and reads them as a request would.
  ///
  /// - Parameter cacert: a file of more, as `--cacert` names it.
  /// - Throws: `FileError` or `TransportError` where they cannot be used, `SharedLibrary.Missing` without libcurl.
  public static func find(_ options: CurlOptions) throws -> Source? {
    let library = try CurlLibrary.shared.get()
    if let file = options.systemCertificates {
      guard TrustStore.hasCertificate(try WholeFile.read(file, limit: TrustStore.bundleLimit)) else {
        throw FileError.unreadable(path: file, reason: "there is no PEM certificate in it")
      }
    }
    let builtIn = EasyHandle(library)?.builtInCertificates
    _ = try TrustStore(options).certificates(builtIn: builtIn, host: "")
    if let file = options.systemCertificates { return .variable(file: file) }
    if let builtIn, WholeFile.isReadable(builtIn) { return .builtIn(file: builtIn) }
    return TrustStore.usualBundles.first(where: WholeFile.isReadable).map { .usual(file: $0) }
  }
}

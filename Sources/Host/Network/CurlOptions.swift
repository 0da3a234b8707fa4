/// How requests are sent.
public struct CurlOptions: Sendable {
  /// What the client calls itself.
  public var userAgent: String
  /// A file of PEM certificates to trust besides the system's.
  public var extraCertificates: String?
  /// A file of PEM certificates that stands in for the system's store: `SSL_CERT_FILE`.
  public var systemCertificates: String?
  /// How long name, connection and TLS may take together.
  public var connectDeadline: Duration
  /// How long a whole exchange may take.
  public var totalDeadline: Duration
  /// The longest body that is read, in bytes.
  public var bodyLimit: Int
  /// The longest header section that is read, in bytes.
  public var headerLimit: Int

  /// Makes options; `environment` is asked for `SSL_CERT_FILE` alone, the proxy variables are read by libcurl.
  public init(
    version: String, environment: [String: String] = [:], extraCertificates: String? = nil,
    connectDeadline: Duration = .seconds(10), totalDeadline: Duration = .seconds(30),
    bodyLimit: Int = 1 << 20, headerLimit: Int = 64 << 10
  ) {
    userAgent = "oauthctl/\(version) (+linux)"
    self.extraCertificates = extraCertificates
    systemCertificates = environment["SSL_CERT_FILE"].flatMap { $0.isEmpty ? nil : $0 }
    self.connectDeadline = connectDeadline
    self.totalDeadline = totalDeadline
    self.bodyLimit = bodyLimit
    self.headerLimit = headerLimit
  }
}

extension Duration {
  /// Whole milliseconds, at least 1: libcurl takes 0 for "no deadline".
  var milliseconds: Int {
    let (seconds, attoseconds) = components
    return max(1, Int(clamping: seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
  }
}

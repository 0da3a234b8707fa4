public import Crypto

/// A client's certificate and its key, for mutual TLS (RFC 8705).
///
/// - See: https://www.rfc-editor.org/rfc/rfc8705#section-2
public struct ClientCertificate: Sendable, Equatable, Codable {
  /// The certificate, and those between it and the authority, in PEM.
  public var chain: Secret
  /// The private key in PEM, not encrypted: nobody is asked for a passphrase.
  public var key: Secret

  /// Makes one.
  public init(chain: Secret, key: Secret) {
    self.chain = chain
    self.key = key
  }
}

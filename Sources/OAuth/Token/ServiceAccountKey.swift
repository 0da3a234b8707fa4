public import Crypto

/// The key file of a service account: whose it is, its private key, and where tokens are asked for with it.
///
/// - See: https://www.rfc-editor.org/rfc/rfc7523#section-2.1
public struct ServiceAccountKey: Sendable, Equatable {
  /// Whose key it is (`client_email`): the issuer of the assertion.
  public let email: String
  /// The private key as PEM.
  public let privateKey: Secret
  /// The key's name at the server (`private_key_id`).
  public let keyID: String?
  /// The token endpoint, and the assertion's audience; nil where the file leaves that to the provider.
  public let tokenURI: String?

  /// Why a file is not the key of a service account.
  public enum Problem: Error, Sendable, Equatable {
    /// It is not JSON, or no object.
    case notJSON
    /// It is the file of something else: what its `type` says.
    case otherType(String?)
    /// This member is missing, or no text.
    case missing(String)
    /// Its `token_uri` must not be given secrets.
    case badTokenURI(String)
  }

  /// The largest file that is read, in bytes.
  public static let largest = 64 * 1024

  /// Whether a file is meant to be such a key, so that it can be told from an assertion, which is not JSON.
  public static func isLikely(_ bytes: [UInt8]) -> Bool {
    bytes.first { $0 != 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D } == UInt8(ascii: "{")
  }

  /// Reads the file's content.
  ///
  /// - Throws: ``Problem``.
  public init(reading file: Secret) throws(Problem) {
    let json = file.withBytes { $0.count <= Self.largest ? JSONValue(parsing: $0) : nil }
    guard let members = json?.members else { throw .notJSON }
    guard members["type"]?.text == "service_account" else { throw .otherType(members["type"]?.text) }
    func text(_ name: String) throws(Problem) -> String {
      guard let text = members[name]?.text, !text.isEmpty else { throw .missing(name) }
      return text
    }
    email = try text("client_email")
    privateKey = Secret(try text("private_key"))
    keyID = members["private_key_id"]?.text
    tokenURI = members["token_uri"]?.text
    if let tokenURI, !WebURL.isAcceptable(tokenURI) { throw .badTokenURI(tokenURI) }
  }

  /// Gives the key to sign with.
  ///
  /// - Throws: `KeyError` where the file's key cannot be read.
  public func signingKey() throws(KeyError) -> SigningKey {
    .privateKey(try PrivateKey(pem: privateKey), keyID: keyID)
  }
}

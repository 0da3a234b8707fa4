public import Crypto

/// The keys that an issuer signs with (RFC 7517 section 5).
public struct JSONWebKeySet: Sendable, Equatable {
  /// How many keys are read of one set: each may cost a try.
  public static let mostKeys = 100

  /// Those keys that can be read, in their order.
  public let keys: [JSONWebKey]

  /// Makes a set.
  public init(keys: [JSONWebKey]) { self.keys = keys }

  /// Reads a set; nil where it is none.
  ///
  /// A key that cannot be read is left out: it may be of a kind that is newer than this program.
  ///
  /// - See: https://www.rfc-editor.org/rfc/rfc7517#section-5
  public init?(_ json: JSONValue) {
    guard case .array(let elements) = json.members?["keys"] else { return nil }
    keys = elements.prefix(Self.mostKeys).compactMap { JSONWebKey($0) }
  }

  /// The keys that a signature may be by: those of this name, or without a name all that the algorithm can be used with.
  ///
  /// There are none for HMAC: a key that everybody can read signs nothing.
  ///
  /// - See: https://openid.net/specs/openid-connect-core-1_0.html#SigningAndEncryption
  public func candidates(keyID: String?, algorithm: SignatureAlgorithm) -> [JSONWebKey] {
    keys.filter { $0.fits(algorithm) && (keyID == nil || $0.keyID == keyID) }
  }
}

extension JSONWebKeySet: Codable {
  /// Reads a set that was kept.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let set = JSONWebKeySet(try container.decode(JSONValue.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a key set")
    }
    self = set
  }

  /// Writes the set as its issuer would.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(JSONValue.object(["keys": .array(keys.map(\.json))]))
  }
}

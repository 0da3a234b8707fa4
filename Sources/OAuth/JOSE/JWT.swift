public import Crypto
internal import FoundationEssentials

/// A JSON Web Token in the compact form (RFC 7519, RFC 7515).
public enum JWT {
  /// How far the clocks may be apart, in seconds.
  static let leeway: Double = 60

  /// The longest token that is read, in bytes: more than any header line holds.
  public static let largest = 64 * 1024

  /// Makes a signed token.
  ///
  /// The same input gives the same text before the signature: members sorted, slashes bare.
  ///
  /// - Parameters:
  ///   - header: what the header says beside `alg`, and beside `kid` where the key has a name.
  ///   - algorithm: nil for the key's usual one.
  /// - Throws: `KeyError` where the algorithm is not one of this key.
  /// - See: https://www.rfc-editor.org/rfc/rfc7515#section-5.1
  public static func sign(
    header: [String: JSONValue], claims: [String: JSONValue], key: SigningKey, algorithm: SignatureAlgorithm? = nil
  ) throws(KeyError) -> Secret {
    let algorithm = algorithm ?? key.usualAlgorithm
    var header = header
    header["alg"] = .string(algorithm.rawValue)
    if let keyID = key.keyID { header["kid"] = .string(keyID) }
    let input = [header, claims].map { Base64URL.encode(JSONValue.object($0).plainText.utf8) }.joined(separator: ".")
    return Secret(input + "." + Base64URL.encode(try key.sign(Array(input.utf8), by: algorithm)))
  }

  /// A token taken apart, nothing of it judged yet.
  public struct Parsed: Sendable {
    /// The header's members (RFC 7515 section 4).
    public let header: [String: JSONValue]
    /// The claims (RFC 7519 section 4).
    public let claims: [String: JSONValue]
    /// What was signed: the first two parts as they came.
    public let signingInput: [UInt8]
    /// The signature, empty where there is none.
    public let signature: [UInt8]

    /// Takes a token apart; nil where it is not one: three parts of base64url without padding, objects in the first two.
    ///
    /// - See: https://www.rfc-editor.org/rfc/rfc7519#section-7.2
    public init?(_ token: Secret) {
      guard token.count <= JWT.largest else { return nil }
      let parts = token.withBytes { Array($0) }.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
      guard parts.count == 3, let header = Self.members(parts[0]), let claims = Self.members(parts[1]),
        let signature = Self.decode(parts[2])
      else { return nil }
      self.header = header
      self.claims = claims
      self.signature = signature
      signingInput = Array(parts[0] + [UInt8(ascii: ".")] + parts[1])
    }

    /// The algorithm that it says it is signed by; nil for `none` and for what is not known.
    public var algorithm: SignatureAlgorithm? { SignatureAlgorithm(name: header["alg"]?.text) }

    /// One text has one meaning: a name that is there twice means different things to different readers.
    private static func members(_ part: ArraySlice<UInt8>) -> [String: JSONValue]? {
      decode(part).flatMap { LocatedJSON(parsing: $0, refusingRepeats: true)?.plain.members }
    }

    /// Only what encoding would give: no padding, no white space, no other alphabet, no bits left over (RFC 7515 section 2).
    private static func decode(_ part: ArraySlice<UInt8>) -> [UInt8]? {
      let text = String(decoding: part, as: UTF8.self)
      return Base64URL.decode(text).flatMap { Base64URL.encode($0) == text ? $0 : nil }
    }
  }
}

/// The claims that more than one kind of token has (RFC 7519 section 4.1).
extension [String: JSONValue] {
  /// Whom the token is for (`aud`).
  var audience: [String] {
    switch self["aud"] {
    case .string(let one): [one]
    case .array(let many): many.compactMap(\.text)
    default: []
    }
  }

  /// A NumericDate (RFC 7519 section 2), whole or fractional.
  func seconds(_ claim: String) -> Double? {
    switch self[claim] {
    case .integer(let value): Double(value)
    case .number(let value) where abs(value) < 1e15: value
    default: nil
    }
  }

  /// The time at which the token is made and ends, and its name (RFC 7519 section 4.1.4 to 4.1.7).
  static func lifetime(from now: Date, seconds: Int, id: String) -> [String: JSONValue] {
    let start = Int64(now.timeIntervalSince1970.rounded(.down))
    return ["iat": .integer(start), "exp": .integer(start + Int64(seconds)), "jti": .string(id)]
  }
}

extension String {
  /// Whether it is the same text byte for byte: `==` takes two spellings of an accent for one (RFC 7519 section 7.3).
  func hasSameBytes(as other: String?) -> Bool {
    guard let other else { return false }
    return utf8.elementsEqual(other.utf8)
  }
}

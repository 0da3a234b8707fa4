public import Crypto

/// A public key as JSON (RFC 7517, RFC 7518 section 6, RFC 8037 section 2).
///
/// Private members are never kept: ``privateKey(from:)`` reads those.
public struct JSONWebKey: Sendable, Equatable {
  /// The name that its owner gave it (`kid`).
  public let keyID: String?
  /// What it is for (`use`): `sig`, `enc`; nil where that is not said.
  public let use: String?
  /// The one algorithm that it is for (`alg`), as it is written; nil where that is not said.
  public let algorithm: String?
  /// What may be done with it (`key_ops`); nil where that is not said.
  public let operations: [String]?
  /// What the key is made of.
  public let parameters: PublicKeyParameters

  /// Reads a key; nil where it is of a kind that signs nothing here, or lacks a part.
  ///
  /// - See: https://www.rfc-editor.org/rfc/rfc7517#section-4
  public init?(_ json: JSONValue) {
    guard let members = json.members, let parameters = PublicKeyParameters(members) else { return nil }
    self.parameters = parameters
    keyID = members["kid"]?.text
    use = members["use"]?.text
    algorithm = members["alg"]?.text
    if case .array(let names) = members["key_ops"] { operations = names.compactMap(\.text) } else { operations = nil }
  }

  /// Gives the public half of a key of ours.
  public init(_ key: PublicKey, keyID: String? = nil) {
    parameters = key.parameters
    self.keyID = keyID
    (use, algorithm, operations) = (nil, nil, nil)
  }

  /// The key to check signatures with; nil where it is on no curve, too weak (RSA under 2048 bits) or too large.
  public var publicKey: PublicKey? { try? PublicKey(parameters) }

  /// The key as JSON: what it is made of, and what it says of itself.
  public var json: JSONValue {
    var members = required
    members["kid"] = keyID.map(JSONValue.string)
    members["use"] = use.map(JSONValue.string)
    members["alg"] = algorithm.map(JSONValue.string)
    members["key_ops"] = operations.map { .array($0.map(JSONValue.string)) }
    return .object(members)
  }

  /// The name that follows from the key itself: SHA-256 over the required members, base64url (RFC 7638).
  ///
  /// - See: https://www.rfc-editor.org/rfc/rfc7638#section-3
  public var thumbprint: String {
    Base64URL.encode(SHA256.digest(Array(JSONValue.object(required).plainText.utf8)))
  }

  /// Whether signatures by an algorithm may be checked with it.
  func fits(_ algorithm: SignatureAlgorithm) -> Bool {
    parameters.fits(algorithm)
      && (use == nil || use == "sig")
      && (operations == nil || operations?.contains("verify") == true)
      && (self.algorithm == nil || SignatureAlgorithm(name: self.algorithm) == algorithm)
  }

  private var required: [String: JSONValue] {
    func bytes(_ bytes: [UInt8]) -> JSONValue { .string(Base64URL.encode(bytes)) }
    return switch parameters {
    case .rsa(let modulus, let exponent): ["kty": .string("RSA"), "n": bytes(modulus), "e": bytes(exponent)]
    case .ec(let curve, let x, let y):
      ["kty": .string("EC"), "crv": .string(curve.rawValue), "x": bytes(x), "y": bytes(y)]
    case .ed25519(let point): ["kty": .string("OKP"), "crv": .string("Ed25519"), "x": bytes(point)]
    }
  }
}

extension SignatureAlgorithm {
  /// Reads a name out of `alg`; nil for `none` and for whatever else is not known.
  ///
  /// `Ed25519` is the newer name of EdDSA with that curve, the only one that is known here.
  ///
  /// - See: https://www.rfc-editor.org/rfc/rfc9864#section-2.2
  init?(name: String?) {
    guard let name else { return nil }
    self.init(rawValue: name == "Ed25519" ? "EdDSA" : name)
  }
}

extension PublicKeyParameters {
  /// The longest RSA modulus that is read, in bytes: what libcrypto checks a signature with.
  private static let longestModulus = 2048

  init?(_ members: [String: JSONValue]) {
    func bytes(_ name: String) -> [UInt8]? {
      members[name]?.text.flatMap(Base64URL.decode).flatMap { $0.isEmpty ? nil : $0 }
    }
    switch (members["kty"]?.text, members["crv"]?.text) {
    case ("RSA", _):
      guard let modulus = bytes("n").map(Self.number), let exponent = bytes("e").map(Self.number),
        (1...Self.longestModulus).contains(modulus.count), (1...8).contains(exponent.count)
      else { return nil }
      self = .rsa(modulus: modulus, exponent: exponent)
    case ("EC", let name?):
      guard let curve = EllipticCurve(rawValue: name),
        let x = bytes("x").flatMap({ Self.fixed($0, to: curve.width) }),
        let y = bytes("y").flatMap({ Self.fixed($0, to: curve.width) })
      else { return nil }
      self = .ec(curve, x: x, y: y)
    case ("OKP", "Ed25519"):
      guard let point = bytes("x"), point.count == 32 else { return nil }
      self = .ed25519(point)
    default: return nil
    }
  }

  fileprivate func fits(_ algorithm: SignatureAlgorithm) -> Bool {
    switch (self, algorithm) {
    case (.rsa, .rs256), (.rsa, .rs384), (.rsa, .rs512), (.rsa, .ps256), (.rsa, .ps384), (.rsa, .ps512): true
    case (.ec(.p256, _, _), .es256), (.ec(.p384, _, _), .es384), (.ec(.p521, _, _), .es512): true
    case (.ed25519, .edDSA): true
    default: false
    }
  }

  /// A number without the zero bytes that some write before it.
  private static func number(_ bytes: [UInt8]) -> [UInt8] { Array(bytes.drop { $0 == 0 }) }

  /// A number in a fixed length (RFC 7518 section 6.2.1.2), where some leave the zero bytes out; nil where it is longer.
  static func fixed(_ bytes: [UInt8], to length: Int) -> [UInt8]? {
    let significant = number(bytes)
    guard significant.count <= length else { return nil }
    return [UInt8](repeating: 0, count: length - significant.count) + significant
  }
}

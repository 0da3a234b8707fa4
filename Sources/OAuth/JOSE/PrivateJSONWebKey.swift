public import Crypto

extension JSONWebKey {
  /// A private key, with what its JWK says of it.
  public typealias Private = (key: PrivateKey, keyID: String?, algorithm: SignatureAlgorithm?)

  /// Reads a private key; of a key set that holds one key alone, that one.
  ///
  /// - Throws: `KeyError`, which names the member that is missing, never a value.
  /// - See: https://www.rfc-editor.org/rfc/rfc7518#section-6, https://www.rfc-editor.org/rfc/rfc8037#section-2
  public static func privateKey(from json: JSONValue) throws(KeyError) -> Private {
    guard var members = json.members else { throw .unreadable(reason: "it is not a JSON Web Key") }
    if case .array(let keys) = members["keys"] {
      guard keys.count == 1, let only = keys[0].members else {
        throw .unreadable(reason: "the key set has \(keys.count) keys, where one is wanted")
      }
      members = only
    }
    let key = try PrivateKey(PrivateKeyParameters(members))
    let name = members["alg"]?.text
    let algorithm = SignatureAlgorithm(name: name)
    if let name {
      guard let algorithm, key.supports(algorithm) else {
        throw .unsuitable(algorithm: name, key: key.publicKey.kind)
      }
    }
    return (key, members["kid"]?.text, algorithm)
  }
}

extension PrivateKeyParameters {
  fileprivate init(_ members: [String: JSONValue]) throws(KeyError) {
    guard let kind = members["kty"]?.text else { throw .unreadable(reason: "the key lacks the member 'kty'") }
    if kind == "oct" { throw .unsupported(reason: "the key is a shared secret, where a private key is wanted") }
    guard let parameters = PublicKeyParameters(members) else {
      let curve = members["crv"]?.text.map { " on \(PrintableText.printable($0, limit: 40))" } ?? ""
      throw .unsupported(reason: "the key is of a kind that is not used here, or not whole: \(kind)\(curve)")
    }
    func bytes(_ name: String) throws(KeyError) -> [UInt8] {
      guard let text = members[name]?.text, !text.isEmpty else {
        throw .unreadable(reason: "the key lacks the member '\(name)', so it is not a private one")
      }
      guard let bytes = Base64URL.decode(text) else {
        throw .unreadable(reason: "the key's member '\(name)' is not base64url")
      }
      return bytes
    }
    let d = try bytes("d")
    switch parameters {
    case .rsa(let modulus, let exponent):
      // RFC 7518 section 6.3.2 lets them be left out, all of them.
      if members["p"] == nil {
        throw .unsupported(
          reason: "the RSA key lacks its prime factors ('p', 'q', 'dp', 'dq', 'qi'); give it with them")
      }
      let primes = RSAPrimes(
        p: Secret(bytes: try bytes("p")), q: Secret(bytes: try bytes("q")), dp: Secret(bytes: try bytes("dp")),
        dq: Secret(bytes: try bytes("dq")), qi: Secret(bytes: try bytes("qi")))
      self = .rsa(modulus: modulus, exponent: exponent, privateExponent: Secret(bytes: d), primes: primes)
    case .ec(let curve, let x, let y):
      guard let d = PublicKeyParameters.fixed(d, to: curve.width) else {
        throw .unreadable(reason: "the private part of \(curve.rawValue) is too long")
      }
      self = .ec(curve, x: x, y: y, d: Secret(bytes: d))
    case .ed25519(let point): self = .ed25519(publicKey: point, seed: Secret(bytes: d))
    }
  }
}

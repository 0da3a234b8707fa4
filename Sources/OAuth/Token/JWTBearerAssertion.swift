public import Crypto
public import FoundationEssentials

/// The assertion of the JWT bearer grant: who asks, in whose name.
public enum JWTBearerAssertion {
  /// Builds the assertion for one request.
  ///
  /// - Parameters:
  ///   - issuer: who signs, as the server knows it: a service account, a client.
  ///   - subject: for whom the token is asked; nil leaves it out, as servers want it where the issuer asks for itself.
  ///   - audience: the token endpoint, or the issuer that the server calls itself.
  ///   - scopes: for the servers that read them in the assertion (`scope`); none for the others.
  ///   - algorithm: nil for the key's usual one.
  ///   - id: never used before (`jti`).
  ///   - lifetime: for how many seconds it is good.
  ///   - extra: further claims; they win over those of the same name.
  /// - Throws: `KeyError` where the algorithm is not one of this key.
  /// - See: https://www.rfc-editor.org/rfc/rfc7523#section-3
  public static func build(
    issuer: String, subject: String? = nil, audience: String, scopes: [String] = [], key: SigningKey,
    algorithm: SignatureAlgorithm? = nil, now: Date, jti id: String, lifetime: Int = 60,
    extra: [String: JSONValue] = [:]
  ) throws(KeyError) -> Secret {
    var claims = [String: JSONValue].lifetime(from: now, seconds: lifetime, id: id)
    claims["iss"] = .string(issuer)
    if let subject { claims["sub"] = .string(subject) }
    claims["aud"] = .string(audience)
    if !scopes.isEmpty { claims["scope"] = .string(scopes.joined(separator: " ")) }
    claims.merge(extra) { _, new in new }
    return try JWT.sign(header: ["typ": .string("JWT")], claims: claims, key: key, algorithm: algorithm)
  }
}

public import Crypto
public import FoundationEssentials

/// A client's proof of who it is: a JWT that only it can have signed (`client_secret_jwt`, `private_key_jwt`).
public enum ClientAssertion {
  /// What `client_assertion_type` says of it.
  public static let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

  /// Builds the assertion for one request.
  ///
  /// - Parameters:
  ///   - audience: the issuer, or the token endpoint where the server knows itself by that.
  ///   - algorithm: nil for the key's usual one.
  ///   - id: never used before (`jti`).
  ///   - lifetime: for how many seconds it is good.
  /// - Throws: `KeyError` where the algorithm is not one of this key.
  /// - See: https://www.rfc-editor.org/rfc/rfc7523#section-3,
  ///   https://openid.net/specs/openid-connect-core-1_0.html#ClientAuthentication
  public static func build(
    clientID: String, audience: String, key: SigningKey, algorithm: SignatureAlgorithm? = nil, now: Date,
    jti id: String,
    lifetime: Int = 60
  ) throws(KeyError) -> Secret {
    var claims = [String: JSONValue].lifetime(from: now, seconds: lifetime, id: id)
    claims["iss"] = .string(clientID)
    claims["sub"] = .string(clientID)
    claims["aud"] = .string(audience)
    return try JWT.sign(header: ["typ": .string("JWT")], claims: claims, key: key, algorithm: algorithm)
  }
}

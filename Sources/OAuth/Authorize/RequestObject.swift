public import Crypto
public import FoundationEssentials

/// An authorization request that is signed, so that nobody between can change it (RFC 9101).
public enum RequestObject {
  /// Builds the request object: sent as `request`, with `client_id` beside it.
  ///
  /// - Parameters:
  ///   - parameters: those of the request; one that is there more than once is a list.
  ///   - audience: the server's issuer.
  ///   - algorithm: nil for the key's usual one.
  ///   - id: never used before (`jti`).
  ///   - lifetime: for how many seconds it is good: a person may take a while on the way to the server.
  /// - Throws: `KeyError` where the algorithm is not one of this key.
  /// - See: https://www.rfc-editor.org/rfc/rfc9101#section-4
  public static func build(
    parameters: [Parameter], clientID: String, audience: String, key: SigningKey,
    algorithm: SignatureAlgorithm? = nil, now: Date, jti id: String, lifetime: Int = 300
  ) throws(KeyError) -> Secret {
    var claims: [String: JSONValue] = [:]
    for parameter in parameters where !forbidden.contains(parameter.name) {
      let value = value(of: parameter)
      claims[parameter.name] = claims[parameter.name].map { .array($0.elements + [value]) } ?? value
    }
    claims.merge(.lifetime(from: now, seconds: lifetime, id: id)) { _, new in new }
    claims["nbf"] = claims["iat"]
    claims["iss"] = .string(clientID)
    claims["client_id"] = .string(clientID)
    claims["aud"] = .string(audience)
    return try JWT.sign(header: ["typ": .string("oauth-authz-req+jwt")], claims: claims, key: key, algorithm: algorithm)
  }

  /// A request object holds no other, and `sub` in one would make it an assertion of the client (RFC 9101 section 10.8).
  private static let forbidden: Set = ["request", "request_uri", "sub"]

  /// What is JSON within a parameter is JSON here, and what is a number is one (RFC 9101 section 4).
  private static func value(of parameter: Parameter) -> JSONValue {
    let isJSON = ["claims", "authorization_details", "max_age"].contains(parameter.name)
    guard isJSON, let value = JSONValue(parsing: parameter.value.utf8) else { return .string(parameter.value) }
    return value
  }
}

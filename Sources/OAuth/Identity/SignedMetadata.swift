public import Crypto
public import FoundationEssentials

/// What a server says of itself, signed (`signed_metadata`).
public enum SignedMetadata {
  /// Checks the token, and gives the metadata in it, which goes before what stands unsigned beside it.
  ///
  /// - Parameters:
  ///   - issuer: whose metadata it must be.
  ///   - keys: those of the issuer.
  ///   - now: this machine's time; clocks may be 60 s apart.
  /// - Throws: `JWT.Mismatch`. One of `kid` may mean that the issuer has new keys.
  /// - See: https://www.rfc-editor.org/rfc/rfc8414#section-2.1
  public static func verify(
    _ token: Secret, issuer: String, keys: JSONWebKeySet, now: Date
  ) throws(JWT.Mismatch) -> [String: JSONValue] {
    guard let jwt = JWT.Parsed(token) else {
      throw JWT.Mismatch(claim: "signed_metadata", expected: "a signed JWT", got: nil)
    }
    // `iss` vouches for the content, `issuer` is a part of it.
    for claim in ["iss", "issuer"] where claim == "iss" || jwt.claims[claim] != nil {
      guard issuer.hasSameBytes(as: jwt.claims[claim]?.text) else {
        throw JWT.Mismatch(claim: claim, expected: issuer, got: jwt.claims[claim]?.plainText)
      }
    }
    try jwt.checkSignature(keys: keys)
    try jwt.checkTimes(now: now.timeIntervalSince1970)
    return jwt.claims.filter { !own.contains($0.key) }
  }

  /// The token's own claims; and it does not hold itself.
  private static let own: Set = ["iss", "sub", "aud", "exp", "nbf", "iat", "jti", "signed_metadata"]
}

extension JWT.Parsed {
  /// Those times that it has must hold.
  fileprivate func checkTimes(now: Double) throws(JWT.Mismatch) {
    for claim in ["exp", "nbf", "iat"] {
      guard let value = claims[claim] else { continue }
      let seconds = claims.seconds(claim)
      let holds = seconds.map { claim == "exp" ? $0 + JWT.leeway > now : $0 - JWT.leeway <= now } ?? false
      guard holds else {
        let expected = claim == "exp" ? "a time to come" : "a time gone by"
        throw JWT.Mismatch(claim: claim, expected: expected, got: value.plainText)
      }
    }
  }
}

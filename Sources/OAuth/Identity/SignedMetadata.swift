public import Crypto
public import FoundationEssentials

/// What a server or a resource says of itself, signed (`signed_metadata`).
public enum SignedMetadata {
  /// Checks an authorization server's token, and gives the metadata in it, which goes before what stands unsigned beside it.
  ///
  /// - Parameters:
  ///   - issuer: whose metadata it must be, and who must have signed it.
  ///   - keys: those of the issuer.
  ///   - now: this machine's time; clocks may be 60 s apart.
  /// - Throws: `JWT.Mismatch`. One of `kid` may mean that the issuer has new keys.
  /// - See: https://www.rfc-editor.org/rfc/rfc8414#section-2.1
  public static func verify(
    _ token: Secret, issuer: String, keys: JSONWebKeySet, now: Date
  ) throws(JWT.Mismatch) -> [String: JSONValue] {
    try verify(token, Expectation(subject: .serverMetadata, signer: issuer, member: "issuer", name: issuer), keys, now)
  }

  /// Checks a resource's token, and gives the metadata in it, which goes before what stands unsigned beside it.
  ///
  /// - Parameters:
  ///   - resource: whose metadata it must be.
  ///   - signer: who must have signed it: ``signer(of:)``.
  ///   - keys: those of the signer.
  ///   - now: this machine's time; clocks may be 60 s apart.
  /// - Throws: `JWT.Mismatch`.
  /// - See: https://www.rfc-editor.org/rfc/rfc9728#section-2.2
  public static func verify(
    _ token: Secret, resource: String, signer: String, keys: JSONWebKeySet, now: Date
  ) throws(JWT.Mismatch) -> [String: JSONValue] {
    try verify(
      token, Expectation(subject: .resourceMetadata, signer: signer, member: "resource", name: resource), keys, now)
  }

  /// Who says to have signed it (`iss`), of which nothing is judged yet.
  ///
  /// - Throws: `JWT.Mismatch` where it is no signed token, or names nobody.
  public static func signer(of token: Secret) throws(JWT.Mismatch) -> String {
    guard let jwt = JWT.Parsed(token) else { throw .unreadable(token, as: .resourceMetadata) }
    guard let issuer = jwt.claims["iss"]?.text, !issuer.isEmpty else {
      throw JWT.Mismatch(
        of: .resourceMetadata, claim: "iss", expected: "who vouches for it", got: jwt.claims["iss"]?.plainText)
    }
    return issuer
  }

  private struct Expectation {
    let subject: JWT.Subject
    let signer: String
    /// The member that says whose metadata it is, and what it must say.
    let member: String
    let name: String
  }

  private static func verify(
    _ token: Secret, _ expected: Expectation, _ keys: JSONWebKeySet, _ now: Date
  ) throws(JWT.Mismatch) -> [String: JSONValue] {
    guard let jwt = JWT.Parsed(token) else { throw .unreadable(token, as: expected.subject) }
    // `iss` vouches for the content, the other is a part of it.
    for (claim, wanted) in [("iss", expected.signer), (expected.member, expected.name)]
    where claim == "iss" || jwt.claims[claim] != nil {
      guard wanted.hasSameBytes(as: jwt.claims[claim]?.text) else {
        throw JWT.Mismatch(of: expected.subject, claim: claim, expected: wanted, got: jwt.claims[claim]?.plainText)
      }
    }
    do throws(JWT.Mismatch) {
      try jwt.checkSignature(keys: keys)
      try jwt.checkTimes(now: now.timeIntervalSince1970)
    } catch {
      throw error.of(expected.subject)
    }
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

public import Crypto

/// The claims of an ID token that came straight from the token endpoint.
///
/// TLS to the issuer stands in for the signature there (OpenID Connect Core section 3.1.3.7, item 6); a token from
/// anywhere else must not be read this way.
public struct IDToken: Sendable, Equatable {
  /// All claims, as they came.
  public let claims: [String: JSONValue]

  /// How far the clocks may be apart, in seconds.
  static let leeway = JWT.leeway

  /// Reads the claims without judging them; nil where it is not a JWT (RFC 7519 section 7.2).
  public init?(unverified token: Secret) {
    let parts = token.reveal().split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let payload = Base64URL.decode(String(parts[1])),
      let claims = JSONValue(parsing: payload)?.members
    else { return nil }
    self.claims = claims
  }

  /// Checks that a refresh brought a token of the same person; it is of the same issuer, see ``hasIssuer(of:aliases:)``.
  ///
  /// - Throws: ``JWT/Mismatch``.
  /// - See: https://openid.net/specs/openid-connect-core-1_0.html#RefreshTokenResponse
  public func validateSuccessor(_ next: IDToken) throws(JWT.Mismatch) {
    guard claims["sub"] != nil, next.claims["sub"] != claims["sub"] else { return }
    throw JWT.Mismatch(of: .idToken, claim: "sub", expected: subject ?? "the same", got: next.subject)
  }

  /// Whether a token is of the same issuer.
  ///
  /// - Parameter aliases: names that stand for one issuer: some write theirs now with `https://`, now without.
  public func hasIssuer(of next: IDToken, aliases: [String]) -> Bool {
    guard claims["iss"] != nil else { return true }
    guard let mine = issuer, let theirs = next.issuer else { return false }
    return mine.hasSameBytes(as: theirs)
      || [mine, theirs].allSatisfy { name in aliases.contains { $0.hasSameBytes(as: name) } }
  }

  /// A name that people know the person by: the first of the claims that say so.
  public var name: String? {
    ["email", "preferred_username", "upn", "name"].lazy.compactMap { claims[$0]?.text }.first { !$0.isEmpty }
  }

  /// Who says it (`iss`).
  public var issuer: String? { claims["iss"]?.text }

  /// Whom it speaks of (`sub`).
  public var subject: String? { claims["sub"]?.text }

  /// Who it is, for people: a name, else the issuer's own.
  public var identity: String? { name ?? subject.flatMap { $0.isEmpty ? nil : $0 } }

  init(claims: [String: JSONValue]) { self.claims = claims }

  /// The issuer is one of those, byte for byte; where there are none, it is not compared.
  func checkIssuer(_ issuers: [String]) throws(JWT.Mismatch) {
    let issuer = claims["iss"]?.text
    if let expected = issuers.first, !issuers.contains(where: { $0.hasSameBytes(as: issuer) }) {
      throw JWT.Mismatch(of: .idToken, claim: "iss", expected: expected, got: issuer)
    }
  }

  /// Neither value is shown: the nonce is what ties the token to this login.
  func checkNonce(_ nonce: Secret) throws(JWT.Mismatch) {
    let got = claims["nonce"]?.text
    guard let got, Secret(got) == nonce else {
      throw JWT.Mismatch(of: .idToken, claim: "nonce", expected: "this login's", got: got == nil ? nil : "another")
    }
  }

  /// A time for a message; a token may hold one that no integer does.
  static func text(_ seconds: Double) -> String {
    Int64(exactly: seconds.rounded(.down))?.description ?? "\(seconds)"
  }
}

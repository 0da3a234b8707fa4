public import Crypto
public import FoundationEssentials

/// The claims of an ID token that came straight from the token endpoint.
///
/// TLS to the issuer stands in for the signature there (OpenID Connect Core section 3.1.3.7, item 6); a token from
/// anywhere else must not be read this way.
public struct IDToken: Sendable, Equatable {
  /// All claims, as they came.
  public let claims: [String: JSONValue]

  /// The claim that does not hold.
  public struct Mismatch: Error, Sendable, Equatable {
    /// The claim's name.
    public let claim: String
    /// What it had to be.
    public let expected: String
    /// What it is; nil where it is missing.
    public let got: String?

    /// Makes one.
    public init(claim: String, expected: String, got: String?) {
      self.claim = claim
      self.expected = expected
      self.got = got
    }
  }

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

  /// Reads the claims and checks issuer, audience, expiry and nonce.
  ///
  /// - Parameters:
  ///   - issuers: what `iss` may be; empty where the provider has no fixed issuer, and `iss` is not compared.
  ///   - nonce: the nonce of this login; nil on a refresh, which has none.
  /// - Throws: ``Mismatch``.
  /// - See: https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation
  public static func validate(
    _ token: Secret, issuers: [String], clientID: String, nonce: Secret?, now: Date
  ) throws(Mismatch) -> IDToken {
    guard let idToken = IDToken(unverified: token) else {
      throw Mismatch(claim: "id_token", expected: "a JWT", got: nil)
    }
    try idToken.checkIssuer(issuers)
    let audience = idToken.claims.audience
    guard audience.contains(clientID) else {
      throw Mismatch(claim: "aud", expected: clientID, got: audience.isEmpty ? nil : audience.joined(separator: " "))
    }
    if let party = idToken.claims["azp"]?.text, party != clientID {
      throw Mismatch(claim: "azp", expected: clientID, got: party)
    }
    guard idToken.claims["sub"]?.text?.isEmpty == false else {
      throw Mismatch(claim: "sub", expected: "a name", got: nil)
    }
    guard let expiry = idToken.claims.seconds("exp") else {
      throw Mismatch(claim: "exp", expected: "a time", got: nil)
    }
    guard expiry + leeway > now.timeIntervalSince1970 else {
      throw Mismatch(claim: "exp", expected: "a time to come", got: Self.text(expiry))
    }
    if let issued = idToken.claims.seconds("iat"), issued - leeway > now.timeIntervalSince1970 {
      throw Mismatch(claim: "iat", expected: "a time gone by", got: Self.text(issued))
    }
    if let nonce { try idToken.checkNonce(nonce) }
    return idToken
  }

  /// Checks that a refresh brought a token of the same person; it is of the same issuer, see ``hasIssuer(of:aliases:)``.
  ///
  /// - Throws: ``Mismatch``.
  /// - See: https://openid.net/specs/openid-connect-core-1_0.html#RefreshTokenResponse
  public func validateSuccessor(_ next: IDToken) throws(Mismatch) {
    guard claims["sub"] != nil, next.claims["sub"] != claims["sub"] else { return }
    throw Mismatch(claim: "sub", expected: subject ?? "the same", got: next.subject)
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
  func checkIssuer(_ issuers: [String]) throws(Mismatch) {
    let issuer = claims["iss"]?.text
    if let expected = issuers.first, !issuers.contains(where: { $0.hasSameBytes(as: issuer) }) {
      throw Mismatch(claim: "iss", expected: expected, got: issuer)
    }
  }

  /// Neither value is shown: the nonce is what ties the token to this login.
  func checkNonce(_ nonce: Secret) throws(Mismatch) {
    let got = claims["nonce"]?.text
    guard let got, Secret(got) == nonce else {
      throw Mismatch(claim: "nonce", expected: "this login's", got: got == nil ? nil : "another")
    }
  }

  /// A time for a message; a token may hold one that no integer does.
  static func text(_ seconds: Double) -> String {
    Int64(exactly: seconds.rounded(.down))?.description ?? "\(seconds)"
  }
}

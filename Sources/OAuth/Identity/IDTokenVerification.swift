public import Crypto
public import FoundationEssentials

extension IDToken {
  /// What an ID token must hold to be taken.
  public struct Expectation: Sendable {
    /// What `iss` may be; empty where the provider has no fixed issuer, and `iss` is not compared.
    public var issuers: [String]
    /// Who it must be for (`aud`, and `azp` where there is one).
    public var clientID: String
    /// The nonce of this login; nil on a refresh, which has none.
    public var nonce: Secret?
    /// The issuer's keys; nil where it publishes none.
    ///
    /// The TLS of the token endpoint stands in for a signature then (OpenID Connect Core 3.1.3.7, item 6), and a token
    /// that came another way is refused.
    public var keys: JSONWebKeySet?
    /// The client's own secret, where the issuer may sign with that (HS256 and its like).
    public var clientSecret: Secret?
    /// What `alg` may be; nil for all that are known.
    ///
    /// HMAC needs ``clientSecret`` besides.
    public var algorithms: [SignatureAlgorithm]?
    /// The access token that came with it, for `at_hash`.
    public var accessToken: Secret?
    /// The code that came with it, for `c_hash`.
    public var code: Secret?
    /// Whether it came through the browser: it must then be signed, and tied to the token and the code beside it.
    public var isFrontChannel: Bool
    /// How long ago the person may have logged in, in seconds (`max_age` of the request); nil where that was not asked.
    public var maxAge: Int?
    /// Who it must speak of; nil at a first login.
    public var subject: String?
    /// Whether its time may be over: one that was kept is looked at later, and still says who signed it.
    public var mayHaveEnded = false

    /// Makes one; what is not named is not compared.
    public init(
      issuers: [String], clientID: String, nonce: Secret? = nil, keys: JSONWebKeySet? = nil,
      clientSecret: Secret? = nil, algorithms: [SignatureAlgorithm]? = nil, accessToken: Secret? = nil,
      code: Secret? = nil, isFrontChannel: Bool = false, maxAge: Int? = nil, subject: String? = nil
    ) {
      self.issuers = issuers
      self.clientID = clientID
      self.nonce = nonce
      self.keys = keys
      self.clientSecret = clientSecret
      self.algorithms = algorithms
      self.accessToken = accessToken
      self.code = code
      self.isFrontChannel = isFrontChannel
      self.maxAge = maxAge
      self.subject = subject
    }
  }

  /// Checks all that an ID token must hold: issuer, signature, audience, times, nonce, person, and what it is tied to.
  ///
  /// - Parameter now: this machine's time when it came; clocks may be 60 s apart.
  /// - Throws: ``JWT/Mismatch``. One of `kid` may mean that the issuer has new keys: fetched anew, they are worth one more try.
  /// - See: https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation
  public static func verify(
    _ token: Secret, expecting expected: Expectation, now: Date
  ) throws(JWT.Mismatch) -> IDToken {
    guard let jwt = JWT.Parsed(token) else { throw .unreadable(token, as: .idToken) }
    let idToken = IDToken(claims: jwt.claims)
    // The issuer first: whose keys it must be signed by follows from it.
    try idToken.checkIssuer(expected.issuers)
    let algorithm: SignatureAlgorithm
    do throws(JWT.Mismatch) {
      algorithm = try jwt.check(for: expected)
    } catch {
      throw error.of(.idToken)
    }
    try idToken.checkAudience(expected.clientID)
    try idToken.checkSubject(expected.subject)
    try idToken.checkTimes(expected, now: now.timeIntervalSince1970)
    if let nonce = expected.nonce { try idToken.checkNonce(nonce) }
    let mustBeTied = expected.isFrontChannel
    if let token = expected.accessToken {
      try idToken.check("at_hash", of: token, by: algorithm, isRequired: mustBeTied)
    }
    if let code = expected.code { try idToken.check("c_hash", of: code, by: algorithm, isRequired: mustBeTied) }
    return idToken
  }

  /// Who it is for; with several, or where it says so, also for whom it was made.
  ///
  /// - See: https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation
  private func checkAudience(_ clientID: String) throws(JWT.Mismatch) {
    let audience = claims.audience
    guard audience.contains(where: { $0.hasSameBytes(as: clientID) }) else {
      throw JWT.Mismatch(
        of: .idToken, claim: "aud", expected: clientID, got: audience.isEmpty ? nil : audience.joined(separator: " "))
    }
    let party = claims["azp"]
    guard party == nil && audience.count == 1 || clientID.hasSameBytes(as: party?.text) else {
      throw JWT.Mismatch(of: .idToken, claim: "azp", expected: clientID, got: party?.plainText)
    }
  }

  private func checkSubject(_ subject: String?) throws(JWT.Mismatch) {
    guard let got = claims["sub"]?.text, !got.isEmpty else {
      throw JWT.Mismatch(of: .idToken, claim: "sub", expected: subject ?? "a name", got: nil)
    }
    if let subject, !got.hasSameBytes(as: subject) {
      throw JWT.Mismatch(of: .idToken, claim: "sub", expected: subject, got: got)
    }
  }

  private func checkTimes(_ expected: Expectation, now: Double) throws(JWT.Mismatch) {
    func time(_ claim: String) throws(JWT.Mismatch) -> Double {
      guard let time = claims.seconds(claim) else {
        throw JWT.Mismatch(of: .idToken, claim: claim, expected: "a time", got: claims[claim]?.plainText)
      }
      return time
    }
    let expiry = try time("exp")
    guard expected.mayHaveEnded || expiry + Self.leeway > now else {
      throw JWT.Mismatch(of: .idToken, claim: "exp", expected: "a time to come", got: Self.text(expiry))
    }
    for claim in ["iat", "nbf"] where claim == "iat" || claims[claim] != nil {
      let start = try time(claim)
      guard start - Self.leeway <= now else {
        throw JWT.Mismatch(of: .idToken, claim: claim, expected: "a time gone by", got: Self.text(start))
      }
    }
    guard let maxAge = expected.maxAge else { return }
    let login = try time("auth_time")
    guard login + Double(maxAge) + Self.leeway >= now else {
      throw JWT.Mismatch(of: .idToken, claim: "auth_time", expected: "at most \(maxAge) s ago", got: Self.text(login))
    }
  }

  /// The left half of the digest of what came with it (OpenID Connect Core 3.1.3.6 and 3.3.2.11).
  private func check(
    _ claim: String, of value: Secret, by algorithm: SignatureAlgorithm, isRequired: Bool
  ) throws(JWT.Mismatch) {
    guard isRequired || claims[claim] != nil else { return }
    let digest = value.withBytes { algorithm.digest.digest(Array($0)) }
    let expected = Base64URL.encode(digest.prefix(digest.count / 2))
    guard claims[claim]?.text == expected else {
      let what = claim == "at_hash" ? "that of the access token" : "that of the code"
      throw JWT.Mismatch(of: .idToken, claim: claim, expected: what, got: claims[claim] == nil ? nil : "another")
    }
  }
}

extension JWT.Parsed {
  /// Checks header and signature, and gives the algorithm.
  fileprivate func check(for expected: IDToken.Expectation) throws(JWT.Mismatch) -> SignatureAlgorithm {
    // A token that says it is another kind must not be taken for this one (RFC 8725 section 3.11).
    if let type = header["typ"]?.text, type.lowercased().hasSuffix("+jwt") {
      throw JWT.Mismatch(claim: "typ", expected: "JWT", got: type)
    }
    let algorithm = try checkHeader(secret: expected.clientSecret, algorithms: expected.algorithms)
    guard let keys = expected.keys ?? (algorithm.isSymmetric ? JSONWebKeySet(keys: []) : nil) else {
      guard !expected.isFrontChannel else {
        throw JWT.Mismatch(claim: "signature", expected: "one by a key that the issuer publishes", got: nil)
      }
      return algorithm
    }
    try checkSignature(keys: keys, secret: expected.clientSecret, algorithms: expected.algorithms)
    return algorithm
  }
}

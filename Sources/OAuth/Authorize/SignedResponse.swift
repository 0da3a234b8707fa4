public import Crypto
public import FoundationEssentials

/// An answer of the authorization server that it has signed (JWT Secured Authorization Response Mode, JARM).
///
/// - See: https://openid.net/specs/oauth-v2-jarm.html
public enum SignedResponse {
  /// What a callback turned out to be, before its signature was looked at.
  public enum Opened: Sendable, Equatable {
    /// It has this login's state: the JWT, and whether it says no, which nobody vouches for yet.
    case response(Secret, unverifiedRefusal: CallbackFailure?)
    /// It has this login's state, and ends it.
    case failure(CallbackFailure)
    /// An encrypted answer: whose it is cannot be told.
    case encrypted
    /// Not an answer to this login: its state is missing or wrong.
    case stray
  }

  /// What is told of an answer that nobody here can decrypt.
  public static let isEncrypted = CallbackFailure.unusable(
    parameter: "response", expected: "a signed JWT", got: "an encrypted one")

  /// Takes the JWT out of a callback's query, fragment or form, and tells by its state whether it is this login's.
  ///
  /// The state is looked at first, so that no other page's answer has any effect (JARM section 2.4, step 2).
  public static func open(_ text: String, pending: PendingAuthorization) -> Opened {
    let parameters = FormEncoding.decode(text)
    let tokens = parameters.filter { $0.name == "response" }
    guard tokens.count == 1, let value = tokens.first?.value else {
      guard AuthorizationResponse.answers(parameters, pending) else { return .stray }
      let error = parameters.first { $0.name == "error" }.map { "the plain error '\($0.value)'" }
      return .failure(
        .unusable(parameter: "response", expected: "a signed JWT", got: error ?? "a plain answer"))
    }
    guard let jwt = JWT.Parsed(Secret(value)) else {
      return value.split(separator: ".", omittingEmptySubsequences: false).count == 5 ? .encrypted : .stray
    }
    let inner = self.parameters(of: jwt.claims)
    guard AuthorizationResponse.answers(inner, pending) else { return .stray }
    let refusal = AuthorizationResponse.failure(in: inner, pending, once: [])
    return .response(Secret(value), unverifiedRefusal: refusal)
  }

  /// Takes the JWT out of what a person pasted: the redirect URL, a part of it, or the JWT alone.
  public static func open(pasted text: String, pending: PendingAuthorization) -> Opened {
    // A terminal may have broken a long URL into lines.
    let text = text.filter { !$0.isWhitespace }
    if !text.contains(where: { "=&?#:".contains($0) }), text.contains(".") {
      return open("response=" + text, pending: pending)
    }
    for part in text.split(whereSeparator: { "?#".contains($0) }).reversed() {
      let opened = open(String(part), pending: pending)
      if opened != .stray { return opened }
    }
    return .stray
  }

  /// Checks who has signed the answer, for whom and until when, and gives its parameters.
  ///
  /// A client's secret proves nothing of what came through the browser, so HMAC is not taken.
  ///
  /// - Parameters:
  ///   - issuer: whose answer it must be.
  ///   - keys: those of the issuer.
  ///   - now: this machine's time; clocks may be 60 s apart.
  /// - Throws: `JWT.Mismatch`. One of `kid` may mean that the issuer has new keys.
  /// - See: https://openid.net/specs/oauth-v2-jarm.html#section-2.4
  public static func verify(
    _ token: Secret, issuer: String, clientID: String, keys: JSONWebKeySet, now: Date
  ) throws(JWT.Mismatch) -> [Parameter] {
    guard let jwt = JWT.Parsed(token) else {
      throw JWT.Mismatch(claim: "response", expected: "a signed JWT", got: nil)
    }
    let claims = jwt.claims
    guard issuer.hasSameBytes(as: claims["iss"]?.text) else {
      throw JWT.Mismatch(claim: "iss", expected: issuer, got: claims["iss"]?.plainText)
    }
    guard claims.audience.contains(where: { $0.hasSameBytes(as: clientID) }) else {
      throw JWT.Mismatch(claim: "aud", expected: clientID, got: claims["aud"]?.plainText)
    }
    try jwt.checkResponseTimes(now: now.timeIntervalSince1970)
    try jwt.checkSignature(keys: keys, algorithms: SignatureAlgorithm.allCases.filter { !$0.isSymmetric })
    return parameters(of: claims)
  }

  /// The parameters of the answer; `iss` is one of them, as in a plain answer (RFC 9207).
  private static func parameters(of claims: [String: JSONValue]) -> [Parameter] {
    claims.filter { !own.contains($0.key) && $0.value != .null }.sorted { $0.key < $1.key }
      .map { Parameter($0.key, $0.value.text ?? $0.value.plainText) }
  }

  /// The token's own claims.
  private static let own: Set = ["aud", "exp", "iat", "nbf", "jti"]
}

extension JWT.Parsed {
  /// The end is a must (JARM section 2.1), and the other times hold where there are any.
  fileprivate func checkResponseTimes(now: Double) throws(JWT.Mismatch) {
    for claim in ["exp", "nbf", "iat"] where claim == "exp" || claims[claim] != nil {
      let holds = claims.seconds(claim).map { claim == "exp" ? $0 + JWT.leeway > now : $0 - JWT.leeway <= now } ?? false
      guard holds else {
        let expected = claim == "exp" ? "a time to come" : "a time gone by"
        throw JWT.Mismatch(claim: claim, expected: expected, got: claims[claim]?.plainText)
      }
    }
  }
}

extension AuthorizationResponse {
  /// Judges the parameters of an answer whose signature was verified.
  public static func validate(verified parameters: [Parameter], pending: PendingAuthorization) -> CallbackOutcome {
    guard answers(parameters, pending) else { return .stray }
    return answer(parameters, pending)
  }
}

public import Crypto

/// A code that a validated callback carried.
///
/// There is no other way to make one, so no unvalidated code can be exchanged.
public struct AuthorizationCode: Sendable {
  /// The code (RFC 6749 section 4.1.2).
  let code: Secret
  /// The verifier that belongs to it.
  let verifier: Secret?
  /// The redirect URI, to be repeated with the code (RFC 6749 section 4.1.3).
  let redirectURI: String
  /// The ID token that came with it (OpenID Connect Core section 3.3.2.5).
  public let idToken: Secret?
  /// Whether it was pasted alone: then nothing but the server's word tells it from any other word.
  public let isBare: Bool

  fileprivate init(code: Secret, idToken: Secret? = nil, pending: PendingAuthorization, isBare: Bool = false) {
    self.code = code
    self.idToken = idToken
    self.isBare = isBare
    verifier = pending.pkce.method == .none ? nil : pending.pkce.verifier
    redirectURI = pending.redirectURI
  }
}

/// A callback that ends the login without a code.
public enum CallbackFailure: Error, Sendable, Equatable {
  /// The server answered with an error (RFC 6749 section 4.1.2.1): denied, most often.
  case server(ServerError)
  /// The answer comes from another issuer than the one that was asked (RFC 9207): a mix-up attack, or a wrong issuer.
  case issuerMismatch(expected: String, got: String?)
  /// It has the right state, yet neither a code nor an error.
  case incomplete
  /// It says a thing twice, which no answer may (RFC 6749 section 3.1): who added the other one?
  case repeated(parameter: String)
  /// It has the right state, and a parameter that no use can be made of.
  case unusable(parameter: String, expected: String, got: String?)
}

/// What a callback turned out to be.
public enum CallbackOutcome: Sendable {
  /// A good answer to this login.
  case code(AuthorizationCode)
  /// An answer to this login that ends it.
  case failure(CallbackFailure)
  /// Not an answer to this login: its state is missing, wrong or given twice.
  case stray
}

/// The answer that the browser brings back (RFC 6749 section 4.1.2).
public enum AuthorizationResponse {
  /// Judges the query of a callback.
  ///
  /// Only the right state makes it an answer at all: an `error` without it could come from any page. `iss` is compared
  /// whenever it is present, and a success must have it where the server's metadata promised it (RFC 9207 section 2.4).
  /// An error without it is what it says: servers that promise it leave it out there, and nothing is redeemed.
  ///
  /// - See: https://www.rfc-editor.org/rfc/rfc9207#section-2.4
  public static func validate(query: String, pending: PendingAuthorization) -> CallbackOutcome {
    let parameters = FormEncoding.decode(query)
    guard answers(parameters, pending) else { return .stray }
    return answer(parameters, pending)
  }

  /// Whether a callback answers this login: it has the state, once.
  static func answers(_ parameters: [Parameter], _ pending: PendingAuthorization) -> Bool {
    let states = parameters.filter { $0.name == "state" }
    return states.count == 1 && Secret(states[0].value) == pending.state
  }

  /// Judges what a person pasted: the whole redirect URL, its query, or the bare code.
  ///
  /// A URL or a query is judged as a callback is. A bare code has no state: the person who pasted it vouches for it,
  /// and PKCE still ties it to this login.
  public static func validate(pasted text: String, pending: PendingAuthorization) -> CallbackOutcome {
    // A terminal may have broken a long URL into lines. Words with spaces between them are no code.
    let isOneWord = text.split(whereSeparator: \.isWhitespace).count == 1
    let text = text.filter { !$0.isWhitespace }
    guard !text.isEmpty else { return .stray }
    if let mark = text.firstIndex(of: "?") {
      let query = text[text.index(after: mark)...].prefix { $0 != "#" }
      return validate(query: String(query), pending: pending)
    }
    if let mark = text.firstIndex(of: "#") {
      return validate(query: String(text[text.index(after: mark)...]), pending: pending)
    }
    if text.contains("=") && text.contains("&") || text.hasPrefix("code=") || text.hasPrefix("error=") {
      return validate(query: text, pending: pending)
    }
    // RFC 6749 appendix A.11
    let isVisible = text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    // An ID token has to be there, too.
    guard pending.isHybrid != true, isOneWord, isVisible, !text.contains("://"), text.utf8.count <= 8192 else {
      return .stray
    }
    return .code(AuthorizationCode(code: Secret(text), pending: pending, isBare: true))
  }

  static func answer(_ parameters: [Parameter], _ pending: PendingAuthorization) -> CallbackOutcome {
    if let failure = failure(in: parameters, pending, once: once(pending)) { return .failure(failure) }
    guard let code = parameters.first(where: { $0.name == "code" })?.value, !code.isEmpty else {
      return .failure(.incomplete)
    }
    guard pending.isHybrid == true else { return .code(AuthorizationCode(code: Secret(code), pending: pending)) }
    guard let token = parameters.first(where: { $0.name == "id_token" })?.value, !token.isEmpty else {
      return .failure(.unusable(parameter: "id_token", expected: "a JWT", got: "none"))
    }
    return .code(AuthorizationCode(code: Secret(code), idToken: Secret(token), pending: pending))
  }

  /// What may be there once at most.
  private static func once(_ pending: PendingAuthorization) -> [String] {
    ["iss", "code", "error"] + (pending.isHybrid == true ? ["id_token"] : [])
  }

  /// What ends the login, whichever grant it is: a parameter of `once` that is there twice, another issuer, an error.
  static func failure(
    in parameters: [Parameter], _ pending: PendingAuthorization, once: [String]
  ) -> CallbackFailure? {
    func first(_ name: String) -> String? { parameters.first { $0.name == name }?.value }
    for name in once where parameters.count(where: { $0.name == name }) > 1 { return .repeated(parameter: name) }
    if let expected = pending.issuer, let got = first("iss"), !expected.hasSameBytes(as: got) {
      return .issuerMismatch(expected: expected, got: got)
    }
    if let code = first("error"), !code.isEmpty {
      return .server(ServerError(code: code, description: first("error_description"), uri: first("error_uri")))
    }
    // A mix-up has the code sent to the wrong server: so this is asked only of what would be redeemed or kept.
    if pending.requiresIssuer, let expected = pending.issuer, first("iss") == nil {
      return .issuerMismatch(expected: expected, got: nil)
    }
    return nil
  }
}

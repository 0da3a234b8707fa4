internal import Crypto
public import FoundationEssentials

/// What a callback of the implicit grant turned out to be.
public enum ImplicitOutcome: Sendable {
  /// A good answer to this login.
  ///
  /// An ID token among them has come through the browser: only its signature tells who made it.
  case tokens(TokenSet)
  /// An answer to this login that ends it.
  case failure(CallbackFailure)
  /// Not an answer to this login: its state is missing, wrong or given twice.
  case stray
}

/// The answer that the browser brings back where tokens come with it (RFC 6749 section 4.2.2).
public enum ImplicitResponse {
  /// Judges the parameters of a callback, from its fragment or, at servers that do so, from its query.
  ///
  /// - Parameter now: when it was received; expiry counts from here.
  /// - See: https://www.rfc-editor.org/rfc/rfc6749#section-4.2.2,
  ///   https://openid.net/specs/openid-connect-core-1_0.html#ImplicitAuthResponse
  public static func validate(
    _ text: String, pending: PendingAuthorization, provider: Provider, now: Date
  ) -> ImplicitOutcome {
    validate(
      FormEncoding.decode(text.first == "#" || text.first == "?" ? text.dropFirst() : text[...]), pending: pending,
      provider: provider, now: now)
  }

  /// Judges the parameters of a callback, wherever they stood.
  public static func validate(
    _ parameters: [Parameter], pending: PendingAuthorization, provider: Provider, now: Date
  ) -> ImplicitOutcome {
    guard AuthorizationResponse.answers(parameters, pending) else { return .stray }
    if let failure = AuthorizationResponse.failure(in: parameters, pending, once: once) { return .failure(failure) }
    var fields: [String: JSONValue] = [:]
    for parameter in parameters where !others.contains(parameter.name) {
      fields[parameter.name] = .string(parameter.value)
    }
    guard fields["access_token"]?.text?.isEmpty == false else { return .failure(.incomplete) }
    guard TokenResponse.isUsable(fields["token_type"]) else {
      return .failure(.unusable(parameter: "token_type", expected: "Bearer", got: fields["token_type"]?.text))
    }
    // OpenID Connect Core section 3.2.2.5: it was asked for, and ties the access token to this login (at_hash).
    if pending.nonce != nil, fields["id_token"]?.text?.isEmpty != false {
      return .failure(.unusable(parameter: "id_token", expected: "a JWT", got: "none"))
    }
    guard let tokens = TokenResponse.read(fields, provider: provider, now: now) else {
      return .failure(.unusable(parameter: "access_token", expected: "printable ASCII", got: nil))
    }
    return .tokens(tokens)
  }

  /// Judges what a person pasted: the whole redirect URL, its fragment, or its query.
  ///
  /// There is no bare form: a token that nothing ties to this login could be anybody's.
  public static func validate(
    pasted text: String, pending: PendingAuthorization, provider: Provider, now: Date
  ) -> ImplicitOutcome {
    // A terminal may have broken a long URL into lines.
    let text = text.filter { !$0.isWhitespace }
    var rest = text[...]
    if text.contains("://") {
      guard let mark = text.firstIndex(where: { $0 == "?" || $0 == "#" }) else { return .stray }
      rest = text[mark...]
    }
    // A redirect URI may have a query of its own before the fragment.
    let parts = rest.split(separator: "#", omittingEmptySubsequences: true)
    for part in parts.reversed() {
      let outcome = validate(String(part), pending: pending, provider: provider, now: now)
      if case .stray = outcome { continue }
      return outcome
    }
    return .stray
  }

  private static let once = [
    "iss", "error", "access_token", "token_type", "expires_in", "scope", "id_token",
  ]

  /// What belongs to the callback rather than to the tokens, and a refresh token, which must not come this way
  /// (RFC 6749 section 4.2.2).
  private static let others: Set = [
    "state", "iss", "code", "error", "error_description", "error_uri", "refresh_token", "session_state",
  ]
}

internal import Crypto
public import FoundationEssentials

/// The token endpoint's reply (RFC 6749 section 5), read as tolerantly as real servers need.
public enum TokenResponse {
  /// Gives the tokens of a reply.
  ///
  /// - Parameter now: when it was received; expiry counts from here.
  /// - Throws: ``TokenFailure``.
  /// - See: https://www.rfc-editor.org/rfc/rfc6749#section-5.1
  public static func validate(
    _ response: HTTPResponse, provider: Provider, now: Date
  ) throws(TokenFailure) -> TokenSet {
    let body = ReplyBody(response)
    let quirks = provider.effectiveQuirks
    guard case .fields(let sent) = body else {
      throw TokenFailure.classify(response, body: body, error: nil, now: now)
    }
    let all = named(sent, quirks.fieldAliases)
    let error = ServerError(status: response.status, fields: all, okField: quirks.okField)?
      .translated(by: quirks.errorAliases)
    guard error == nil, (200...299).contains(response.status) else {
      throw TokenFailure.classify(response, body: body, error: error, now: now)
    }
    guard let tokens = read(all, provider: provider, now: now) else {
      throw TokenFailure.classify(response, body: body, error: nil, now: now)
    }
    return tokens
  }

  /// Reads the fields of a reply, whatever way it came; nil where they hold no usable access token.
  static func read(_ sent: [String: JSONValue], provider: Provider, now: Date) -> TokenSet? {
    let quirks = provider.effectiveQuirks
    let all = named(sent, quirks.fieldAliases)
    let fields = tokenFields(all, quirks)
    guard let token = fields["access_token"]?.text, isVisibleASCII(token), isUsable(fields["token_type"])
    else { return nil }
    return TokenSet(
      accessToken: Secret(token),
      tokenType: fields["token_type"]?.text.flatMap { $0.isEmpty ? nil : $0 },
      obtainedAt: now,
      expiresAt: Expiry.read(fields, now: now, unit: quirks.expiresInUnit ?? .seconds),
      refreshToken: secret(fields["refresh_token"]),
      refreshExpiresAt: Expiry.readRefresh(fields, now: now),
      idToken: secret(fields["id_token"] ?? all["id_token"]),
      scope: Scope.read(fields["scope"]) ?? Scope.read(fields["scopes"]),
      fields: all.filter { isFurther($0.key, $0.value) && $0.key != quirks.tokenPath })
  }

  /// The fields that a provider may have names of its own for.
  static let fields = [
    "access_token", "token_type", "expires_in", "expires_at", "refresh_token", "refresh_token_expires_in", "id_token",
    "scope", "error", "error_description", "error_uri",
  ]

  /// Gives the fields by their names in the RFC; one that is there under that name is meant.
  private static func named(_ sent: [String: JSONValue], _ aliases: [String: String]?) -> [String: JSONValue] {
    guard let aliases else { return sent }
    var fields = sent
    for (name, meaning) in aliases.sorted(by: { $0.key < $1.key }) {
      guard let value = sent[name], fields[meaning] == nil || fields[meaning] == .null else { continue }
      fields[meaning] = value
      fields[name] = nil
    }
    return fields
  }

  private static let understood: Set<String> = [
    "access_token", "token_type", "expires_in", "expires", "expires_at", "refresh_token", "id_token", "scope", "scopes",
  ]

  /// Whether a field is kept as it came: what is not understood, and an ID token that is no text.
  private static func isFurther(_ name: String, _ value: JSONValue) -> Bool {
    if name == "id_token", value != .null, value.text == nil { return true }
    return !understood.contains(name)
  }

  /// The object that holds the token: the provider's own place where it is filled, else the top.
  private static func tokenFields(_ all: [String: JSONValue], _ quirks: Quirks) -> [String: JSONValue] {
    guard let path = quirks.tokenPath else { return all }
    var inner: [String: JSONValue]? = all
    for part in path.split(separator: ".") { inner = inner?[String(part)]?.members }
    guard let inner = inner.map({ named($0, quirks.fieldAliases) }), inner["access_token"]?.text?.isEmpty == false
    else { return all }
    return inner
  }

  /// Empty means absent: some servers send `"refresh_token": ""` for "keep yours".
  private static func secret(_ value: JSONValue?) -> Secret? {
    value?.text.flatMap { $0.isEmpty || !isVisibleASCII($0) ? nil : Secret($0) }
  }

  /// Types that a resource takes in another way than as Bearer or DPoP; whatever else servers write means Bearer.
  static func isUsable(_ type: JSONValue?) -> Bool {
    !["mac", "pop"].contains(type?.text?.lowercased())
  }

  /// RFC 6749 appendix A.12: anything else could break out of a header line or a shell's quotes.
  static func isVisibleASCII(_ text: String) -> Bool {
    text.utf8.contains { $0 != 0x20 } && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
  }
}

/// When a token ends, in all the ways that servers say it.
enum Expiry {
  /// A century: beyond it a number is a mistake, and a mistake must not become "for ever".
  private static let limit = 100.0 * 366 * 86400

  /// Reads the access token's expiry; nil is unknown.
  ///
  /// `0` means now; what is negative, not a number or absurd is unknown.
  static func read(_ fields: [String: JSONValue], now: Date, unit: ExpiryUnit) -> Date? {
    if let seconds = lifetime(fields["expires_in"], unit: unit) { return now.addingTimeInterval(seconds) }
    // Some write a lifetime here, some a point in time: no token lives for 30 years.
    if let number = number(fields["expires"]), number < 1e9, let seconds = lifetime(fields["expires"], unit: unit) {
      return now.addingTimeInterval(seconds)
    }
    return point(fields["expires"], now: now) ?? point(fields["expires_at"], now: now)
  }

  /// Reads the refresh token's expiry; `0` means that it does not end.
  static func readRefresh(_ fields: [String: JSONValue], now: Date) -> Date? {
    for name in ["refresh_token_expires_in", "refresh_expires_in", "x_refresh_token_expires_in"] {
      if let seconds = lifetime(fields[name], unit: .seconds), seconds > 0 { return now.addingTimeInterval(seconds) }
    }
    return nil
  }

  private static func lifetime(_ value: JSONValue?, unit: ExpiryUnit) -> Double? {
    guard var seconds = number(value) else { return nil }
    if unit == .milliseconds { seconds /= 1000 }
    seconds = seconds.rounded(.down)
    return (0...limit).contains(seconds) ? seconds : nil
  }

  /// A point in time: Unix seconds, Unix milliseconds, or RFC 3339.
  private static func point(_ value: JSONValue?, now: Date) -> Date? {
    let date: Date?
    if let seconds = number(value) {
      date = seconds > 0 ? Date(timeIntervalSince1970: seconds > 1e12 ? seconds / 1000 : seconds) : nil
    } else {
      date = value?.text.flatMap { text in
        (try? Date(text, strategy: .iso8601))
          ?? (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
      }
    }
    return date.flatMap { $0.timeIntervalSince(now) <= limit ? $0 : nil }
  }

  /// Gives what a server wrote as a number: a number, or a string that holds one; nil for what is not finite.
  static func number(_ value: JSONValue?) -> Double? {
    let number: Double? =
      switch value {
      case .integer(let number): Double(number)
      case .number(let number): number
      case .string(let text): decimal(text)
      default: nil
      }
    return number.flatMap { $0.isFinite ? $0 : nil }
  }

  /// Decimal digits alone: `Double` itself reads hexadecimal, `nan` and `infinity` too.
  private static func decimal(_ text: String) -> Double? {
    let text = text.filter { !$0.isWhitespace }
    return text.allSatisfy { $0.isASCII && ($0.isNumber || "+-.eE".contains($0)) } ? Double(text) : nil
  }
}

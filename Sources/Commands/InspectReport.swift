internal import Crypto
internal import Flows
internal import FoundationEssentials
internal import OAuth

/// What an inspection brought, for a person or a script; no token of the account is in it.
struct InspectReport: Sendable {
  let account: Account
  let session: Session
  let idToken: InspectedToken?
  let accessToken: InspectedToken
  let userinfo: [String: JSONValue]?
  let introspection: Introspection?

  /// The object for scripts.
  ///
  /// - Parameter isAlone: whether the ID token alone is wanted.
  func json(now: Date, isAlone: Bool) -> JSONValue {
    var members = AccountJSON.name(account)
    members["identity"] = session.identity.map(JSONValue.string) ?? .null
    members["id_token"] = .null
    if let idToken {
      var token = Self.members(idToken)
      token["has_ended"] = idToken.expiresAt.map { .bool($0 <= now) }
      members["id_token"] = .object(token)
    }
    guard !isAlone else { return .object(members) }
    var token = Self.members(accessToken)
    token["is_jwt"] = .bool(accessToken.claims != nil)
    token["token_type"] = .string(session.tokens.authorizationScheme)
    token["scope"] = .array(session.scope.map(JSONValue.string))
    token["expires_at"] = session.tokens.expiresAt.map { .string($0.rfc3339) } ?? token["expires_at"]
    members["access_token"] = .object(token)
    if let userinfo { members["userinfo"] = redacted(.object(userinfo)) }
    if let introspection { members["introspection"] = redacted(.object(introspection.claims)) }
    return .object(members)
  }

  /// The sections for a person.
  func text(now: Date, isAlone: Bool) -> String {
    var sections = ["\(account)\(session.identity.map { ": \(Self.line($0))" } ?? "")\n"]
    if let idToken {
      sections.append(section("ID token", idToken, expiry: idToken.expiresAt, now: now))
    } else {
      sections.append("ID token: there is none\n")
    }
    guard !isAlone else { return sections.joined(separator: "\n") }
    let expiry = session.tokens.expiresAt ?? accessToken.expiresAt
    sections.append(section("access token", accessToken, expiry: expiry, now: now))
    if let userinfo { sections.append("userinfo\n" + rows(userinfo, now: now)) }
    if let introspection {
      let state = introspection.isActive ? "the token is good" : "the token is no longer good"
      sections.append("introspection: \(state)\n" + rows(introspection.claims, now: now))
    }
    return sections.joined(separator: "\n")
  }

  private static func members(_ token: InspectedToken) -> [String: JSONValue] {
    var members: [String: JSONValue] = ["verified": .bool(token.isVerified)]
    members["reason"] = token.doubt.map(JSONValue.string)
    members["header"] = token.header.map(JSONValue.object)
    members["claims"] = token.claims.map(JSONValue.object)
    members["expires_at"] = token.expiresAt.map { .string($0.rfc3339) }
    return members
  }

  private func section(_ title: String, _ token: InspectedToken, expiry: Date?, now: Date) -> String {
    let state: String
    switch (token.claims != nil, token.doubt) {
    case (true, nil): state = "verified"
    case (true, let doubt?): state = "decoded only, not verified (\(doubt))"
    case (false, let doubt): state = doubt ?? "it cannot be read"
    }
    let end = expiry.map { expiry in
      let span = Relative.text(expiry.timeIntervalSince(now))
      return expiry <= now ? "; it has ended, \(span)" : "; it ends \(span)"
    }
    let signer = token.header.flatMap { header in
      let parts = [header["alg"]?.text, header["kid"]?.text.map { "key \($0)" }].compactMap(\.self)
      return parts.isEmpty ? nil : " (\(Self.line(parts.joined(separator: ", "))))"
    }
    return "\(title)\(signer ?? ""): \(state)\(end ?? "")\n" + rows(token.claims ?? [:], now: now)
  }

  /// The claims that tell most come first.
  private static let first = [
    "active", "iss", "sub", "aud", "azp", "client_id", "username", "scope", "email", "preferred_username", "name",
    "token_type", "auth_time", "iat", "nbf", "exp",
  ]
  private static let times: Set = ["auth_time", "iat", "nbf", "exp", "updated_at"]

  private func rows(_ claims: [String: JSONValue], now: Date) -> String {
    let names = Self.first.filter { claims[$0] != nil } + claims.keys.filter { !Self.first.contains($0) }.sorted()
    let width = min(names.map(\.count).max() ?? 0, 30)
    return names.map { name in
      let value = redacted(claims[name] ?? .null)
      let label = Self.line(name)
      let space = String(repeating: " ", count: max(width - label.count, 0))
      var text = Self.line(value.plainText)
      if Self.times.contains(name), let time = Introspection.expiry(of: ["exp": value]) { text += " (\(time.rfc3339))" }
      return "  \(label)\(space)  \(text)\n"
    }.joined()
  }

  /// Servers repeat in their answers what they were asked about.
  private func redacted(_ value: JSONValue) -> JSONValue {
    let redactor = Redactor()
    let tokens = [session.tokens.accessToken, session.tokens.refreshToken, session.tokens.idToken].compactMap(\.self)
    for token in tokens { redactor.register(token) }
    return Self.redacted(value, redactor)
  }

  private static func redacted(_ value: JSONValue, _ redactor: Redactor) -> JSONValue {
    switch value {
    case .string(let text): .string(redactor.redact(text))
    case .array(let items): .array(items.map { redacted($0, redactor) })
    case .object(let members): .object(members.mapValues { redacted($0, redactor) })
    case .null, .bool, .integer, .number: value
    }
  }

  private static func line(_ text: String) -> String { PrintableText.printable(text, limit: 2000) }
}

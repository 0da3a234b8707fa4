internal import CLI
internal import Crypto
internal import Flows
internal import FoundationEssentials
internal import OAuth

/// `oauthctl token`: prints a valid access token, refreshing it first if need be.
enum TokenCommand: Command {
  static let name = "token"
  static let spec = CommandSpec(
    name: name, summary: "print a valid access token, refreshing it first if need be",
    discussion:
      "With a stored token that is still valid, nothing but the keyring is asked. A token whose expiry is unknown is printed as it is.",
    operands: [SharedOptions.account(.required)],
    options: [
      SharedOptions.duration("min-valid", help: "how long the token must still be valid (default 60s)"),
      OptionSpec(
        "format", value: .required(placeholder: "FORMAT", completion: .oneOf(TokenFormat.allCases.map(\.rawValue))),
        help: "how to print it, raw by default"),
      OptionSpec("id-token", help: "print the ID token instead"),
      OptionSpec(
        "field", value: .required(placeholder: "NAME", completion: .none),
        help: "print another field of the provider's reply instead"),
      OptionSpec(
        "force-refresh", help: "get a new token even where the stored one is valid, or the server was out of order"),
      OptionSpec("no-refresh", help: "never ask the server; fail where a refresh is needed"),
      SharedOptions.json, SharedOptions.cacert,
    ],
    examples: [
      Example("oauthctl token google", "print an access token"),
      Example("curl -H @<(oauthctl token github --format header) https://api.example.com/user", "call an API"),
      Example("eval \"$(oauthctl token google/work --format env)\"", "set ACCESS_TOKEN in a shell"),
    ])

  static func run(_ invocation: Invocation, _ environment: Environment) throws {
    let name = try invocation.account(invocation.operands[0])
    let margin = try invocation.seconds("min-valid") ?? 60
    let format = invocation.value("format").flatMap(TokenFormat.init) ?? (invocation.has("json") ? .json : .raw)
    if invocation.has("force-refresh") && invocation.has("no-refresh") {
      throw Failure(.usage, "--force-refresh and --no-refresh exclude each other")
    }
    let others = ["field", "id-token", "format", "json"].filter { invocation.has($0) }
    if others.count > 1, others.contains("field") || others.contains("id-token") {
      throw Failure(.usage, "--\(others[0]) and --\(others[1]) exclude each other")
    }
    var (account, stored) = try AccountLookup(environment).find(name)
    if invocation.has("force-refresh") || !stored.isUsable(at: environment.time.now, for: margin) {
      guard !invocation.has("no-refresh") else { throw FlowError.refreshForbidden(account) }
      stored = try refresh(account, stored, isInsisting: invocation.has("force-refresh"), environment)
    }
    if stored.isRefused {
      environment.output.warn("the server has refused to renew this token: run 'oauthctl login \(account)'")
    }
    if let field = invocation.value("field") {
      return try environment.output.answer(try Self.field(field, of: stored, account) + "\n")
    }
    if invocation.has("id-token") {
      guard let token = stored.tokens.idToken else {
        throw Failure(
          .loginRequired, "\(account) has no ID token",
          hint: "run 'oauthctl login \(account) --scope openid' with its scopes")
      }
      return try environment.output.answer(token.reveal() + "\n")
    }
    try environment.output.answer(format.render(stored, account, now: environment.time.now))
  }

  /// Has the token renewed, at once for a person and for who insists.
  private static func refresh(
    _ account: Account, _ stored: StoredToken, isInsisting: Bool, _ environment: Environment
  ) throws -> StoredToken {
    try RefreshSession.refuseKnownRefusal(of: stored, account)
    if !isInsisting, !environment.terminal.isInteractive {
      try environment.sessions.load(account)?.backoff?.check(.script, account, now: environment.time.now)
    }
    environment.terminal.status("refreshing \(account)")
    defer { environment.terminal.status(nil) }
    try environment.wait { try await environment.refresh(account, stored.tokens.accessToken.fingerprint) }
    // What is printed is what the keyring holds: saved before it is seen.
    guard let fresh = try environment.sessions.loadToken(account) else { throw AccountError.none(account, others: []) }
    // A token that has just come is handed out however short it lives; the one that was to be replaced is not.
    guard fresh.tokens.accessToken != stored.tokens.accessToken || fresh.isUsable(at: environment.time.now, for: 0)
    else {
      throw Failure(.temporary, "the refresh of \(account) left its token as it was", hint: "try again")
    }
    return fresh
  }

  private static func field(_ name: String, of stored: StoredToken, _ account: Account) throws(Failure) -> String {
    if let value = stored.fields[name], value != .null { return value.plainText }
    let known = stored.fields.keys.sorted()
    throw Failure(
      .configuration, "the reply for \(account) has no field \(Quoting.quote(name))",
      hint: known.isEmpty
        ? "it has no further fields"
        : "it has \(known.map { PrintableText.printable($0, limit: 40) }.joined(separator: ", "))")
  }
}

/// How a token is printed.
enum TokenFormat: String, CaseIterable {
  case raw, header, json, env

  func render(_ stored: StoredToken, _ account: Account, now: Date) -> String {
    let tokens = stored.tokens
    let token = tokens.accessToken.reveal()
    switch self {
    case .raw: return token + "\n"
    case .header: return "Authorization: \(tokens.authorizationScheme) \(token)\n"
    case .json: return Self.json(stored, account, now: now).plainText + "\n"
    case .env:
      let expiry = tokens.expiresAt.map { "export ACCESS_TOKEN_EXPIRES_AT=\(ShellWord.quoted($0.rfc3339))\n" }
      return "export ACCESS_TOKEN=\(ShellWord.quoted(token))\n" + (expiry ?? "unset ACCESS_TOKEN_EXPIRES_AT\n")
    }
  }

  private static func json(_ stored: StoredToken, _ account: Account, now: Date) -> JSONValue {
    let tokens = stored.tokens
    var members: [String: JSONValue] = [
      "provider": .string(account.provider), "account": .string(account.name),
      "access_token": .string(tokens.accessToken.reveal()), "token_type": .string(tokens.authorizationScheme),
      "scope": .array(stored.scope.map(JSONValue.string)), "fields": .object(stored.fields),
    ]
    if let expiry = tokens.expiresAt {
      members["expires_at"] = .string(expiry.rfc3339)
      members["expires_in"] = .integer(Int64(min(max(expiry.timeIntervalSince(now), -1e15), 1e15).rounded(.down)))
    }
    if let idToken = tokens.idToken { members["id_token"] = .string(idToken.reveal()) }
    return .object(members)
  }
}

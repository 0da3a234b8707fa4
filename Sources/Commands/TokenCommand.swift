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
    ] + SharedOptions.variant + proof + [SharedOptions.json, SharedOptions.cacert],
    examples: [
      Example("oauthctl token google", "print an access token"),
      Example("curl -H @<(oauthctl token github --format header) https://api.example.com/user", "call an API"),
      Example("oauthctl token google --scope email", "another token of the same login, for less"),
      Example(
        "oauthctl token acme --format header --url https://api.example.com/me", "the lines for a token bound to a key"),
      Example("eval \"$(oauthctl token google/work --format env)\"", "set ACCESS_TOKEN in a shell"),
    ])

  /// What the proof of a bound token is made for (RFC 9449).
  private static let proof = [
    OptionSpec(
      "url", value: .required(placeholder: "URL", completion: .none),
      help: "with --format header: the URL of the request, for the proof that goes with a token bound to a key"),
    OptionSpec(
      "method", value: .required(placeholder: "M", completion: .suggested(["GET", "POST", "PUT", "PATCH", "DELETE"])),
      help: "with --url: the request's method, GET by default"),
    OptionSpec(
      "nonce", value: .required(placeholder: "NONCE", completion: .none),
      help: "with --url: the nonce that the server wants in the proof (DPoP-Nonce)"),
  ]

  static func run(_ invocation: Invocation, _ environment: Environment) throws {
    let name = try invocation.account(invocation.operands[0])
    let margin = try invocation.seconds("min-valid") ?? 60
    let format = invocation.value("format").flatMap(TokenFormat.init) ?? (invocation.has("json") ? .json : .raw)
    try checkTogether(invocation, format)
    let request = try invocation.tokenVariant()
    let (account, stored) = try find(name, request, environment)
    var token = stored
    if invocation.has("force-refresh") || token?.isUsable(at: environment.time.now, for: margin) != true {
      guard !invocation.has("no-refresh") else { throw forbidden(account, request) }
      token = try refresh(account, request, stored, isInsisting: invocation.has("force-refresh"), environment)
    }
    guard let token else { throw AccountError.none(account, others: []) }
    if token.isRefused {
      environment.output.warn("the server has refused to renew this token: \(Failure.loginHint(account))")
    }
    if let field = invocation.value("field") {
      return try environment.output.answer(try Self.field(field, of: token, account) + "\n")
    }
    if invocation.has("id-token") {
      guard let idToken = token.tokens.idToken else {
        throw Failure.noIDToken(account, token)
      }
      return try environment.output.answer(idToken.reveal() + "\n")
    }
    if format == .header, !token.tokens.isForAccess { throw FlowError.notForAccess(account) }
    if let url = invocation.value("url") {
      return try environment.output.answer(
        try BoundToken(environment, account).headers(
          token, url: url, method: invocation.value("method") ?? "GET", nonce: invocation.value("nonce")))
    }
    if token.tokens.authorizationScheme != "Bearer", environment.terminal.isInteractive {
      environment.output.warn(
        "this token is bound to a key, and is of no use alone: give --format header --url URL for its proof")
    }
    try environment.output.answer(format.render(token, account, now: environment.time.now))
  }

  private static func checkTogether(_ invocation: Invocation, _ format: TokenFormat) throws(Failure) {
    if invocation.has("force-refresh") && invocation.has("no-refresh") {
      throw Failure(.usage, "--force-refresh and --no-refresh exclude each other", hint: "leave one of them out")
    }
    let others = ["field", "id-token", "format", "json"].filter { invocation.has($0) }
    if others.count > 1, others.contains("field") || others.contains("id-token") {
      throw Failure(.usage, "--\(others[0]) and --\(others[1]) exclude each other", hint: "leave one of them out")
    }
    if invocation.has("json"), format != .json {
      throw Failure(
        .usage, "--json and --format \(format.rawValue) exclude each other", hint: "leave one of them out")
    }
    if invocation.has("id-token"), let other = SharedOptions.variant.first(where: { invocation.has($0.name) }) {
      throw Failure(
        .usage, "--id-token and --\(other.name) exclude each other",
        hint: "the ID token is that of the login: leave --\(other.name) out")
    }
    guard let option = ["url", "method", "nonce"].first(where: { invocation.has($0) }) else { return }
    if format != .header || others.contains("field") || others.contains("id-token") {
      throw Failure(.usage, "--\(option) is for --format header alone", hint: "add --format header")
    }
    if !invocation.has("url") { throw Failure(.usage, "--\(option) needs --url", hint: "give the request's URL") }
  }

  private static func forbidden(_ account: Account, _ request: TokenVariant.Request) -> any Error {
    guard !request.isEmpty else { return FlowError.refreshForbidden(account) }
    return Failure(
      .loginRequired, "\(account) has no valid token of that kind, and --no-refresh forbids to ask for one",
      hint: "leave out --no-refresh")
  }

  /// The account that is meant, and the token that was asked for, where there is one.
  private static func find(
    _ name: AccountName, _ request: TokenVariant.Request, _ environment: Environment
  ) throws -> (account: Account, stored: StoredToken?) {
    let (account, own) = try AccountLookup(environment).find(name)
    guard !request.isEmpty else { return (account, own) }
    return (account, try environment.sessions.load(account).flatMap { StoredToken($0, request) })
  }

  /// Has the token renewed, at once for a person and for who insists.
  private static func refresh(
    _ account: Account, _ request: TokenVariant.Request, _ stored: StoredToken?, isInsisting: Bool,
    _ environment: Environment
  ) throws -> StoredToken {
    if let stored { try RefreshSession.refuseKnownRefusal(of: stored, account, now: environment.time.now) }
    if !isInsisting, !environment.terminal.isInteractive {
      try environment.sessions.load(account)?.backoff?.check(.script, account, now: environment.time.now)
    }
    environment.terminal.status("refreshing \(account)")
    defer { environment.terminal.status(nil) }
    let seen = stored?.tokens.accessToken.fingerprint ?? ""
    try environment.wait { try await environment.refresh(account, seen, request) }
    // What is printed is what the keyring holds: saved before it is seen.
    guard let fresh = try load(account, request, environment) else { throw AccountError.none(account, others: []) }
    // A token that has just come is handed out however short it lives; the one that was to be replaced is not.
    guard fresh.tokens.accessToken != stored?.tokens.accessToken || fresh.isUsable(at: environment.time.now, for: 0)
    else {
      throw Failure(.temporary, "the refresh of \(account) left its token as it was", hint: "try again")
    }
    return fresh
  }

  private static func load(
    _ account: Account, _ request: TokenVariant.Request, _ environment: Environment
  ) throws -> StoredToken? {
    if request.isEmpty { return try environment.sessions.loadToken(account) }
    return try environment.sessions.load(account).flatMap { StoredToken($0, request) }
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

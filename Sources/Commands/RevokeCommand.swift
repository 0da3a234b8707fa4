internal import CLI
internal import Flows
internal import OAuth

/// `oauthctl revoke`: revokes an account's tokens at the server, then forgets them.
enum RevokeCommand: Command {
  static let name = "revoke"
  static let spec = CommandSpec(
    name: name, aliases: ["logout"], summary: "revoke tokens at the server, then forget them (logout does the same)",
    discussion:
      "Where the server cannot be reached nothing is forgotten. Where the provider has no way to revoke, or refuses to, the tokens are forgotten here and a warning says so.",
    operands: [SharedOptions.account(.repeated(atLeast: 0))],
    options: [
      OptionSpec("all", help: "every account"),
      OptionSpec("local", help: "forget the tokens without asking the server"),
      OptionSpec("forget-client", help: "forget the client's id and secret too"),
      SharedOptions.json, SharedOptions.cacert,
    ],
    examples: [
      Example("oauthctl logout github", "end the login at the server and here"),
      Example("oauthctl revoke --all --local", "forget all logins without asking anyone"),
    ])

  static func run(_ invocation: Invocation, _ environment: Environment) throws {
    let (names, isAll) = try invocation.accountsOrAll()
    let isLocal = invocation.has("local")
    let forgetsClient = invocation.has("forget-client")
    let accounts =
      isAll ? try environment.sessions.accounts() : try names.map { try AccountLookup(environment).locate($0) }
    if accounts.isEmpty { environment.output.note("no account is logged in") }
    var worst: Int32 = 0
    for account in accounts {
      do {
        let outcome = try revoke(account, isLocal: isLocal, forgetsClient: forgetsClient, environment)
        try tell(account, outcome, environment.output)
      } catch {
        let failure = Failure(error, login: account.description)
        if failure.kind == .interrupted || accounts.count == 1 { throw keepHint(failure) }
        worst = max(worst, failure.exitCode)
        environment.output.report(keepHint(failure), about: "\(account)")
      }
    }
    if worst != 0 { throw QuietFailure(exitCode: worst) }
  }

  /// Nothing was forgotten: the way out where the server stays away is worth naming.
  private static func keepHint(_ failure: Failure) -> Failure {
    guard failure.kind == .temporary || failure.kind == .configuration else { return failure }
    var failure = failure
    failure.hint =
      (failure.hint.map { $0 + "; " } ?? "") + "nothing was forgotten; --local forgets without asking the server"
    return failure
  }

  private static func revoke(
    _ account: Account, isLocal: Bool, forgetsClient: Bool, _ environment: Environment
  ) throws -> RevokeSession.Outcome {
    let http: any HTTPClient = isLocal ? NoHTTPClient() : try environment.makeHTTP()
    let revoke = RevokeSession(store: environment.store, lock: environment.lock, http: http)
    let clientID = isLocal ? nil : try environment.sessions.load(account)?.clientID
    let secret = clientID.flatMap { environment.environmentSecret(provider: account.provider, clientID: $0) }
    return try environment.wait {
      try await revoke.revoke(account, isLocal: isLocal, forgetsClient: forgetsClient, secret: secret)
    }
  }

  private static func tell(_ account: Account, _ outcome: RevokeSession.Outcome, _ output: Output) throws(Failure) {
    let result: String
    switch outcome {
    case .revoked:
      output.note("revoked and forgot \(account)")
      result = "revoked"
    case .forgotten:
      output.note("forgot \(account); its tokens stay valid at the server until they end")
      result = "forgotten"
    case .noEndpoint:
      output.warn("forgot \(account), but the provider has no way to revoke: its tokens stay valid until they end")
      result = "forgotten"
    case .refused(let error):
      output.warn(
        "forgot \(account), but the server would not revoke (\(error.sentence)): its tokens stay valid until they end")
      result = "forgotten"
    }
    guard output.isJSON else { return }
    try output.answer(
      .object(
        AccountJSON.name(account).merging(["result": .string("ok"), "tokens": .string(result)]) { own, _ in own }))
  }
}

/// Stands where no request may be made.
private struct NoHTTPClient: HTTPClient {
  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    throw Failure(.bug, "a request was made although none was allowed")
  }
}

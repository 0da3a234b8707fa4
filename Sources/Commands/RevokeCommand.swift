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
      OptionSpec(
        "forget-client", help: "forget the client's id and secret too, and end its registration where oauthctl made it"),
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
    var report = Report(output: environment.output, isAlone: !isAll && names.count == 1)
    var accounts = isAll ? try environment.sessions.accounts() : []
    if isAll, accounts.isEmpty { environment.output.note("no account is logged in") }
    for name in names {
      do {
        accounts.append(try AccountLookup(environment).locate(name))
      } catch {
        if forgetsClient, try forgetClients(of: name.provider, isLocal: isLocal, environment) { continue }
        try report.add(notThere(Failure(error)), about: name.provider)
      }
    }
    for account in accounts {
      do {
        let clientID = forgetsClient ? try? environment.sessions.load(account)?.clientID : nil
        let outcome = try revoke(account, isLocal: isLocal, environment)
        try tell(account, outcome, environment.output)
        guard let clientID, outcome != .superseded else { continue }
        try ForgetClient(environment: environment, isLocal: isLocal).run(clientID, of: account.provider)
      } catch {
        try report.add(keepHint(Failure(error, login: account.description)), about: account.description)
      }
    }
    if report.worst != 0 { throw QuietFailure(exitCode: report.worst) }
  }

  /// What goes wrong with one account does not stop the others; with one alone it is the command's own failure.
  private struct Report {
    let output: Output
    let isAlone: Bool
    var worst: Int32 = 0

    mutating func add(_ failure: Failure, about subject: String) throws(Failure) {
      if failure.kind == .interrupted || isAlone { throw failure }
      worst = max(worst, failure.exitCode)
      output.report(failure, about: subject)
    }
  }

  /// Nobody logs in to log out.
  private static func notThere(_ failure: Failure) -> Failure {
    guard failure.kind == .loginRequired || failure.kind == .configuration else { return failure }
    var failure = failure
    failure.hint = "see 'oauthctl status' for the accounts that there are"
    return failure
  }

  /// Forgets the clients of a provider at which nobody is logged in; false where there are none, or somebody is, whose
  /// refreshes need them.
  private static func forgetClients(
    of provider: String, isLocal: Bool, _ environment: Environment
  ) throws -> Bool {
    guard try environment.sessions.accounts(of: provider).isEmpty else { return false }
    let ids = try environment.clients.ids(provider: provider)
    for id in ids { try ForgetClient(environment: environment, isLocal: isLocal).run(id, of: provider) }
    if !ids.isEmpty { environment.output.note("forgot the client of \(provider); nobody was logged in") }
    return !ids.isEmpty
  }

  /// Nothing was forgotten: the way out where the server stays away is worth naming.
  private static func keepHint(_ failure: Failure) -> Failure {
    guard failure.kind == .temporary || failure.kind == .configuration else { return failure }
    // The login is gone, and the client's own failure says what can be done about it.
    guard failure.hint?.contains("--forget-client") != true else { return failure }
    var failure = failure
    failure.hint =
      (failure.hint.map { $0 + "; " } ?? "") + "nothing was forgotten; --local forgets without asking the server"
    return failure
  }

  private static func revoke(
    _ account: Account, isLocal: Bool, _ environment: Environment
  ) throws -> RevokeSession.Outcome {
    let http: any HTTPClient = isLocal ? NoHTTPClient() : try environment.makeHTTP()
    let network = Network(http: http, time: environment.time, random: environment.random)
    let revoke = RevokeSession(store: environment.store, lock: environment.lock, network: network)
    let clientID = isLocal ? nil : try environment.sessions.load(account)?.clientID
    let secret = clientID.flatMap { environment.environmentSecret(provider: account.provider, clientID: $0) }
    environment.terminal.status("revoking \(account)")
    defer { environment.terminal.status(nil) }
    return try environment.wait {
      try await revoke.revoke(account, isLocal: isLocal, secret: secret)
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
    case .superseded:
      output.warn("revoked the tokens of \(account), and left a newer login that was stored meanwhile")
      result = "revoked"
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
struct NoHTTPClient: HTTPClient {
  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    throw Failure(.bug, "a request was made although none was allowed")
  }
}

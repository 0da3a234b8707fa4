internal import CLI
internal import Flows
internal import OAuth

/// `oauthctl revoke`: revokes an account's tokens at the server, then forgets them.
enum RevokeCommand: Command {
  static let name = "revoke"
  static let spec = CommandSpec(
    name: name, aliases: ["logout"], summary: "revoke tokens at the server, then forget them (logout does the same)",
    discussion:
      "Where the server cannot be reached nothing is forgotten. Where the provider has no way to revoke, or refuses to, the tokens are forgotten here and a warning says so. With --everywhere the browser is sent to the page of the provider that logs the person out there as well (OpenID Connect RP-Initiated Logout); it may ask to confirm that, for no ID token goes along: others on this machine could read it in the browser's arguments.",
    operands: [SharedOptions.account(.repeated(atLeast: 0))],
    options: [
      OptionSpec("all", help: "every account"),
      OptionSpec("local", help: "forget the tokens without asking the server"),
      OptionSpec(
        "forget-client", help: "forget the client's id and secret too, and end its registration where oauthctl made it"),
      OptionSpec("everywhere", help: "open the provider's logout page too, which ends the login in the browser"),
      OptionSpec("no-browser", help: "with --everywhere: print that page's URL and open no browser"),
      OptionSpec(
        "browser", value: .required(placeholder: "CMD", completion: .command),
        help: "with --everywhere: the browser to open; %s stands for the URL"),
      SharedOptions.json, SharedOptions.cacert,
    ],
    examples: [
      Example("oauthctl logout github", "end the login at the server and here"),
      Example("oauthctl logout github --everywhere", "log out in the browser too"),
      Example("oauthctl revoke --all --local", "forget all logins without asking anyone"),
    ])

  static func run(_ invocation: Invocation, _ environment: Environment) throws {
    let (names, isAll) = try invocation.accountsOrAll()
    let options = try Options(invocation)
    var report = Report(output: environment.output, isAlone: !isAll && names.count == 1)
    var accounts = isAll ? try environment.sessions.accounts() : []
    if isAll, accounts.isEmpty { environment.output.note("no account is logged in") }
    for name in names {
      do {
        accounts.append(try AccountLookup(environment).locate(name))
      } catch {
        if options.forgetsClient, try forgetClients(of: name.provider, isLocal: options.isLocal, environment) {
          continue
        }
        try report.add(notThere(Failure(error)), about: name.provider)
      }
    }
    for account in accounts {
      do {
        let page = try end(account, options, environment)
        try page?.open(browser: options.browser, isWanted: options.opensBrowser, environment)
      } catch {
        try report.add(Failure(error, login: account.description), about: account.description)
      }
    }
    if report.worst != 0 { throw QuietFailure(exitCode: report.worst) }
  }

  /// Revokes, forgets and tells; gives the page that ends the login in the browser too, where that is wanted.
  private static func end(
    _ account: Account, _ options: Options, _ environment: Environment
  ) throws -> EndSessionPage? {
    let page: EndSessionPage?
    let outcome: RevokeSession.Outcome
    let clientID = options.forgetsClient ? try? environment.sessions.load(account)?.clientID : nil
    do {
      page = try options.isEverywhere ? EndSessionPage.find(account, environment) : nil
      outcome = try revoke(account, options, environment)
    } catch {
      throw keepHint(Failure(error, login: account.description))
    }
    try tell(account, outcome, page, environment.output)
    if let clientID, outcome != .superseded {
      try ForgetClient(environment: environment, isLocal: options.isLocal).run(clientID, of: account.provider)
    }
    return page
  }

  private struct Options {
    let isLocal: Bool
    let forgetsClient: Bool
    let isEverywhere: Bool
    let opensBrowser: Bool
    let browser: String?

    init(_ invocation: Invocation) throws(Failure) {
      isLocal = invocation.has("local")
      forgetsClient = invocation.has("forget-client")
      isEverywhere = invocation.has("everywhere")
      opensBrowser = !invocation.has("no-browser")
      browser = invocation.value("browser")
      if isLocal && isEverywhere {
        throw Failure(.usage, "--local and --everywhere exclude each other", hint: "leave one of them out")
      }
      if !isEverywhere, let option = ["browser", "no-browser"].first(where: invocation.has) {
        throw Failure(.usage, "--\(option) belongs to --everywhere", hint: "leave it out, or add --everywhere")
      }
    }
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
    var failure = failure
    failure.hint =
      (failure.hint.map { $0 + "; " } ?? "") + "nothing was forgotten; --local forgets without asking the server"
    return failure
  }

  private static func revoke(
    _ account: Account, _ options: Options, _ environment: Environment
  ) throws -> RevokeSession.Outcome {
    let isLocal = options.isLocal
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

  private static func tell(
    _ account: Account, _ outcome: RevokeSession.Outcome, _ page: EndSessionPage?, _ output: Output
  ) throws(Failure) {
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
    var members = AccountJSON.name(account)
    members["result"] = .string("ok")
    members["tokens"] = .string(result)
    if let url = page?.url { members["end_session_url"] = .string(url) }
    try output.answer(.object(members))
  }
}

/// Stands where no request may be made.
struct NoHTTPClient: HTTPClient {
  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    throw Failure(.bug, "a request was made although none was allowed")
  }
}

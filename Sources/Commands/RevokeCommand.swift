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
    var report = RevokeReport(output: environment.output, isAlone: !isAll && names.count == 1)
    var accounts = isAll ? try environment.sessions.accounts() : []
    if isAll, accounts.isEmpty { environment.output.note("no account is logged in") }
    for name in names {
      do {
        accounts.append(try AccountLookup(environment).locate(name))
      } catch {
        let clients = ForgetClients(environment: environment, isLocal: options.isLocal, provider: name.provider)
        if options.forgetsClient, let ended = try clients.ofNobody() {
          try report.add(ended, of: name.provider)
          continue
        }
        var ending = Ending(account: Account(provider: name.provider, name: name.account ?? Account.defaultName))
        ending.failure = notThere(Failure(error))
        try report.add(ending)
      }
    }
    for account in accounts { try report.add(end(account, options, environment)) }
    for provider in options.forgetsClient ? Set(accounts.map(\.provider)).sorted() : [] {
      let clients = ForgetClients(environment: environment, isLocal: options.isLocal, provider: provider)
      if let ended = try clients.unused() { try report.add(ended, of: provider) }
    }
    if report.worst != 0 { throw QuietFailure(exitCode: report.worst) }
  }

  /// Revokes, forgets and tells, and opens the page that ends the login in the browser too, where that is wanted.
  private static func end(_ account: Account, _ options: Options, _ environment: Environment) -> Ending {
    var ending = Ending(account: account)
    do {
      let clientID = options.forgetsClient ? try? environment.sessions.load(account)?.clientID : nil
      let (page, outcome) = try revoke(account, options, environment)
      ending.outcome = outcome
      ending.pageURL = page?.url
      tell(account, outcome, environment.output)
      do {
        if let clientID, outcome != .superseded {
          try ForgetClient(environment: environment, isLocal: options.isLocal).run(clientID, of: account.provider)
        }
      } catch {
        ending.failure = Failure(error)
      }
      guard let page, ending.failure?.kind != .interrupted else { return ending }
      // The login in the browser ends whatever became of the client: there is no account now to try it again with.
      do {
        ending.isPageOpened = try page.open(browser: options.browser, isWanted: options.opensBrowser, environment)
      } catch {
        if ending.failure != nil { environment.output.warn(error.message) }
        ending.failure = ending.failure ?? error
      }
    } catch {
      ending.failure = Failure(error, login: account.description)
    }
    return ending
  }

  private static func revoke(
    _ account: Account, _ options: Options, _ environment: Environment
  ) throws -> (page: EndSessionPage?, outcome: RevokeSession.Outcome) {
    do {
      let page = try options.isEverywhere ? EndSessionPage.find(account, environment) : nil
      return (page, try revoke(account, isLocal: options.isLocal, environment))
    } catch {
      throw keepHint(Failure(error, login: account.description), account, options)
    }
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
      if browser != nil && !opensBrowser {
        throw Failure(.usage, "--browser and --no-browser exclude each other", hint: "leave one of them out")
      }
      if !isEverywhere, let option = ["browser", "no-browser"].first(where: invocation.has) {
        throw Failure(.usage, "--\(option) belongs to --everywhere", hint: "leave it out, or add --everywhere")
      }
    }
  }

  /// Nobody logs in to log out.
  private static func notThere(_ failure: Failure) -> Failure {
    guard failure.kind == .loginRequired || failure.kind == .configuration else { return failure }
    // What names the right account does so here, too.
    if let hint = failure.hint, ["did you mean ", "name one of them"].contains(where: hint.hasPrefix) {
      return failure
    }
    var failure = failure
    failure.hint = "see 'oauthctl status' for the accounts that there are"
    return failure
  }

  /// Nothing was forgotten: the way out where the server stays away is worth naming.
  private static func keepHint(_ failure: Failure, _ account: Account, _ options: Options) -> Failure {
    guard failure.kind == .temporary || failure.kind == .configuration else { return failure }
    var failure = failure
    let local = options.forgetsClient ? "--local --forget-client" : "--local"
    failure.hint =
      (failure.hint.map { $0 + "; " } ?? "")
      + "nothing was forgotten; '\(TypedCommand.text("logout", account, local))' forgets without asking the server"
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
    let outcome = try environment.wait {
      try await revoke.revoke(account, isLocal: isLocal, secret: secret)
    }
    // Who logs out does not want to be logged in by what was begun before; what cannot be removed now ends by itself.
    if outcome != .superseded { _ = try? environment.begunLogins.deleteAll(of: account, now: environment.time.now) }
    return outcome
  }

  private static func tell(_ account: Account, _ outcome: RevokeSession.Outcome, _ output: Output) {
    switch outcome {
    case .revoked: output.note("revoked and forgot \(account)")
    case .forgotten: output.note("forgot \(account); its tokens stay valid at the server until they end")
    case .superseded:
      output.warn("revoked the tokens of \(account), and left a newer login that was stored meanwhile")
    case .noEndpoint:
      output.warn("forgot \(account), but the provider has no way to revoke: its tokens stay valid until they end")
    case .refused(let error):
      output.warn(
        "forgot \(account), but the server would not revoke (\(error.sentence)): its tokens stay valid until they end")
    }
  }
}

/// Stands where no request may be made.
struct NoHTTPClient: HTTPClient {
  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    throw Failure(.bug, "a request was made although none was allowed")
  }
}

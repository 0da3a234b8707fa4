internal import CLI
internal import Crypto
internal import Flows
internal import OAuth

/// `oauthctl refresh`: renews access tokens; meant for cron and timers.
enum RefreshCommand: Command {
  static let name = "refresh"
  static let spec = CommandSpec(
    name: name, summary: "renew access tokens; for cron and timers",
    discussion:
      "One account that fails does not stop the others. The exit code is the highest of all accounts'. A server that cannot "
      + "answer is left alone for a minute, then two, up to an hour, or for as long as it asks (Retry-After): by --all at "
      + "once, by scripts that name an account or want its token after three failures in a row. A person at a terminal "
      + "asks all the same, and so does 'oauthctl token' where it is told to refresh by force.",
    operands: [SharedOptions.account(.repeated(atLeast: 0))],
    options: [
      OptionSpec("all", help: "refresh every account"),
      SharedOptions.duration("within", help: "only those whose token ends within this time"),
      OptionSpec(
        "jobs", short: "j", value: .required(placeholder: "N", completion: .none),
        help: "how many accounts at a time (default 8)"),
      OptionSpec("json", help: "print one JSON object a line and account, errors too"), SharedOptions.cacert,
    ],
    examples: [
      Example("oauthctl refresh google/work", "renew one account's token now"),
      Example("oauthctl refresh --all --within 1h", "renew what ends within the hour, as from cron"),
    ])

  static func run(_ invocation: Invocation, _ environment: Environment) throws {
    let (names, isAll) = try invocation.accountsOrAll()
    let within = try invocation.seconds("within")
    let jobs = try invocation.integer("jobs", in: 1...64) ?? 8
    var report = RefreshReport(output: environment.output, sessions: environment.sessions)
    var accounts: [Account] = []
    if isAll {
      accounts = try environment.sessions.accounts()
      if accounts.isEmpty { environment.output.note("no account is logged in") }
    }
    for name in names {
      do {
        let account = try AccountLookup(environment).locate(name)
        if !accounts.contains(account) { accounts.append(account) }
      } catch {
        report.add(Account(provider: name.provider, name: name.account ?? Account.defaultName), .failed(error))
      }
    }
    guard !accounts.isEmpty else { return try report.finish() }
    if let failure = keyringFailure(accounts[0], environment) {
      for account in accounts { report.add(account, .failed(failure)) }
      return try report.finish()
    }
    let all = RefreshAll { account in try await one(account, environment, within: within, isAll: isAll) }
    let work = accounts
    let start = report
    environment.terminal.status("refreshing")
    defer { environment.terminal.status(nil) }
    report = try environment.wait {
      var report = start
      await all.run(work, jobs: jobs) { account, outcome in
        // What is told goes to a line of its own.
        environment.terminal.status(nil)
        report.add(account, outcome)
        environment.terminal.status("refreshing")
      }
      try Task.checkCancellation()
      return report
    }
    try report.finish()
  }

  /// Asks the keyring once for all: a locked one is one question for a person, and not one an account.
  private static func keyringFailure(_ account: Account, _ environment: Environment) -> StoreError? {
    do {
      _ = try environment.sessions.load(account)
    } catch let error as StoreError {
      return error
    } catch {
      // That account's own matter.
    }
    return nil
  }

  private static func one(
    _ account: Account, _ environment: Environment, within: Int?, isAll: Bool
  ) async throws -> RefreshAll.Outcome {
    let loaded = try await offPool { try environment.sessions.load(account) }
    guard let session = loaded else { throw AccountError.none(account, others: []) }
    let now = environment.time.now
    if let within, session.tokens.isValid(at: now, for: within) ?? true { return .skipped(session) }
    // Nothing can renew it; as long as it has not ended, that is no failure of a run over all accounts.
    if isAll, !session.isRenewable, session.tokens.isValid(at: now, for: 0) ?? true {
      return .skipped(session)
    }
    try RefreshSession.refuseKnownRefusal(of: session, account, now: now)
    let asker = isAll ? Backoff.Asker.timer : environment.terminal.isInteractive ? .person : .script
    try session.backoff?.check(asker, account, now: now)
    try await environment.refresh(account, session.tokens.accessToken.fingerprint, TokenVariant.Request())
    let fresh = try await offPool { try environment.sessions.load(account) }
    guard let fresh else { throw AccountError.none(account, others: []) }
    return .refreshed(fresh)
  }
}

/// What a run over accounts tells, and the exit code it ends with.
struct RefreshReport: Sendable {
  let output: Output
  let sessions: SessionStore
  private var worst: Int32 = 0
  private var unwritten: Failure?

  init(output: Output, sessions: SessionStore) {
    self.output = output
    self.sessions = sessions
  }

  /// Tells of one account.
  mutating func add(_ account: Account, _ outcome: RefreshAll.Outcome) {
    switch outcome {
    case .refreshed(let session):
      output.note("refreshed \(account)")
      line(account, ["result": .string("ok"), "refreshed": .bool(true)], session)
    case .skipped(let session):
      line(account, ["result": .string("ok"), "refreshed": .bool(false)], session)
    case .failed(let error):
      // The command as a whole says that it was interrupted.
      if error is CancellationError { return }
      let failure = Failure(error, login: account.description).completed(sessions)
      worst = max(worst, failure.exitCode)
      line(account, ["result": failure.json], nil)
      if case FlowError.backingOff? = error as? FlowError, !output.isJSON || output.isQuiet {
        // It was reported when the server failed; cron need not send it again and again.
        output.note(Output.about("\(account)", failure.message))
      } else {
        output.report(failure, about: "\(account)")
      }
    }
  }

  /// Ends the command with the worst account's code.
  func finish() throws {
    if let unwritten { throw unwritten }
    if worst != 0 { throw QuietFailure(exitCode: worst) }
  }

  private mutating func line(_ account: Account, _ result: [String: JSONValue], _ session: Session?) {
    guard output.isJSON else { return }
    var members = result.merging(AccountJSON.name(account)) { own, _ in own }
    if let session { members.merge(AccountJSON.expiryAndScope(session)) { own, _ in own } }
    do { try output.answer(.object(members)) } catch { unwritten = error }
  }
}

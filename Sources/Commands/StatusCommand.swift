internal import CLI
internal import Flows
internal import FoundationEssentials
internal import OAuth

/// `oauthctl status`: the accounts, and how their tokens stand.
enum StatusCommand: Command {
  static let name = "status"
  static let spec = CommandSpec(
    name: name, summary: "list the accounts and how their tokens stand",
    operands: [SharedOptions.account(.optional, help: "one account, or all of a provider's")],
    options: [SharedOptions.json],
    examples: [
      Example("oauthctl status", "list all accounts"),
      Example("oauthctl status google/work --json", "one account, for a script"),
    ])

  static func run(_ invocation: Invocation, _ environment: Environment) throws {
    let accounts = try accounts(invocation, environment)
    var sessions: [(account: Account, session: Session)] = []
    var worst: Int32 = 0
    for account in accounts {
      do {
        if let session = try environment.sessions.load(account) { sessions.append((account, session)) }
      } catch let error as SessionError {
        // One item that cannot be read does not hide the others.
        let failure = Failure(error)
        worst = max(worst, failure.exitCode)
        environment.output.report(failure)
      }
    }
    let now = environment.time.now
    var entries: [JSONValue] = []
    for (account, session) in sessions {
      let interrupted = try session.interruptedRefresh.flatMap { _ in try cutOff(account, environment) }
      remark(account, session, interrupted, now, environment.output)
      entries.append(json(account, session, interrupted, now))
    }
    if invocation.has("json") {
      try environment.output.answer(.array(entries))
    } else if sessions.isEmpty {
      if worst == 0 { environment.output.note("no account is logged in; see 'oauthctl login --help'") }
    } else {
      let rows = sessions.map { row($0.account, $0.session, now) }
      try environment.output.answer(
        TextTable.render(["ACCOUNT", "STATE", "EXPIRES", "REFRESH", "IDENTITY", "SCOPE"], rows))
    }
    if worst != 0 { throw QuietFailure(exitCode: worst) }
  }

  /// Tells what the table has no column for: a refresh without a clear end, and a server that is left alone.
  private static func remark(
    _ account: Account, _ session: Session, _ interrupted: PendingRefresh?, _ now: Date, _ output: Output
  ) {
    if let interrupted {
      output.warn(
        "a refresh of \(account) at \(interrupted.startedAt.rfc3339) had no clear end: the server may have used its "
          + "refresh token up; '\(TypedCommand.text("refresh", account))' will tell, and "
          + "'\(TypedCommand.text("login", account))' mends it")
    }
    if let backoff = session.backoff, let until = backoff.holdsBack(.timer, at: now) {
      output.note(
        "\(account): \(backoff.sentence); timers ask it again \(Relative.text(until.timeIntervalSince(now)))")
    }
  }

  /// Looks again with the account's lock: while another process has that, the refresh is under way.
  private static func cutOff(_ account: Account, _ environment: Environment) throws -> PendingRefresh? {
    try environment.wait {
      do {
        return try await environment.lock.withLock(account.fullName, limit: .zero) {
          try await offPool { try environment.sessions.load(account) }?.interruptedRefresh
        }
      } catch is LockError {
        return nil
      }
    }
  }

  /// All accounts; those of the provider that is named; or the one that is named.
  private static func accounts(_ invocation: Invocation, _ environment: Environment) throws -> [Account] {
    guard let operand = invocation.operand(0) else { return try environment.sessions.accounts() }
    let name = try invocation.account(operand)
    if name.account == nil {
      let all = try environment.sessions.accounts(of: name.provider)
      if !all.isEmpty { return all }
    }
    return [try AccountLookup(environment).locate(name)]
  }

  private static func json(
    _ account: Account, _ session: Session, _ interrupted: PendingRefresh?, _ now: Date
  ) -> JSONValue {
    var members = AccountJSON.name(account)
    members.merge(AccountJSON.expiryAndScope(session)) { own, _ in own }
    members["identity"] = session.identity.map(JSONValue.string) ?? .null
    members["state"] = .string(session.state(at: now).rawValue)
    members["refreshable"] = .bool(session.isRenewable && !session.isRefused)
    if let expiry = session.tokens.refreshExpiresAt { members["refresh_expires_at"] = .string(expiry.rfc3339) }
    // The following are there only where there is something to tell.
    members["back_off"] = session.backoff.flatMap { json($0, now) }
    members["interrupted_at"] = interrupted.map { .string($0.startedAt.rfc3339) }
    members["grant"] = session.grant.map { .string($0.kind.rawValue) }
    if session.binding != nil { members["bound"] = .bool(true) }
    if let count = session.variants?.count, count > 0 { members["variants"] = .integer(Int64(count)) }
    return .object(members)
  }

  /// How long the server is left alone; nil where that time is over.
  private static func json(_ backoff: Backoff, _ now: Date) -> JSONValue? {
    backoff.holdsBack(.timer, at: now).map { until in
      .object([
        "until": .string(until.rfc3339), "failures": .integer(Int64(backoff.failures)),
        "holds_scripts": .bool(backoff.holdsBack(.script, at: now) != nil),
      ])
    }
  }

  private static func row(_ account: Account, _ session: Session, _ now: Date) -> [String] {
    let expiry = session.tokens.expiresAt.map { Relative.text($0.timeIntervalSince(now)) } ?? "unknown"
    let refresh = session.isRefused ? "refused" : session.isRenewable ? "yes" : "no"
    return [
      account.description, session.state(at: now).rawValue, expiry, refresh,
      session.identity.map { PrintableText.printable($0, limit: 40) } ?? "-",
      PrintableText.printable(session.scope.joined(separator: " "), limit: 60),
    ]
  }
}

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
    for (account, session) in sessions { try remark(account, session, now, environment) }
    if invocation.has("json") {
      try environment.output.answer(.array(sessions.map { json($0.account, $0.session, now) }))
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
    _ account: Account, _ session: Session, _ now: Date, _ environment: Environment
  ) throws {
    if session.interruptedRefresh != nil, let interrupted = try cutOff(account, environment) {
      environment.output.warn(
        "a refresh of \(account) at \(interrupted.startedAt.rfc3339) had no clear end: the server may have used its "
          + "refresh token up; 'oauthctl refresh \(account)' will tell, and 'oauthctl login \(account)' mends it")
    }
    if let backoff = session.backoff, let until = backoff.holdsBack(.timer, at: now) {
      environment.output.note(
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

  private static func json(_ account: Account, _ session: Session, _ now: Date) -> JSONValue {
    var members = AccountJSON.name(account)
    members.merge(AccountJSON.expiryAndScope(session)) { own, _ in own }
    members["identity"] = session.identity.map(JSONValue.string) ?? .null
    members["state"] = .string(session.state(at: now).rawValue)
    members["refreshable"] = .bool(session.isRenewable && !session.isRefused)
    if let expiry = session.tokens.refreshExpiresAt { members["refresh_expires_at"] = .string(expiry.rfc3339) }
    return .object(members)
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

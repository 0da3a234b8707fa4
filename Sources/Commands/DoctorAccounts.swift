internal import Crypto
internal import Flows
internal import FoundationEssentials
internal import OAuth

/// An account of the keyring as `doctor` sees it.
struct StoredAccount: Sendable {
  var account: Account
  /// What is stored of it; nil where that cannot be read.
  var session: Session?
  /// Why it cannot be read.
  var failure: Failure?

  /// Reads all of them; one that cannot be read does not hide the others.
  static func all(in sessions: SessionStore) throws -> [StoredAccount] {
    try sessions.accounts().compactMap { account in
      do {
        return try sessions.load(account).map { StoredAccount(account: account, session: $0) }
      } catch let error as SessionError {
        return StoredAccount(account: account, failure: Failure(error))
      }
    }
  }
}

/// The logins: what a timer would stumble over tonight.
enum DoctorAccounts {
  /// How long before its end a refresh token is spoken of, in seconds.
  static let notice: Double = 3 * 86400

  static let checks = [
    Check("accounts", "logins that were refused, were interrupted, or end within 3 days", needs: "keyring-unlocked") {
      examination in
      let accounts = try await examination.accounts.value
      guard !accounts.isEmpty else { return [.ok("no account is logged in")] }
      let now = examination.machine.time.now
      var findings: [Finding] = []
      for account in accounts {
        findings += [await interrupted(account, now, examination.machine) ?? finding(account, now)].compactMap(\.self)
      }
      return findings.isEmpty ? [.ok("\(accounts.count) logged in, none needs a new login")] : findings
    }
  ]

  /// A refresh that did not come to its end, unless its process still has the account's lock.
  private static func interrupted(_ stored: StoredAccount, _ now: Date, _ machine: Machine) async -> Finding? {
    guard let session = stored.session, !session.isRefused, let pending = session.interruptedRefresh else { return nil }
    let account = stored.account
    do {
      try await machine.takeLock(account.fullName)
    } catch LockError.busy(let holder, _) {
      return .ok("\(account): a refresh is under way\(holder.map { " (pid \($0))" } ?? "")")
    } catch {
      // The lock folder has a check of its own.
    }
    return .warn(
      "\(account): a refresh \(Relative.text(pending.startedAt.timeIntervalSince(now))) had no clear end, and its "
        + "refresh token may be spent",
      remedy: "oauthctl refresh \(account), and if the server refuses, oauthctl login \(account)")
  }

  private static func finding(_ stored: StoredAccount, _ now: Date) -> Finding? {
    let (account, login) = (stored.account, "oauthctl login \(stored.account)")
    guard let session = stored.session else {
      return stored.failure.map { .warn($0.message, remedy: $0.hint ?? login) }
    }
    if session.isRefused, session.refused?.isRevocation == true {
      return .warn("\(account): its logout did not come to its end", remedy: "oauthctl logout \(account)")
    }
    if session.isRefused { return .warn("\(account): the server refused its refresh token", remedy: login) }
    if let backoff = session.backoff, let until = backoff.holdsBack(.timer, at: now) {
      return .warn(
        "\(account): \(backoff.sentence), so timers ask it again \(Relative.text(until.timeIntervalSince(now)))",
        remedy: "oauthctl refresh \(account)")
    }
    if !session.isRenewable {
      guard session.state(at: now) == .expired else { return nil }
      return .warn("\(account): its token has ended and there is no refresh token", remedy: login)
    }
    guard let end = session.tokens.refreshExpiresAt?.timeIntervalSince(now), end < notice else { return nil }
    return .warn("\(account): its refresh token \(end < 0 ? "ended" : "ends") \(Relative.text(end))", remedy: login)
  }
}

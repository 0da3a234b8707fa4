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
      let findings = accounts.compactMap { finding($0, now) }
      return findings.isEmpty ? [.ok("\(accounts.count) logged in, none needs a new login")] : findings
    }
  ]

  private static func finding(_ stored: StoredAccount, _ now: Date) -> Finding? {
    let (account, login) = (stored.account, "oauthctl login \(stored.account)")
    guard let session = stored.session else {
      return stored.failure.map { .warn($0.message, remedy: $0.hint ?? login) }
    }
    if session.isRefused { return .warn("\(account): the server refused its refresh token", remedy: login) }
    if let pending = session.interruptedRefresh(at: now) {
      return .warn(
        "\(account): a refresh \(Relative.text(pending.startedAt.timeIntervalSince(now))) had no clear end, and its "
          + "refresh token may be spent",
        remedy: "oauthctl refresh \(account), and if the server refuses, \(login)")
    }
    if session.tokens.refreshToken == nil {
      guard session.state(at: now) == .expired else { return nil }
      return .warn("\(account): its token has ended and there is no refresh token", remedy: login)
    }
    guard let end = session.tokens.refreshExpiresAt?.timeIntervalSince(now), end < notice else { return nil }
    return .warn("\(account): its refresh token \(end < 0 ? "ended" : "ends") \(Relative.text(end))", remedy: login)
  }
}

/// What this machine has that could refresh logins by the clock.
public struct TimerSupport: Sendable, Equatable {
  /// Whether systemd runs an instance for this user.
  public var hasUserManager: Bool
  /// Whether that instance runs without a login session, too.
  public var lingers: Bool
  /// Whether a cron daemon runs.
  public var hasCron: Bool

  /// Makes one.
  public init(hasUserManager: Bool, lingers: Bool, hasCron: Bool) {
    self.hasUserManager = hasUserManager
    self.lingers = lingers
    self.hasCron = hasCron
  }

  /// Looks for the traces that they leave in the file system; nothing is started or asked.
  ///
  /// - Parameter root: what stands before every path: empty but in tests.
  public static func find(environment: [String: String], root: String = "") -> TimerSupport {
    let usual = "/run/user/\(CurrentUser.id)"
    let runtime = environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? usual
    return TimerSupport(
      hasUserManager: [runtime, usual].contains { WholeFile.exists(root + $0 + "/systemd/private") },
      lingers: WholeFile.exists(root + "/var/lib/systemd/linger/" + CurrentUser.name()),
      hasCron: ["crond.pid", "cron.pid"].contains { WholeFile.exists(root + "/run/" + $0) })
  }
}

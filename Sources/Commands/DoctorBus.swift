internal import Flows
internal import Host

/// What is wrong with the way to the session bus.
enum DoctorBus {
  static func finding(_ error: StoreError, _ machine: Machine) -> Finding {
    let address = address(machine)
    return switch error {
    case .timedOut(let seconds):
      .fail(
        .keyringUnavailable, "the bus at \(address) did not answer within \(seconds) s",
        remedy: "its program hangs or was stopped: look for it with 'pgrep -a dbus', and log in anew where it stays so")
    case .noBus(let detail) where isForeign(detail):
      .fail(
        .keyringUnavailable, "the bus at \(address) does not let this user in (\(detail))",
        remedy: "su or sudo may have kept another user's DBUS_SESSION_BUS_ADDRESS: unset it, or log in as "
          + machine.userName(machine.user))
    case .noBus(let detail):
      .fail(
        .keyringUnavailable, "there is no session bus (\(detail))",
        remedy: "log in as this user, not by su or sudo; set DBUS_SESSION_BUS_ADDRESS to that session's bus; "
          + "or start one: dbus-run-session -- bash")
    default: .fail(error)
    }
  }

  /// Whether a bus is there, and lets somebody else alone in: its folder is closed, or it hung up on who this is.
  ///
  /// These are the system's and GIO's words, never translated: the program sets no locale.
  private static func isForeign(_ detail: String) -> Bool {
    ["ermission denied", "not permitted", "authentication mechanisms", "connection is closed"].contains {
      detail.contains($0)
    }
  }

  /// Where the bus was looked for.
  private static func address(_ machine: Machine) -> String {
    if let given = machine.variables["DBUS_SESSION_BUS_ADDRESS"], !given.isEmpty, !given.contains("autolaunch:") {
      return given
    }
    let runtime = machine.variables["XDG_RUNTIME_DIR"] ?? ""
    return "\(runtime.isEmpty ? "/run/user/\(machine.user)" : runtime)/bus"
  }
}

internal import Host

/// The process itself, and what could run it by the clock.
enum DoctorSystem {
  static let checks = [
    Check("timer", "whether a timer could refresh logins, also while nobody is logged in here", look: timer),
    Check("process", "whether its memory is closed to other programs", look: process),
  ]

  private static func timer(_ machine: Machine) -> [Finding] {
    let support = machine.timers()
    guard support.hasUserManager || support.hasCron else {
      return [
        .warn(
          "neither systemd for this user nor cron runs here, so nothing refreshes logins by itself",
          remedy:
            "apt-get install cron, or log in through systemd (loginctl enable-linger \(machine.userName(machine.user)))"
        )
      ]
    }
    if support.lingers { return [.ok("systemd runs this user's timers, also while nobody is logged in here")] }
    let remedy = "loginctl enable-linger \(machine.userName(machine.user))"
    guard support.hasUserManager else {
      return [.warn("cron runs here, but finds a session bus only while you are logged in", remedy: remedy)]
    }
    return [.warn("systemd runs this user's timers, but only while you are logged in", remedy: remedy)]
  }

  private static func process(_ machine: Machine) -> [Finding] {
    let gaps = machine.gaps()
    guard !gaps.isEmpty else {
      return [.ok("its memory is closed to other programs of yours, and leaves no core file")]
    }
    return [
      .warn(
        "the process is not as closed as it should be: \(gaps.joined(separator: "; "))",
        remedy: "see whether a sandbox or container forbids prctl and setrlimit")
    ]
  }
}

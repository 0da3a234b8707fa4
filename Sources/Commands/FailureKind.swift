/// The kinds of failure that a script can tell apart, each with its exit code (sysexits where there is one).
enum FailureKind: String, Sendable, CaseIterable {
  case usage
  case keyringLocked = "keyring-locked"
  case keyringUnavailable = "keyring-unavailable"
  case browserUnavailable = "browser-unavailable"
  case portInUse = "port-in-use"
  case bug = "internal"
  case temporary
  case protocolViolation = "protocol"
  case loginRequired = "login-required"
  case configuration
  case interrupted

  var exitCode: Int32 {
    switch self {
    case .usage: 64
    case .keyringLocked, .keyringUnavailable, .browserUnavailable, .portInUse: 69
    case .bug: 70
    case .temporary: 75
    case .protocolViolation: 76
    case .loginRequired: 77
    case .configuration: 78
    case .interrupted: 130
    }
  }
}

internal import CLibsecret
internal import Flows

/// What went wrong in a call, copied out of GLib's memory.
struct ServiceError: Error {
  enum Reason {
    case noBus, noService, noCollection, noObject, locked, itemLocked, otherLocked, dismissed, nobodyAnswered, timedOut,
      denied,
      other
  }

  let reason: Reason
  let text: String

  /// Runs a GLib call that reports through a `GError`, and frees that.
  ///
  /// While connecting, whatever goes wrong with input and output is the bus's; later it is only the connection's end.
  static func check<Value>(
    whileConnecting connecting: Bool = false,
    _ call: (UnsafeMutablePointer<UnsafeMutablePointer<GError>?>) -> Value
  ) throws(ServiceError) -> Value {
    var error: UnsafeMutablePointer<GError>?
    let value = call(&error)
    guard let error else { return value }
    defer { g_error_free(error) }
    throw ServiceError(error, connecting)
  }

  init(_ reason: Reason, _ text: String = "") {
    self.reason = reason
    self.text = text
  }

  private init(_ error: UnsafeMutablePointer<GError>, _ connecting: Bool) {
    let reason = Self.reason(domain: error.pointee.domain, code: error.pointee.code, connecting)
    self.reason = reason == .other && Self.isDenial(error) ? .denied : reason
    g_dbus_error_strip_remote_error(error)
    text = error.pointee.message.map { oneLine(String(cString: $0)) } ?? ""
  }

  private static func reason(domain: GQuark, code: Int32, _ connecting: Bool) -> Reason {
    switch domain {
    case g_io_error_quark(): ioReason(code, connecting)
    case g_dbus_error_quark(): busReason(code)
    case secret_error_get_quark(): secretReason(code)
    default: .other
    }
  }

  /// Whether gnome-keyring says that the password is not the one.
  private static func isDenial(_ error: UnsafeMutablePointer<GError>) -> Bool {
    guard let name = g_dbus_error_get_remote_error(error) else { return false }
    defer { g_free(name) }
    return String(cString: name) == "org.gnome.keyring.Error.Denied"
  }

  /// Whether no service is there that could be asked for something else.
  var meansNobodyIsThere: Bool {
    switch reason {
    case .noBus, .noService, .timedOut: true
    case .noCollection, .noObject, .locked, .itemLocked, .otherLocked, .dismissed, .nobodyAnswered, .denied, .other:
      false
    }
  }

  private static func ioReason(_ code: Int32, _ connecting: Bool) -> Reason {
    switch GIOErrorEnum(rawValue: UInt32(bitPattern: code)) {
    case G_IO_ERROR_CANCELLED, G_IO_ERROR_TIMED_OUT: .timedOut
    case G_IO_ERROR_CLOSED, G_IO_ERROR_BROKEN_PIPE: .noBus
    default: connecting ? .noBus : .other
    }
  }

  private static func busReason(_ code: Int32) -> Reason {
    switch GDBusError(rawValue: UInt32(bitPattern: code)) {
    case G_DBUS_ERROR_SERVICE_UNKNOWN, G_DBUS_ERROR_NAME_HAS_NO_OWNER, G_DBUS_ERROR_NO_REPLY,
      G_DBUS_ERROR_SPAWN_EXEC_FAILED, G_DBUS_ERROR_SPAWN_FORK_FAILED, G_DBUS_ERROR_SPAWN_CHILD_EXITED,
      G_DBUS_ERROR_SPAWN_CHILD_SIGNALED, G_DBUS_ERROR_SPAWN_FAILED, G_DBUS_ERROR_SPAWN_SETUP_FAILED,
      G_DBUS_ERROR_SPAWN_SERVICE_NOT_FOUND, G_DBUS_ERROR_SPAWN_FILE_INVALID:
      .noService
    // gnome-keyring answers for an object that is not there as if the method were missing.
    case G_DBUS_ERROR_UNKNOWN_OBJECT, G_DBUS_ERROR_UNKNOWN_METHOD, G_DBUS_ERROR_UNKNOWN_INTERFACE: .noObject
    case G_DBUS_ERROR_TIMEOUT, G_DBUS_ERROR_TIMED_OUT: .timedOut
    case G_DBUS_ERROR_NO_SERVER, G_DBUS_ERROR_DISCONNECTED, G_DBUS_ERROR_AUTH_FAILED, G_DBUS_ERROR_BAD_ADDRESS: .noBus
    default: .other
    }
  }

  private static func secretReason(_ code: Int32) -> Reason {
    switch SecretError(rawValue: UInt32(bitPattern: code)) {
    case SECRET_ERROR_IS_LOCKED: .locked
    case SECRET_ERROR_NO_SUCH_OBJECT: .noObject
    default: .other
    }
  }

  /// The same for the store's callers.
  func forStore(_ patience: Patience) -> StoreError {
    switch reason {
    case .noBus: .noBus(detail: text)
    case .noService: .noService(detail: text)
    case .noCollection: .noCollection
    case .locked: .locked
    case .itemLocked: .itemLocked
    case .otherLocked: .otherKeyringLocked(label: text)
    case .dismissed: .unlockDismissed
    case .nobodyAnswered: .timedOut(seconds: patience.promptLimit)
    case .timedOut: .timedOut(seconds: patience.limit)
    case .noObject, .denied, .other: .failed(detail: text)
    }
  }
}

/// Keeps a message of someone else's on one line and free of control characters, and bounds its length.
func oneLine(_ text: String) -> String {
  let scalars = text.unicodeScalars.map { scalar -> Unicode.Scalar in
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: " "
    default: scalar
    }
  }
  var line = String(String.UnicodeScalarView(scalars))
  while line.hasSuffix(" ") { line.removeLast() }
  return line.count > 300 ? line.prefix(300) + "…" : line
}

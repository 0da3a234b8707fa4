internal import CLibsecret
internal import Glibc

/// Finds the session bus without starting one.
enum SessionBus {
  /// Where systemd and its like put the bus of this process's user.
  static var userFolder: String { "/run/user/\(geteuid())" }

  private static let variable = "DBUS_SESSION_BUS_ADDRESS"

  /// Runs the body, which connects, with the bus's address in the environment.
  ///
  /// GIO would look for an address too, but start `dbus-launch` where it finds none: it waits, and leaves a bus behind
  /// that nobody uses. cron starts programs without any variable, so the user's bus is looked for in its usual place;
  /// that address is for this process alone, and taken back before a child could inherit it.
  static func withAddress<Value>(
    userFolder: String, _ connect: () throws(ServiceError) -> Value
  ) throws(ServiceError) -> Value {
    // strstr: Swift's search in a text costs a command's start a millisecond and a megabyte.
    if let address = getenv(variable), address.pointee != 0, strstr(address, "autolaunch:") == nil {
      return try connect()
    }
    guard let path = socketPath(userFolder), let escaped = g_dbus_address_escape_value(path) else {
      throw ServiceError(.noBus, "no session bus was found")
    }
    let former = environment(variable)
    setenv(variable, "unix:path=" + String(cString: escaped), 1)
    g_free(escaped)
    defer {
      if let former { setenv(variable, former, 1) } else { unsetenv(variable) }
    }
    return try connect()
  }

  private static func socketPath(_ userFolder: String) -> String? {
    let paths = [environment("XDG_RUNTIME_DIR"), userFolder].compactMap { folder in folder.map { $0 + "/bus" } }
    return paths.first(where: isOwnSocket)
  }

  private static func isOwnSocket(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK && status.st_uid == geteuid()
  }

  private static func environment(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }
}

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
  ///
  /// libsecret takes no address and no connection: it fixes its own as the session bus's.
  static func withAddress<Value>(
    userFolder: String, _ connect: () throws(ServiceError) -> Value
  ) throws(ServiceError) -> Value {
    if givenAddress != nil { return try connect() }
    let found = try search(userFolder)
    let former = environment(variable)
    setenv(variable, found.address, 1)
    defer {
      if let former { setenv(variable, former, 1) } else { unsetenv(variable) }
    }
    return try connect()
  }

  /// Gives the bus's address and where it comes from.
  static func find(userFolder: String) throws(ServiceError) -> KeyringReport.Bus {
    if let address = givenAddress { return KeyringReport.Bus(source: .variable, address: String(cString: address)) }
    return try search(userFolder)
  }

  /// What the variable says; nil where it says nothing that is to be used.
  private static var givenAddress: UnsafeMutablePointer<CChar>? {
    // strstr: Swift's search in a text costs a command's start a millisecond and a megabyte.
    guard let address = getenv(variable), address.pointee != 0, strstr(address, "autolaunch:") == nil else {
      return nil
    }
    return address
  }

  private static func search(_ userFolder: String) throws(ServiceError) -> KeyringReport.Bus {
    if let folder = environment("XDG_RUNTIME_DIR"), let address = address(in: folder) {
      return KeyringReport.Bus(source: .runtimeFolder, address: address)
    }
    guard let address = address(in: userFolder) else { throw ServiceError(.noBus, "no session bus was found") }
    return KeyringReport.Bus(source: .userFolder, address: address)
  }

  private static func address(in folder: String) -> String? {
    let path = folder + "/bus"
    guard isOwnSocket(path), let escaped = g_dbus_address_escape_value(path) else { return nil }
    defer { g_free(escaped) }
    return "unix:path=" + String(cString: escaped)
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

internal import CLibsecret
internal import Glibc

/// The connection to the secret service, made when it is first needed and shared by all threads.
final class Link: Sendable {
  private let userFolder: String
  private let opening = TimedLock()
  // Read and written under the lock.
  nonisolated(unsafe) private var open: Connection?
  nonisolated(unsafe) private var hasForgotten = false

  /// Held by an operation that writes and reads back, so that two threads do not read each other's value.
  let saving = TimedLock()

  init(userFolder: String) {
    self.userFolder = userFolder
  }

  /// Gives the connection, making it if there is none, and whether it was made just now.
  func connection(within limit: TimeLimit) throws(ServiceError) -> (connection: Connection, isNew: Bool) {
    let found = try opening.with(within: limit) { () throws(ServiceError) -> (Connection, Bool) in
      if let open { return (open, false) }
      if hasForgotten { Connection.letGo() }
      let made = try Connection(userFolder: userFolder, within: limit)
      limit.restart()
      open = made
      return (made, true)
    }
    guard let found else { throw ServiceError(.timedOut) }
    return found
  }

  /// Drops a connection that failed, so that the next call starts afresh.
  func forget(_ connection: Connection, within limit: TimeLimit) {
    _ = opening.with(within: limit) {
      if open === connection { (open, hasForgotten) = (nil, true) }
    }
  }
}

/// A connection to the bus with an encrypted session at the service; owns libsecret's object for it.
final class Connection {
  let service: UnsafeMutablePointer<SecretService>
  let bus: OpaquePointer
  let session: String

  init(userFolder: String, within limit: TimeLimit) throws(ServiceError) {
    Silence.kept
    let made = try SessionBus.withAddress(userFolder: userFolder) { () throws(ServiceError) in
      // Not secret_service_get_sync: that keeps one for the process, of which nobody is the owner.
      try ServiceError.check(whileConnecting: true) { error in
        secret_service_open_sync(
          secret_service_get_type(), nil, SECRET_SERVICE_OPEN_SESSION, limit.cancellable, error)
      }
    }
    guard let made else { throw ServiceError(.other, "no connection, and no reason given") }
    service = made
    guard let bus = g_dbus_proxy_get_connection(oauthctl_service_as_proxy(made)),
      let path = secret_service_get_session_dbus_path(made)
    else {
      g_object_unref(made)
      throw ServiceError(.other, "the secret service opened no session")
    }
    self.bus = bus
    session = String(cString: path)
    // GIO ends the process when the session bus goes away; a command has its own say on that.
    g_dbus_connection_set_exit_on_close(bus, 0)
  }

  deinit {
    g_object_unref(service)
  }

  /// Has GIO drop what it still holds of connections that were closed.
  ///
  /// It would tell of the end in a main loop, keeps the connection until then, and gives the same dead one to whoever asks
  /// for the bus again; no command runs a main loop.
  fileprivate static func letGo() {
    while g_main_context_iteration(nil, 0) != 0 {}
  }

  /// The unique name of the program that is the service.
  var owner: String? {
    guard let name = g_dbus_proxy_get_name_owner(oauthctl_service_as_proxy(service)) else { return nil }
    defer { g_free(name) }
    return String(cString: name)
  }
}

/// The process's connection to the bus alone, with nothing opened at any service; owns one reference.
final class BusConnection {
  private let pointer: OpaquePointer

  init(userFolder: String, within limit: TimeLimit) throws(ServiceError) {
    Silence.kept
    let made = try SessionBus.withAddress(userFolder: userFolder) { () throws(ServiceError) in
      try ServiceError.check(whileConnecting: true) { error in
        g_bus_get_sync(G_BUS_TYPE_SESSION, limit.cancellable, error)
      }
    }
    guard let made else { throw ServiceError(.other, "no connection, and no reason given") }
    pointer = made
    g_dbus_connection_set_exit_on_close(made, 0)
  }

  deinit {
    g_object_unref(UnsafeMutableRawPointer(pointer))
  }

  /// Whether a program has the name; none is started for it.
  func hasOwner(_ name: String, within limit: TimeLimit) throws(ServiceError) -> Bool {
    let reply = try Method.bus("NameHasOwner").call(
      pointer, at: Method.busPath, on: Method.busName, [.string(name)], reply: "(b)", within: limit)
    return reply[0]?.bool == true
  }
}

/// Keeps GLib's own remarks from standard error, which is the command's; errors come back as errors.
private enum Silence {
  static let kept: Void = {
    // Whoever debugs GLib sets its variables and sees all, but on standard error: standard output is the answer's.
    g_set_print_handler { text in
      guard let text else { return }
      Silence.say(text)
    }
    // Once in a process: a second call would end it.
    g_log_set_writer_func(
      { level, fields, count, _ in
        // GLib would end the process by a signal now, without a word: it could make no thread, or got no memory.
        if level.rawValue & G_LOG_LEVEL_ERROR.rawValue != 0 { Silence.endForWantOfMeans() }
        guard g_getenv("G_MESSAGES_DEBUG") != nil, let text = g_log_writer_format_fields(level, fields, count, 0) else {
          return G_LOG_WRITER_HANDLED
        }
        Silence.say(text)
        Silence.say("\n")
        g_free(text)
        return G_LOG_WRITER_HANDLED
      }, nil, nil)
  }()

  private static func say(_ text: UnsafePointer<CChar>) {
    _ = write(STDERR_FILENO, text, strlen(text))
  }

  private static func endForWantOfMeans() -> Never {
    let message: StaticString = "oauthctl: error: the system gives the keyring's library no more threads or memory\n"
    _ = write(STDERR_FILENO, message.utf8Start, message.utf8CodeUnitCount)
    _exit(75)
  }
}

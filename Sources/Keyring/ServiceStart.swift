internal import CLibsecret
public import Flows
internal import Glibc

extension Keyring {
  private static let daemon = "gnome-keyring-daemon"

  /// Starts gnome-keyring's daemon on the session bus, locked, and waits until it answers; it goes on after this process.
  ///
  /// It gets no password: that would have to pass through a pipe that nothing but the daemon's own reading bounds.
  public func startService() throws(UnlockError) {
    do throws(ServiceError) {
      guard let program = g_find_program_in_path(Self.daemon) else { throw ServiceError(.noObject) }
      defer { g_free(program) }
      let limit = TimeLimit(seconds: patience.limit)
      let bus = try SessionBus.find(userFolder: userFolder)
      try run(String(cString: program), ["--daemonize", "--components=secrets"], bus: bus.address, within: limit)
      let connection = try BusConnection(userFolder: userFolder, within: limit)
      while try !connection.hasOwner(Conversation.name, within: limit) { g_usleep(10_000) }
    } catch  where error.reason == .noObject {
      throw .noDaemon
    } catch {
      throw .store(error.forStore(patience))
    }
  }

  /// Runs a program that puts itself into the background, without the secrets in our environment.
  private func run(
    _ program: String, _ arguments: [String], bus address: String, within limit: TimeLimit
  ) throws(ServiceError) {
    let flags = GSubprocessFlags(
      G_SUBPROCESS_FLAGS_STDOUT_SILENCE.rawValue | G_SUBPROCESS_FLAGS_STDERR_SILENCE.rawValue)
    guard let launcher = g_subprocess_launcher_new(flags) else { return }
    defer { g_object_unref(UnsafeMutableRawPointer(launcher)) }
    let names = g_listenv()
    defer { g_strfreev(names) }
    var next = names
    while let name = next?.pointee {
      if strncmp(name, "OAUTHCTL_", 9) == 0 { g_subprocess_launcher_unsetenv(launcher, name) }
      next = next?.advanced(by: 1)
    }
    g_subprocess_launcher_setenv(launcher, "DBUS_SESSION_BUS_ADDRESS", address, 1)
    let words = ([program] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    let pointers = words.map { word in word.map { UnsafePointer<CChar>($0) } }
    let process = try ServiceError.check { error in g_subprocess_launcher_spawnv(launcher, pointers, error) }
    guard let process else { return }
    defer { g_object_unref(UnsafeMutableRawPointer(process)) }
    _ = try ServiceError.check { error in g_subprocess_wait_check(process, limit.cancellable, error) }
  }
}

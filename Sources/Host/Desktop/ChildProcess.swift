internal import Flows
internal import FoundationEssentials
internal import Glibc

/// Starts programs that go on without this one.
enum ChildProcess {
  /// In glibc's spawn.h, behind a feature macro that Swift's import does not set.
  private static let setsidFlag: Int16 = 0x80

  /// Starts a program in a session of its own: no terminal, no input, no output, no signal of ours; its end is noted by
  /// a thread that waits for it, so that no zombie stays.
  ///
  /// - Returns: 0, or the number of the error for which the program could not be started.
  static func startDetached(_ path: String, _ arguments: [String], environment: [String: String]) -> Int32 {
    var process: pid_t = 0
    let code = spawn(path, arguments, environment: environment, output: nil, process: &process)
    guard code == 0 else { return code }
    _ = WorkerThread.start { [process] in
      while waitpid(process, nil, 0) < 0, errno == EINTR {}
    }
    return 0
  }

  /// Runs a small program and gives the first 4 KiB of what it printed; nil where it failed or took too long.
  static func output(
    of path: String, _ arguments: [String], environment: [String: String], timeLimit: Int64
  ) -> String? {
    guard let (reader, writer) = FileDescriptor.socketPair() else { return nil }
    var process: pid_t = 0
    let code = writer.withNumber { number in
      spawn(path, arguments, environment: environment, output: number, process: &process)
    }
    writer.closeNow()
    guard code == 0 else { return nil }
    let deadline = Uptime.milliseconds + timeLimit
    let printed = reader.withNumber { read($0, limit: 4096, deadline: deadline) }
    return reap(process, deadline: deadline) ? String(decoding: printed, as: UTF8.self) : nil
  }

  private static func read(_ descriptor: CInt, limit: Int, deadline: Int64) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: limit)
    while bytes.count < limit {
      var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let left = deadline - Uptime.milliseconds
      guard left > 0, poll(&polled, 1, Int32(clamping: left)) > 0 else { break }
      let count = Glibc.read(descriptor, &chunk, limit - bytes.count)
      guard count > 0 else { break }
      bytes.append(contentsOf: chunk[..<count])
    }
    return bytes
  }

  /// Waits for the end; true where it was a good one, and in time.
  private static func reap(_ process: pid_t, deadline: Int64) -> Bool {
    var status: Int32 = 0
    while waitpid(process, &status, WNOHANG) == 0 {
      guard Uptime.milliseconds < deadline else {
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
        return false
      }
      usleep(2000)
    }
    return status == 0
  }

  /// Starts a program in a session of its own, without input; standard output and error go to `output` and, with
  /// `keepsErrors`, where ours go, else nowhere.
  ///
  /// - Returns: 0, or the number of the error for which the program could not be started.
  static func spawn(
    _ path: String, _ arguments: [String], environment: [String: String], output: Int32?, keepsErrors: Bool = false,
    process: inout pid_t
  ) -> Int32 {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    if let output {
      posix_spawn_file_actions_adddup2(&actions, output, 1)
    } else {
      posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    }
    if !keepsErrors { posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) }
    // What a library opened without close-on-exec, a browser that runs for days must not keep open.
    for number in 3...max(63, highestDescriptor()) { posix_spawn_file_actions_addclose(&actions, number) }

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    var handled = sigset_t()
    sigemptyset(&none)
    sigemptyset(&handled)
    for signal in [
      SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGALRM, SIGTERM, SIGCHLD, SIGTSTP, SIGTTIN, SIGTTOU, SIGUSR1, SIGUSR2,
    ] {
      sigaddset(&handled, signal)
    }
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &handled)
    let flags = Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF) | setsidFlag
    posix_spawnattr_setflags(&attributes, flags)

    let argv = CStrings([path] + arguments)
    let envp = CStrings(environment.map { "\($0.key)=\($0.value)" })
    return posix_spawn(&process, path, &actions, &attributes, argv.pointers, envp.pointers)
  }

  private static func highestDescriptor() -> Int32 {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return names.compactMap { Int32($0) }.max() ?? 255
  }

  /// Copies of strings for the time of a call, as C wants a list of them.
  private struct CStrings: ~Copyable {
    let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private let count: Int

    init(_ strings: [String]) {
      count = strings.count
      pointers = .allocate(capacity: count + 1)
      for (index, string) in strings.enumerated() { (pointers + index).initialize(to: strdup(string)) }
      (pointers + count).initialize(to: nil)
    }

    deinit {
      for index in 0..<count { free(pointers[index]) }
      pointers.deallocate()
    }
  }
}

/// Finds programs.
enum ProgramSearch {
  /// Gives the path of a program: itself where it has a slash, else the first in the folders of `PATH`; nil where no
  /// such file can be run.
  static func find(_ name: String, path: String?) -> String? {
    let candidates =
      name.contains("/")
      ? [name] : (path ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":").map { "\($0)/\(name)" }
    return candidates.first { candidate in
      var information = stat()
      return stat(candidate, &information) == 0 && information.st_mode & S_IFMT == S_IFREG
        && access(candidate, X_OK) == 0
    }
  }
}

internal import CSystem
internal import Glibc

/// What the process does for its own safety before anything else.
public enum ProcessHardening {
  /// Applies it; nothing of it can fail in a way that a person could help.
  ///
  /// - No core file and no debugger of the same user sees the memory, which holds tokens.
  /// - Writing to a closed pipe is an error to handle, not the end by a signal.
  /// - Standard input, output and error are open, so that no file that is opened later is taken for one of them.
  /// - Where addresses are limited (`ulimit -v`), the stack is there beforehand, and all threads share one heap.
  public static func apply() {
    _ = oauthctl_forbid_dumps()
    // The soft limit alone: what this program starts, a browser above all, may set its own.
    var limit = rlimit()
    if getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) == 0 {
      limit.rlim_cur = 0
      _ = setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    }
    if getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0, limit.rlim_cur != rlim_t.max {
      oauthctl_reserve_stack()
      oauthctl_share_heap()
    }
    _ = signal(SIGPIPE, SIG_IGN)
    openStandardDescriptors()
  }

  /// What of it does not hold, in words; empty where all does.
  public static var gaps: [String] {
    var limit = rlimit()
    let isKnown = getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) == 0
    return [
      oauthctl_allows_dumps() == 0 ? nil : "its memory can be read by other programs of yours",
      isKnown && limit.rlim_cur == 0 ? nil : "it may leave a core file",
    ].compactMap(\.self)
  }

  /// Has memory overwritten from here on when it is given back, whoever used it: strings, buffers, libraries.
  ///
  /// It costs time, so only what talks to a server does it. Small pieces that the C library keeps at hand for the next
  /// use escape; ``environmentOverwritingFreedMemory(_:)`` gets those, too.
  public static func overwriteFreedMemory() { oauthctl_overwrite_freed_memory() }

  /// Gives an environment in which a program that is started has all memory overwritten when it is given back.
  ///
  /// The C library reads it once, at the start (glibc, "Memory Allocation Tunables").
  public static func environmentOverwritingFreedMemory(_ environment: [String: String]) -> [String: String] {
    let own = "glibc.malloc.tcache_count=0:glibc.malloc.perturb=255"
    let others = environment["GLIBC_TUNABLES"].flatMap { $0.isEmpty ? nil : $0 + ":" } ?? ""
    return environment.merging(["GLIBC_TUNABLES": others + own]) { _, new in new }
  }

  /// Whether this process may open so many files more; none stays open.
  ///
  /// Dispatch and libgcrypt end the process by a signal where they cannot open theirs.
  public static func canOpen(_ count: Int) -> Bool {
    var opened: [FileDescriptor] = []
    for _ in 0..<count {
      guard let file = FileDescriptor.open("/dev/null", O_RDONLY) else { return false }
      opened.append(file)
    }
    return withExtendedLifetime(opened) { true }
  }

  /// Whether the limit on open files is so low that nothing can be done with it.
  public static var isHardlyAllowedToOpenFiles: Bool {
    var limit = rlimit()
    return getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 && limit.rlim_cur < 16
  }

  private static func openStandardDescriptors() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
      // The lowest free number is given: this one, since those below it are open. Opened the wrong way round, so that
      // reading and writing fail as they would have: an answer that nobody can get must not pass for given.
      let opened = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
      if opened != descriptor && opened >= 0 { _ = close(opened) }
    }
  }
}

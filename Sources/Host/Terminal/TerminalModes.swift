internal import Glibc
internal import Synchronization

/// The modes of the terminal that is being asked on, and the way back to what they were.
enum TerminalModes {
  /// The terminal whose modes are changed; -1 while none is, and atomic so that a signal handler can read it.
  private static let changed = Atomic<Int32>(-1)
  // Written before `changed` is set and read after, by one asking thread at a time or by a signal handler that
  // interrupts it.
  nonisolated(unsafe) private static let original = UnsafeMutablePointer<termios>.allocate(capacity: 1)

  /// Makes the globals now: their first use must not be in a signal handler.
  static func prepare() {
    _ = changed.load(ordering: .relaxed)
    _ = original
    atexitOnce
  }

  private static let atexitOnce: Void = { atexit { TerminalModes.restore() } }()

  /// Lets every byte through at once and unechoed; ^C and ^\ stay signals.
  ///
  /// False where it is no terminal. What was typed before is kept.
  static func enter(_ terminal: Int32) -> Bool {
    var modes = termios()
    guard tcgetattr(terminal, &modes) == 0 else { return false }
    original.pointee = modes
    FatalSignals.restoreModesFirst()
    changed.store(terminal, ordering: .sequentiallyConsistent)
    if apply(terminal) { return true }
    changed.store(-1, ordering: .sequentiallyConsistent)
    return false
  }

  /// Sets the modes again, after somebody else set others: a shell, while this program was stopped.
  @discardableResult
  static func apply(_ terminal: Int32) -> Bool {
    var modes = original.pointee
    modes.c_lflag &= ~tcflag_t(ICANON | ECHO | ECHONL | IEXTEN)
    modes.c_lflag |= tcflag_t(ISIG)
    modes.c_iflag &= ~tcflag_t(IXON)
    withUnsafeMutableBytes(of: &modes.c_cc) { keys in
      // A read gives what is there and never waits: `poll` does the waiting.
      keys[Int(VMIN)] = 0
      keys[Int(VTIME)] = 0
      // ^Z comes as a byte, so that the modes can be given back before the program stops. 0 is "no key".
      keys[Int(VSUSP)] = 0
    }
    return tcsetattr(terminal, TCSANOW, &modes) == 0
  }

  /// Whether the modes are those of ``apply(_:)``; another program may have set its own.
  static func areApplied(_ terminal: Int32) -> Bool {
    var modes = termios()
    guard tcgetattr(terminal, &modes) == 0 else { return true }
    return modes.c_lflag & tcflag_t(ICANON | ECHO) == 0
  }

  /// Gives the terminal back its modes.
  ///
  /// Async-signal-safe: atomics, a pointer and system calls.
  static func restore() {
    let terminal = changed.exchange(-1, ordering: .sequentiallyConsistent)
    // In the background the terminal is another program's, which set its own modes.
    if terminal >= 0, isForeground(terminal) != false { tcsetattr(terminal, TCSANOW, original) }
  }

  /// Whether the terminal is this program's to use now; nil where it is not the one that controls it.
  static func isForeground(_ terminal: Int32) -> Bool? {
    let group = tcgetpgrp(terminal)
    return group < 0 ? nil : group == getpgrp()
  }
}

internal import Glibc

/// Gives the terminal back its modes before a signal ends the process: without echo the shell after it would seem dead.
///
/// ^\\ and a crash end it at once; the signals by which it is asked to end are `SignalWatch`'s.
enum FatalSignals {
  private static let numbers = [
    SIGQUIT, SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS, SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU,
  ]

  /// Sets the handlers, once, where nobody else has set or ignored the signal: a parent, a sanitizer.
  static func restoreModesFirst() { _ = installed }

  private static let installed: Void = {
    for number in numbers {
      var action = sigaction()
      guard sigaction(number, nil, &action) == 0, isDefault(action) else { continue }
      action.__sigaction_handler.sa_handler = { number in
        TerminalModes.restore()
        // By now the default action again (SA_RESETHAND); it comes when the handler returns.
        _ = raise(number)
      }
      action.sa_flags = CInt(bitPattern: UInt32(SA_RESETHAND))
      sigemptyset(&action.sa_mask)
      sigaction(number, &action, nil)
    }
  }()

  private static func isDefault(_ action: sigaction) -> Bool {
    // Functions cannot be compared; SIG_DFL is the address 0, and an optional function of that address is nil.
    action.__sigaction_handler.sa_handler == nil
  }
}

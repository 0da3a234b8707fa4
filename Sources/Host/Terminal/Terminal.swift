public import Crypto
public import Flows
internal import Glibc
internal import Synchronization

/// The terminal that the program runs in: notes, a status line, and questions.
public final class Terminal: UserTerminal {
  /// Whether someone can be asked: input and output are a terminal.
  public let isInteractive: Bool
  private let input: Int32
  private let isQuiet: Bool
  private let screen: TerminalScreen
  private let isAsking = Atomic(false)

  /// Makes a terminal of two descriptors, which stay the caller's.
  ///
  /// - Parameters:
  ///   - input: Where answers are read.
  ///   - output: Where notes and prompts go.
  ///   - isQuiet: Whether notes and status are left out; questions are not.
  ///   - environment: For `TERM`, `NO_COLOR` and the locale.
  public init(input: Int32 = 0, output: Int32 = 2, isQuiet: Bool = false, environment: [String: String]) {
    self.input = input
    self.isQuiet = isQuiet
    let isTerminal = isatty(output) == 1
    isInteractive = isTerminal && isatty(input) == 1
    screen = TerminalScreen(output: output, isTerminal: isTerminal, environment: environment)
    TerminalModes.prepare()
  }

  /// Whether standard input and standard error are a terminal, and there is a display for a question to appear on.
  public static var isSomeoneBeforeADisplay: Bool {
    isatty(0) == 1 && isatty(2) == 1
      && ["DISPLAY", "WAYLAND_DISPLAY"].contains { (name: String) in getenv(name).map { $0.pointee != 0 } ?? false }
  }

  /// Gives a terminal that is being asked on back its modes; safe in a signal handler, harmless at any time.
  public static func restoreModes() {
    TerminalModes.restore()
  }

  /// Writes `oauthctl: …` on a line of its own.
  public func note(_ message: String) {
    if !isQuiet { screen.note("oauthctl: \(message)") }
  }

  /// Writes `oauthctl: …` on a line of its own, also where the terminal is to be quiet.
  public func show(_ line: String) {
    screen.note("oauthctl: \(line)")
  }

  /// Writes `oauthctl: …` like ``show(_:)``, the last part bold on a terminal.
  public func show(_ line: String, _ emphasized: String) {
    screen.note("oauthctl: \(line)", emphasized)
  }

  /// Shows the URL as a QR code on lines of its own, below each other.
  ///
  /// Nothing is shown where the output is no terminal, or one without half blocks or too small for the code; or where
  /// libqrencode is not installed.
  public func showCode(of url: String) {
    if !isQuiet { screen.code(of: url) }
  }

  /// Shows what is being waited for, beside a spinner on the last line; nil erases it.
  ///
  /// Nothing is shown where the output is no terminal, or one that cannot erase.
  public func status(_ text: String?) {
    if !isQuiet { screen.status(text) }
  }

  /// Asks for a line, with the prompt as it is given.
  ///
  /// A line may have 64 KiB. What is typed after it is left for the next question, or the next program.
  ///
  /// - Returns: The line without its end; nil at the end of the input, and where nobody can be asked.
  /// - Throws: `CancellationError` where the task is cancelled, with the terminal's modes restored;
  ///   ``TerminalError`` where the process has no thread or descriptor left.
  public func ask(_ prompt: String, echo: Bool) async throws -> Secret? {
    guard isInteractive else { return nil }
    guard let wake = WakeSignal() else { throw TerminalError(reason: "no file descriptor left") }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let started = WorkerThread.start { [self] in
          continuation.resume(with: Result { try takeTurn(wake) { try line(prompt, echo, wake) } })
        }
        if !started { continuation.resume(throwing: TerminalError(reason: "no thread left")) }
      }
    } onCancel: {
      wake.send()
    }
  }

  /// There is one keyboard: a second question waits for the first one's answer.
  private func takeTurn(_ wake: WakeSignal, _ body: () throws -> Secret?) throws -> Secret? {
    while isAsking.exchange(true, ordering: .acquiring) {
      if waitForInput(wake, -1, timeout: 20) == .cancelled { throw CancellationError() }
    }
    defer { isAsking.store(false, ordering: .releasing) }
    return try body()
  }

  private func line(_ prompt: String, _ echo: Bool, _ wake: WakeSignal) throws -> Secret? {
    while true {
      guard try claim(wake) else { return nil }
      screen.begin(prompt: prompt, echo: echo)
      let ending = Result { try typedLine(wake) }
      TerminalModes.restore()
      let answer = screen.end()
      switch try ending.get() {
      case .cancelled: throw CancellationError()
      case .end: return nil
      case .done:
        if let answer { return answer }
        screen.note("oauthctl: that was too long: a line may have \(LineEditor.limit) bytes")
      }
    }
  }

  private enum LineEnding { case done, end, cancelled }

  private func typedLine(_ wake: WakeSignal) throws -> LineEnding {
    while true {
      switch waitForInput(wake, input, timeout: 300) {
      case .cancelled: return .cancelled
      case .nothing: reclaim()
      case .end: return .end
      case .byte(let byte):
        reclaim()
        switch screen.type(byte) {
        case .done: return .done
        case .end: return .end
        case .suspend: if try !suspend(wake) { return .end }
        case .none, .added, .removed, .full: break
        }
      }
    }
  }

  /// Another program may have had the terminal meanwhile, if this one was stopped from outside.
  private func reclaim() {
    guard !TerminalModes.areApplied(input), TerminalModes.isForeground(input) != false else { return }
    TerminalModes.apply(input)
    screen.redraw()
  }

  /// Does what ^Z is for, after giving the modes back: a shell without job control's comforts leaves them as they are.
  private func suspend(_ wake: WakeSignal) throws -> Bool {
    guard TerminalModes.isForeground(input) == true else { return true }
    TerminalModes.restore()
    kill(0, SIGTSTP)
    // The stop may reach another thread first; this one must not set the modes again before it.
    usleep(50_000)
    guard try claim(wake) else { return false }
    screen.redraw()
    return true
  }

  /// Takes over the terminal; a program in the background is stopped until it comes forward, as by the kernel.
  ///
  /// It is not left to the kernel, for the modes to come back to may be read only then: before, they are the shell's.
  /// False where it cannot be taken over.
  private func claim(_ wake: WakeSignal) throws -> Bool {
    // Nothing stops a group whose shell is gone.
    for _ in 0..<20 where TerminalModes.isForeground(input) == false {
      kill(0, SIGTTOU)
      if waitForInput(wake, -1, timeout: 50) == .cancelled { throw CancellationError() }
    }
    return TerminalModes.isForeground(input) != false && TerminalModes.enter(input)
  }

  private enum Input: Equatable { case byte(UInt8), nothing, end, cancelled }

  /// Waits for one byte: what follows a line is not this question's, so it is left where it is.
  private func waitForInput(_ wake: WakeSignal, _ descriptor: Int32, timeout: Int32) -> Input {
    var polled = [
      pollfd(fd: wake.number, events: Int16(POLLIN), revents: 0),
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
    ]
    guard poll(&polled, 2, timeout) > 0 else { return .nothing }
    if polled[0].revents != 0 { return .cancelled }
    var byte: UInt8 = 0
    switch read(descriptor, &byte, 1) {
    case 1: return .byte(byte)
    case 0:
      // A terminal that is read without waiting gives 0 for "nothing yet", too.
      let isGone = polled[1].revents & Int16(POLLHUP | POLLERR | POLLNVAL) != 0
      return isGone ? .end : .nothing
    default: return errno == EINTR || errno == EAGAIN ? .nothing : .end
    }
  }
}

/// Nobody can be asked, for want of a thread or a descriptor.
public struct TerminalError: Error, Sendable, Equatable {
  /// Why, in lower case.
  public var reason: String
}

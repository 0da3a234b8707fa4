internal import Crypto
internal import Flows
internal import Glibc
internal import Synchronization

/// What stands on the terminal's last line, and the order in which everything else goes above it.
///
/// The last line is live: a prompt with what was typed, or else the status. A note erases it, is written, and the line
/// is drawn again below.
final class TerminalScreen: Sendable {
  private let output: Int32
  /// Whether a line can be erased and drawn again.
  private let canRedraw: Bool
  /// Whether characters beyond ASCII can be shown.
  private let isUnicode: Bool
  private let style: TerminalStyle
  private let frames: [String]
  private let state = Mutex(State())

  private struct State {
    var prompt: Prompt?
    var status: String?
    var frame = 0
    var isStatusShown = false
    var isTicking = false
  }

  private struct Prompt {
    var text: String
    var echo: Bool
    var editor: LineEditor
  }

  init(output: Int32, isTerminal: Bool, environment: [String: String]) {
    self.output = output
    style = TerminalStyle(isTerminal: isTerminal, environment: environment)
    canRedraw = isTerminal && !["", "dumb"].contains(environment["TERM"] ?? "")
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
    isUnicode = locale.uppercased().contains("UTF-8") || locale.uppercased().contains("UTF8")
    frames = isUnicode ? "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏".map(String.init) : ["|", "/", "-", "\\"]
  }

  /// Writes a line of its own.
  func note(_ line: String) { place(TerminalText.harmless(line)) }

  /// Writes a line of its own, whose last part stands out.
  func note(_ line: String, _ emphasized: String) {
    place(TerminalText.harmless(line) + style.bold(TerminalText.harmless(emphasized)))
  }

  /// Writes a text's QR code, where there is one that fits and can be shown.
  func code(of text: String) {
    guard canRedraw, isUnicode, let size = Terminal.size(of: output) else { return }
    // Whole at a glance, with a line to type on.
    let lines = QRCode.lines(for: text, columns: size.columns, rows: size.rows - 2, coloured: style.isEnabled)
    if let lines { place(lines.joined(separator: "\n")) }
  }

  private func place(_ lines: String) {
    state.withLock { state in write(erasure(&state) + lines + "\n" + live(state)) }
  }

  /// Shows or, with nil, erases the status; only where a line can be drawn again.
  func status(_ text: String?) {
    guard canRedraw else { return }
    state.withLock { state in
      guard state.status != text else { return }
      if text == nil || state.isStatusShown { write(erasure(&state)) }
      state.status = text
      if text != nil, !state.isTicking { state.isTicking = WorkerThread.start { [self] in tick() } }
    }
  }

  /// Turns the spinner until there is no status any more.
  ///
  /// What is over within the first tick was never shown.
  private func tick() {
    var goesOn = true
    while goesOn {
      usleep(120_000)
      goesOn = state.withLock { state in
        guard state.status != nil else {
          state.isTicking = false
          return false
        }
        guard state.prompt == nil else { return true }
        state.frame = (state.frame + 1) % frames.count
        state.isStatusShown = true
        write("\r\u{1B}[K" + live(state))
        return true
      }
    }
  }

  /// Shows a prompt; from now on ``type(_:)`` types behind it.
  func begin(prompt: String, echo: Bool) {
    state.withLock { state in
      write(erasure(&state) + prompt)
      state.prompt = Prompt(text: prompt, echo: echo, editor: LineEditor())
    }
  }

  /// Takes a typed byte and shows what it did.
  func type(_ byte: UInt8) -> LineEditor.Event {
    state.withLock { state in
      guard let prompt = state.prompt else { return .none }
      let event = prompt.editor.type(byte)
      switch event {
      case .added(let count) where prompt.echo:
        write(TerminalText.echo(of: prompt.editor.bytes.suffix(count)))
      case .removed(let characters) where prompt.echo:
        // A character may be two columns wide, so the line is drawn again, if it is only one line.
        let isOneLine = canRedraw && columns(of: prompt) + 2 * characters < width
        write(isOneLine ? "\r\u{1B}[K" + live(state) : String(repeating: "\u{8} \u{8}", count: characters))
      case .full: write("\u{7}")
      case .none, .added, .removed, .done, .end, .suspend: break
      }
      return event
    }
  }

  /// Draws the prompt again, after another program had the terminal.
  ///
  /// What was typed unseen is dropped: nobody remembers how far it was, and the prompt looks as if it were new.
  func redraw() {
    state.withLock { state in
      if state.prompt?.echo == false { state.prompt?.editor = LineEditor() }
      write((canRedraw ? "\r\u{1B}[K" : "\n") + live(state))
    }
  }

  /// Ends the prompt's line; gives what was typed, nil where that was too much.
  func end() -> Secret? {
    state.withLock { state in
      let editor = state.prompt?.editor
      state.prompt = nil
      write("\n")
      return editor.flatMap { $0.isOverfull ? nil : $0.secret }
    }
  }

  /// What erases the live line, or leaves it standing and goes below it.
  private func erasure(_ state: inout State) -> String {
    if let prompt = state.prompt {
      return canRedraw && columns(of: prompt) < width ? "\r\u{1B}[K" : "\n"
    }
    defer { state.isStatusShown = false }
    return state.isStatusShown ? "\r\u{1B}[K" : ""
  }

  private func live(_ state: State) -> String {
    if let prompt = state.prompt {
      return prompt.text + (prompt.echo ? TerminalText.echo(of: prompt.editor.bytes[...]) : "")
    }
    guard state.isStatusShown, let status = state.status else { return "" }
    return style.accented(frames[state.frame]) + " " + TerminalText.harmless(status).prefix(max(0, width - 3))
  }

  private func columns(of prompt: Prompt) -> Int {
    prompt.text.count + (prompt.echo ? prompt.editor.count : 0)
  }

  private var width: Int { Terminal.columns(of: output) ?? 80 }

  private func write(_ text: String) {
    var text = text
    text.withUTF8 { write(bytes: UnsafeRawBufferPointer($0)) }
  }

  /// Nothing can be done where a terminal takes no more.
  private func write(bytes: UnsafeRawBufferPointer) {
    writeMessage(bytes, to: output)
  }
}

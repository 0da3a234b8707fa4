/// Colour for text on a terminal; none where the reader is a file or does not want it.
struct TerminalStyle: Sendable, Equatable {
  /// Whether anything is added to the text.
  let isEnabled: Bool

  /// Makes the style for an output: on for a terminal, unless `NO_COLOR` is set and not empty (no-color.org), or `TERM`
  /// is `dumb` or not set.
  init(isTerminal: Bool, environment: [String: String]) {
    let terminal = environment["TERM"] ?? ""
    let isUnwanted = environment["NO_COLOR"]?.isEmpty == false
    isEnabled = isTerminal && !isUnwanted && !terminal.isEmpty && terminal != "dumb"
  }

  /// Gives the text in a colour, cyan, that reads on light and on dark grounds.
  func accented(_ text: String) -> String { isEnabled ? "\u{1B}[36m\(text)\u{1B}[39m" : text }
}

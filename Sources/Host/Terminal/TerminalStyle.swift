/// Colour and weight for text on a terminal; without any where the reader is a file or does not want it.
public struct TerminalStyle: Sendable, Equatable {
  /// Whether anything is added to the text.
  public let isEnabled: Bool

  /// Makes a style that is on or off.
  public init(isEnabled: Bool) {
    self.isEnabled = isEnabled
  }

  /// Makes the style for an output: on for a terminal, unless `NO_COLOR` is set and not empty (no-color.org), or `TERM`
  /// is `dumb` or not set.
  public init(isTerminal: Bool, environment: [String: String]) {
    let terminal = environment["TERM"] ?? ""
    let isUnwanted = environment["NO_COLOR"]?.isEmpty == false
    isEnabled = isTerminal && !isUnwanted && !terminal.isEmpty && terminal != "dumb"
  }

  /// A colour that reads on light and on dark grounds.
  public enum Color: Int, Sendable, CaseIterable {
    /// What failed.
    case red = 31
    /// What went well.
    case green = 32
    /// What wants attention.
    case yellow = 33
    /// What leads elsewhere.
    case blue = 34
    /// A name.
    case cyan = 36
  }

  /// Gives the text in bold.
  public func bold(_ text: String) -> String { wrapped(text, 1, 22) }
  /// Gives the text less visible.
  public func dim(_ text: String) -> String { wrapped(text, 2, 22) }
  /// Gives the text in a colour.
  public func colored(_ text: String, _ color: Color) -> String { wrapped(text, color.rawValue, 39) }

  private func wrapped(_ text: String, _ on: Int, _ off: Int) -> String {
    isEnabled ? "\u{1B}[\(on)m\(text)\u{1B}[\(off)m" : text
  }
}

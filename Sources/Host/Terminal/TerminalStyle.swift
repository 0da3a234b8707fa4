internal import Glibc

/// Colour for text on a terminal; none where the reader is a file or does not want it.
public struct TerminalStyle: Sendable, Equatable {
  /// Colours that read on light and on dark grounds.
  public enum Colour: Int, Sendable {
    case red = 31
    case green = 32
    case yellow = 33
    case cyan = 36
    case grey = 90
  }

  /// Whether anything is added to the text.
  let isEnabled: Bool

  /// Makes the style for an output: on for a terminal, unless `NO_COLOR` is set and not empty (no-color.org), or `TERM`
  /// is `dumb` or not set.
  public init(isTerminal: Bool, environment: [String: String]) {
    let terminal = environment["TERM"] ?? ""
    let isUnwanted = environment["NO_COLOR"]?.isEmpty == false
    isEnabled = isTerminal && !isUnwanted && !terminal.isEmpty && terminal != "dumb"
  }

  /// The style for the process's standard output.
  public static func standardOutput(_ environment: [String: String]) -> TerminalStyle {
    TerminalStyle(isTerminal: isatty(STDOUT_FILENO) == 1, environment: environment)
  }

  /// Gives the text in a colour.
  public func coloured(_ text: String, _ colour: Colour) -> String {
    isEnabled ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[39m" : text
  }

  /// Gives the text in bold.
  func bold(_ text: String) -> String { isEnabled ? "\u{1B}[1m\(text)\u{1B}[22m" : text }

  /// Gives the text in a colour, cyan, that draws the eye.
  func accented(_ text: String) -> String { coloured(text, .cyan) }
}

extension Terminal {
  /// How many characters a line of the terminal has; nil where the descriptor is none, or one that does not tell.
  public static func columns(of descriptor: Int32) -> Int? {
    size(of: descriptor)?.columns
  }

  /// How many characters a line of the terminal has, and how many lines it has, 0 where it tells that not.
  static func size(of descriptor: Int32) -> (columns: Int, rows: Int)? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return (Int(size.ws_col), Int(size.ws_row))
  }
}

/// Writes a word so that a shell reads it as it is.
public enum ShellWord {
  /// For bash and zsh: bare when nothing in it is special, else in single quotes.
  public static func posix(_ text: String) -> String {
    isPlain(text) ? text : quoted(text)
  }

  /// For any POSIX shell: in single quotes, in which nothing is interpreted; a single quote itself is put between two
  /// such strings.
  public static func quoted(_ text: String) -> String {
    var quoted = "'"
    // A shell reads bytes: to it a quote is one also where a combining mark after it makes another character of it.
    for scalar in text.unicodeScalars {
      if scalar == "'" { quoted += "'\\''" } else { quoted.unicodeScalars.append(scalar) }
    }
    return quoted + "'"
  }

  /// For fish, where a backslash is special in single quotes too.
  static func fish(_ text: String) -> String {
    guard !isPlain(text) else { return text }
    let escaped = text.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : String($0) }
    return "'" + escaped.joined() + "'"
  }

  private static func isPlain(_ text: String) -> Bool { !text.isEmpty && text.utf8.allSatisfy(isPlain) }

  /// Whether a byte means nothing to any shell.
  public static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
      UInt8(ascii: "/"), UInt8(ascii: ","):
      true
    default: false
    }
  }
}

/// Writes text so that mdoc(7) shows it as it is.
enum Mdoc {
  /// Lines of running text: one sentence begins on each new line, as mdoc wants it, and none is longer than 78 bytes.
  static func text(_ text: String) -> [String] {
    var lines: [String] = []
    for sentence in sentences(text) {
      var line = ""
      for word in sentence {
        let word = escape(word, literal: word.hasPrefix("-"))
        if !line.isEmpty, line.utf8.count + 1 + word.utf8.count > 78 {
          lines.append(line)
          line = ""
        }
        line += line.isEmpty ? word : " " + word
      }
      lines.append(line)
    }
    return lines.map(guarded)
  }

  /// A phrase of the table as a sentence of its own: a capital unless its first word is a name, and a full stop.
  static func sentence(_ phrase: String) -> String {
    let first = phrase.prefix { !$0.isWhitespace }
    let isPlain = first.allSatisfy { $0.isLetter && $0.isLowercase || ",;".contains($0) }
    let start = isPlain ? phrase.prefix(1).uppercased() + phrase.dropFirst() : phrase
    return start.hasSuffix(".") ? start : start + "."
  }

  /// A line of a literal display, its spaces kept.
  static func literal(_ line: String) -> String {
    guarded(escape(line, literal: true))
  }

  /// One argument of a macro.
  static func argument(_ text: String) -> String {
    var escaped = escape(text, literal: true)
    if isCallable(text) || text.count == 1 && !text.allSatisfy(\.isLetter) { escaped = "\\&" + escaped }
    return escaped.contains(" ") || text.isEmpty ? "\"\(escaped)\"" : escaped
  }

  /// The one line that says what a page is about; a delimiter at its end is hidden, which mandoc would take for a slip.
  static func title(_ line: String) -> String {
    let isPlain = line.unicodeScalars.last.map { $0.isASCII && $0.properties.isAlphabetic } ?? true
    return arguments(line) + (isPlain ? "" : "\\&")
  }

  /// A whole line as the arguments of a macro that takes any number of them.
  static func arguments(_ line: String) -> String {
    line.split(separator: " ", omittingEmptySubsequences: false).map { argument(String($0)) }.joined(separator: " ")
  }

  private static func sentences(_ text: String) -> [[String]] {
    var sentences: [[String]] = [[]]
    for word in text.split(whereSeparator: \.isWhitespace) {
      sentences[sentences.count - 1].append(String(word))
      let end = word.last { !"\"')]".contains($0) }
      if let end, ".?!".contains(end) { sentences.append([]) }
    }
    return sentences.filter { !$0.isEmpty }
  }

  /// Whether a word would be taken for a macro where macros are called by other macros' arguments.
  private static func isCallable(_ word: String) -> Bool {
    let letters = Array(word)
    guard letters.count == 2 || letters.count == 3 else { return false }
    return letters[0] == "%" || letters[0].isUppercase && (letters[1].isLowercase || letters[1].isNumber)
  }

  /// A line of text that begins with a control character is a request, unless something stands before it.
  private static func guarded(_ line: String) -> String {
    line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" + line : line
  }

  private static func escape(_ text: String, literal: Bool) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": escaped += "\\e"
      case "\t", "\n", "\r": escaped += " "
      case "~": escaped += "\\(ti"
      case "^": escaped += "\\(ha"
      case "`": escaped += "\\(ga"
      case "-" where literal: escaped += "\\-"
      case "'" where literal: escaped += "\\(aq"
      case "\"" where literal: escaped += "\\(dq"
      case _ where scalar.isASCII: escaped.unicodeScalars.append(scalar)
      default:
        let hex = String(scalar.value, radix: 16, uppercase: true)
        escaped += "\\[u" + String(repeating: "0", count: max(4 - hex.count, 0)) + hex + "]"
      }
    }
    return escaped
  }
}

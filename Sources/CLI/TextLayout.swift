/// Sets text into lines of a given width.
package enum TextLayout {
  /// Breaks text between words into lines no wider than `width`; a word that is wider is broken too.
  ///
  /// - Parameter breaksWords: false leaves such a word whole, so that a path or an address can be copied.
  package static func wrap(_ text: String, width: Int, breaksWords: Bool = true) -> [String] {
    let width = max(width, 1)
    var lines: [String] = []
    var line = ""
    for word in text.split(whereSeparator: \.isWhitespace) {
      var word = Substring(word)
      if !line.isEmpty, line.count + 1 + word.count <= width {
        line += " " + word
        continue
      }
      if !line.isEmpty { lines.append(line) }
      while breaksWords, word.count > width {
        lines.append(String(word.prefix(width)))
        word = word.dropFirst(width)
      }
      line = String(word)
    }
    if !line.isEmpty { lines.append(line) }
    return lines
  }

  /// Splits text at empty lines into paragraphs.
  static func paragraphs(_ text: String) -> [String] {
    var paragraphs: [[Substring]] = [[]]
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.allSatisfy(\.isWhitespace) {
        paragraphs.append([])
      } else {
        paragraphs[paragraphs.count - 1].append(line)
      }
    }
    return paragraphs.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }
  }

  /// Sets terms and what they mean side by side, the meanings aligned.
  ///
  /// A term that is too wide for its column stands on a line of its own.
  static func columns(_ rows: [(term: String, meaning: String)], width: Int) -> [String] {
    let margin = 2
    let widest = rows.map(\.term.count).max() ?? 0
    let column = margin + min(widest, max(width / 3, 10)) + 2
    var lines: [String] = []
    for (term, meaning) in rows {
      let left = String(repeating: " ", count: margin) + term
      var meanings = wrap(meaning, width: width - column)
      if left.count + 2 <= column, !meanings.isEmpty {
        let gap = String(repeating: " ", count: column - left.count)
        lines.append(left + gap + meanings.removeFirst())
      } else {
        lines += wrapTerm(term, margin: margin, width: width)
      }
      lines += meanings.map { String(repeating: " ", count: column) + $0 }
    }
    return lines
  }

  private static func wrapTerm(_ term: String, margin: Int, width: Int) -> [String] {
    guard term.count > width - margin else { return [String(repeating: " ", count: margin) + term] }
    return wrap(term, width: width - margin).map { String(repeating: " ", count: margin) + $0 }
  }
}

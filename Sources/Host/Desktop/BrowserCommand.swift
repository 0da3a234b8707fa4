/// A command that shows a URL: `--browser`, or one entry of `$BROWSER`.
struct BrowserCommand: Equatable, Sendable {
  /// The program and its arguments, `%s` still in them; never empty.
  var words: [String]

  /// Splits a command as a shell would, with quotes and backslashes, and without anything else that a shell does.
  ///
  /// Gives nil where there is no word, or a quote that does not end.
  init?(_ text: String) {
    guard let words = Self.split(text), let program = words.first, !program.isEmpty else { return nil }
    self.words = words
  }

  init(words: [String]) {
    self.words = words
  }

  /// The program as it was written.
  var program: String { words[0] }

  /// Gives the arguments, without the program: the URL for each `%s`, `%` for `%%`, the URL last where no `%s` is.
  func arguments(url: String) -> [String] {
    var isPlaced = false
    var arguments = words.dropFirst().map { word in
      var output = ""
      var rest = word[...]
      while let mark = rest.firstIndex(of: "%") {
        output += rest[..<mark]
        rest = rest[mark...]
        if rest.hasPrefix("%s") {
          output += url
          isPlaced = true
          rest = rest.dropFirst(2)
        } else {
          output += "%"
          rest = rest.dropFirst(rest.hasPrefix("%%") ? 2 : 1)
        }
      }
      return output + rest
    }
    if !isPlaced { arguments.append(url) }
    return arguments
  }

  /// Whether it is one of the browsers that draw in the terminal, which started apart from it would show nothing.
  var needsTerminal: Bool {
    ["w3m", "lynx", "links", "links2", "elinks", "www-browser"].contains(Self.baseName(program))
  }

  /// Gives the last part of a path.
  static func baseName(_ path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }

  private static func split(_ text: String) -> [String]? {
    var words: [String] = []
    var word: String?
    var quote: Character?
    var characters = text.makeIterator()
    while let character = characters.next() {
      switch (character, quote) {
      case ("\\", nil), ("\\", "\""):
        guard let next = characters.next() else { return nil }
        // Within double quotes a backslash is one, but before these.
        let isKept = quote != nil && !["\"", "\\", "$", "`"].contains(next)
        word = (word ?? "") + (isKept ? "\\" : "") + String(next)
      case (_, character?): quote = nil
      case ("'", nil), ("\"", nil):
        quote = character
        word = word ?? ""
      case (_, nil) where character.isWhitespace:
        if let done = word { words.append(done) }
        word = nil
      default: word = (word ?? "") + String(character)
      }
    }
    guard quote == nil else { return nil }
    if let done = word { words.append(done) }
    return words
  }
}

/// The options that are known at one point of a command line.
struct OptionScope {
  /// Those that are known, in the order they are looked up.
  let options: [OptionSpec]

  /// What a cluster of short options comes to.
  enum Cluster {
    /// Flags only.
    case flags([OptionSpec])
    /// Flags, then an option whose value is the rest of the word, or the next word when nil.
    case value(flags: [OptionSpec], option: OptionSpec, rest: String?)
    /// A letter that is not known.
    case unknown(Unicode.Scalar)
  }

  /// Finds an option by its long name.
  func long(_ name: String) -> OptionSpec? {
    options.first { $0.name == name }
  }

  /// Reads a word as `-abc`, scalar by scalar: an accent after a letter must not make it another letter.
  func cluster(_ word: String) -> Cluster {
    let letters = word.unicodeScalars.dropFirst()
    var flags: [OptionSpec] = []
    for index in letters.indices {
      guard let option = options.first(where: { $0.short == Character(letters[index]) }) else {
        return .unknown(letters[index])
      }
      if option.placeholder == nil {
        flags.append(option)
      } else {
        let rest = letters[letters.index(after: index)...]
        return .value(flags: flags, option: option, rest: rest.isEmpty ? nil : String(rest))
      }
    }
    return .flags(flags)
  }

  /// Whether a word is nothing but options that are known here, or the end of options.
  func knows(_ word: String) -> Bool {
    guard let kind = WordKind(word) else { return false }
    switch kind {
    case .end: return true
    case .long(let name, _): return long(name) != nil
    case .short:
      if case .unknown = cluster(word) { return false }
      return true
    }
  }

  /// What was meant by an option that is not known, spelled with its dashes.
  func suggestion(for name: String) -> String? {
    Suggestion.nearest(to: name, among: options.map(\.name)).map { "--" + $0 }
  }
}

/// How a word that begins with a dash is to be read.
enum WordKind {
  /// `--`
  case end
  /// `--name` or `--name=value`
  case long(name: String, value: String?)
  /// `-abc`
  case short

  /// Nil for a word that is no option: one without a dash, or a lone dash.
  init?(_ word: String) {
    // Bytes, not characters: a combining mark after a dash or an equals sign makes another character of it.
    let bytes = word.utf8
    guard bytes.first == UInt8(ascii: "-"), bytes.count > 1 else { return nil }
    guard bytes.dropFirst().first == UInt8(ascii: "-") else {
      self = .short
      return
    }
    guard bytes.count > 2 else {
      self = .end
      return
    }
    let body = bytes.dropFirst(2)
    guard let equals = body.firstIndex(of: UInt8(ascii: "=")) else {
      self = .long(name: String(decoding: body, as: UTF8.self), value: nil)
      return
    }
    self = .long(
      name: String(decoding: body[..<equals], as: UTF8.self),
      value: String(decoding: body[bytes.index(after: equals)...], as: UTF8.self))
  }
}

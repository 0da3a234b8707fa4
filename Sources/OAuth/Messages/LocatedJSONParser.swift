/// Reads JSON (RFC 8259); where it is asked to, with the comments of JavaScript, `//` and `/* */`.
///
/// Written for this purpose because the library's decoder tells no lines, takes the same name twice without a word and
/// accepts all of JSON5 as soon as it accepts comments; and because setting it up costs a stored token's way out of the
/// keyring a millisecond and a megabyte.
struct LocatedJSONParser {
  /// What a text may have beyond what RFC 8259 says, and how deep it may be nested.
  struct Rules {
    var allowsComments = false
    var refusesRepeatedNames = false
    /// Whether a text that is no Unicode, or a word that is no value, is taken for as much as it is.
    var repairs = false
    var deepest = 128

    /// For what servers say: half an emoji in a name that nobody needs must not cost the token beside it.
    static let reply = Rules(repairs: true)

    /// For files that people write: comments are welcome, a name that is there twice is a mistake.
    ///
    /// Five levels are needed.
    static let file = Rules(allowsComments: true, refusesRepeatedNames: true, deepest: 16)
  }

  private let bytes: [UInt8]
  private let rules: Rules
  private var position = 0
  private var line = 1
  private var path: [String] = []

  /// Reads a whole text.
  ///
  /// - Throws: ``ProviderError/syntax(detail:line:)``, or ``ProviderError/badValue(key:problem:line:)`` for a name that
  ///   an object has twice.
  static func parse(_ bytes: [UInt8], _ rules: Rules = Rules()) throws(ProviderError) -> LocatedJSON {
    if !rules.repairs, let line = firstBrokenLine(bytes) { throw .syntax(detail: "is not UTF-8 text", line: line) }
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    var parser = LocatedJSONParser(bytes: text, rules: rules)
    try parser.skipSpace()
    let value = try parser.value(depth: 0)
    try parser.skipSpace()
    guard parser.next == nil else { throw parser.failure("there is more after the end of the value") }
    return value
  }

  private init(bytes: [UInt8], rules: Rules) {
    self.bytes = bytes
    self.rules = rules
  }

  /// No byte of a longer UTF-8 sequence is a line feed: each line is UTF-8 of its own.
  private static func firstBrokenLine(_ bytes: [UInt8]) -> Int? {
    guard String(validating: bytes, as: UTF8.self) == nil else { return nil }
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    return lines.firstIndex { String(validating: $0, as: UTF8.self) == nil }.map { $0 + 1 }
  }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private func failure(_ detail: String) -> ProviderError { .syntax(detail: detail, line: line) }

  private func unexpected(_ wanted: String) -> ProviderError {
    guard let next else { return failure("it ends where \(wanted) should be") }
    let isVisible = next > 0x20 && next < 0x7F
    return failure(isVisible ? "\(wanted) expected, not \(Character(Unicode.Scalar(next)))" : "\(wanted) expected")
  }

  private mutating func skipSpace() throws(ProviderError) {
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\n"):
        line += 1
        position += 1
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): position += 1
      case UInt8(ascii: "/") where rules.allowsComments: try skipComment()
      default: return
      }
    }
  }

  private mutating func skipComment() throws(ProviderError) {
    let opening = line
    switch position + 1 < bytes.count ? bytes[position + 1] : 0 {
    case UInt8(ascii: "/"):
      while let byte = next, byte != UInt8(ascii: "\n") { position += 1 }
    case UInt8(ascii: "*"):
      position += 2
      while position + 1 < bytes.count {
        if bytes[position] == UInt8(ascii: "*"), bytes[position + 1] == UInt8(ascii: "/") {
          position += 2
          return
        }
        if bytes[position] == UInt8(ascii: "\n") { line += 1 }
        position += 1
      }
      throw .syntax(detail: "a comment is not closed", line: opening)
    default: throw failure("a comment begins with // or /*")
    }
  }

  private mutating func value(depth: Int) throws(ProviderError) -> LocatedJSON {
    guard depth < rules.deepest else { throw failure("it is nested too deeply") }
    let start = line
    switch next {
    case UInt8(ascii: "{"): return LocatedJSON(value: .object(try object(depth: depth)), line: start)
    case UInt8(ascii: "["): return LocatedJSON(value: .array(try array(depth: depth)), line: start)
    case UInt8(ascii: "\""): return LocatedJSON(value: .string(try string()), line: start)
    default: return LocatedJSON(value: try word(), line: start)
    }
  }

  private mutating func object(depth: Int) throws(ProviderError) -> [LocatedJSON.Member] {
    var members: [LocatedJSON.Member] = []
    try separated(by: UInt8(ascii: "}"), "} or a comma") { (parser) throws(ProviderError) in
      guard parser.next == UInt8(ascii: "\"") else { throw parser.unexpected("a name in double quotes") }
      let line = parser.line
      let name = try parser.string()
      if parser.rules.refusesRepeatedNames, members.contains(where: { $0.name == name }) {
        throw .badValue(key: (parser.path + [name]).joined(separator: "."), problem: "is there twice", line: line)
      }
      try parser.skipSpace()
      guard parser.next == UInt8(ascii: ":") else { throw parser.unexpected("a colon") }
      parser.position += 1
      try parser.skipSpace()
      parser.path.append(name)
      let value = try parser.value(depth: depth + 1)
      parser.path.removeLast()
      members.append(LocatedJSON.Member(name: name, line: line, value: value))
    }
    return members
  }

  private mutating func array(depth: Int) throws(ProviderError) -> [LocatedJSON] {
    var elements: [LocatedJSON] = []
    try separated(by: UInt8(ascii: "]"), "] or a comma") { (parser) throws(ProviderError) in
      elements.append(try parser.value(depth: depth + 1))
    }
    return elements
  }

  /// Reads what stands between brackets, commas between the items.
  private mutating func separated(
    by closing: UInt8, _ wanted: String, item: (inout Self) throws(ProviderError) -> Void
  ) throws(ProviderError) {
    position += 1
    try skipSpace()
    if next == closing {
      position += 1
      return
    }
    while true {
      try item(&self)
      try skipSpace()
      guard next == closing || next == UInt8(ascii: ",") else { throw unexpected(wanted) }
      let isLast = next == closing
      position += 1
      if isLast { return }
      try skipSpace()
      if next == closing { throw failure("a comma stands before the closing bracket") }
    }
  }

  /// A number or one of the three names.
  private mutating func word() throws(ProviderError) -> LocatedJSON.Value {
    let start = position
    while let byte = next, Self.isWordByte(byte) { position += 1 }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    switch text {
    case "": throw unexpected("a value")
    case "null": return .null
    case "true": return .bool(true)
    case "false": return .bool(false)
    default:
      if Self.isNumber(bytes[start..<position]) { return .number(text) }
      if rules.repairs { return .null }
      throw failure("a value expected, not \(text.prefix(20))")
    }
  }

  /// RFC 8259 section 6, which has no hexadecimal, no leading zero and no bare point.
  private static func isNumber(_ text: ArraySlice<UInt8>) -> Bool {
    var rest = text
    func digits(_ rest: inout ArraySlice<UInt8>) -> Int {
      let start = rest.startIndex
      while let byte = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { rest.removeFirst() }
      return rest.startIndex - start
    }
    if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
    let hasLeadingZero = rest.first == UInt8(ascii: "0")
    let integer = digits(&rest)
    guard integer == 1 || (integer > 1 && !hasLeadingZero) else { return false }
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      guard digits(&rest) > 0 else { return false }
    }
    if let mark = rest.first, mark | 0x20 == UInt8(ascii: "e") {
      rest.removeFirst()
      if let sign = rest.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { rest.removeFirst() }
      guard digits(&rest) > 0 else { return false }
    }
    return rest.isEmpty
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."):
      true
    default: false
    }
  }
}

extension LocatedJSONParser {
  private mutating func string() throws(ProviderError) -> String {
    position += 1
    var text: [UInt8] = []
    while let byte = next {
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"): text.append(contentsOf: String(try escape()).utf8)
      case 0..<0x20 where !rules.repairs:
        throw failure("a string ends on the line it begins on and holds no control character")
      default: text.append(byte)
      }
    }
    throw failure("a string is not closed")
  }

  private mutating func escape() throws(ProviderError) -> Unicode.Scalar {
    guard let byte = next else { throw failure("a string is not closed") }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return try codePoint()
    default: throw failure("a backslash stands before one of \" \\ / b f n r t u")
    }
  }

  /// `\uXXXX`, or two of them for a character beyond the first 65536 (RFC 8259 section 7).
  private mutating func codePoint() throws(ProviderError) -> Unicode.Scalar {
    let first = try codeUnit()
    if let scalar = Unicode.Scalar(first) { return scalar }
    if (0xD800..<0xDC00).contains(first), next == UInt8(ascii: "\\"), position + 1 < bytes.count,
      bytes[position + 1] == UInt8(ascii: "u")
    {
      let beforeSecond = position
      position += 2
      let second = try codeUnit()
      if (0xDC00..<0xE000).contains(second),
        let scalar = Unicode.Scalar(0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00))
      {
        return scalar
      }
      position = beforeSecond
    }
    if rules.repairs { return "\u{FFFD}" }
    throw failure("a \\u names half a character")
  }

  private mutating func codeUnit() throws(ProviderError) -> UInt16 {
    guard position + 4 <= bytes.count,
      bytes[position..<position + 4].allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
      let unit = UInt16(String(decoding: bytes[position..<position + 4], as: UTF8.self), radix: 16)
    else { throw failure("four hexadecimal digits stand after \\u") }
    position += 4
    return unit
  }
}

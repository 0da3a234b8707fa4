/// Finds the values of secret names in a text that may be a form, a query, JSON, a header, or broken off in any of them.
///
/// It knows no grammar as a whole, since what it reads may follow none: it looks for a name and for what stands after it.
struct SecretScanner {
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// A secret value's place.
  struct Finding {
    var range: Range<Int>
    /// Whether a person may have chosen the value.
    var isGuessable: Bool
    /// Whether it may as well be an everyday word, which is no secret in another place.
    var isWord: Bool

    init(_ range: Range<Int>, _ bytes: [UInt8], isGuessable: Bool, isCode: Bool = false) {
      self.range = range
      self.isGuessable = isGuessable
      isWord = !isGuessable && SensitiveNames.isWord(bytes[range], limit: isCode ? 32 : 12)
    }
  }

  /// The secret values.
  var findings: [Finding] {
    var found: [Finding] = MarkupScanner(bytes).findings
    var index = 0
    while index < bytes.count {
      guard Self.isNameByte(bytes[index]) else {
        if let userInfo = userInfo(at: index) { found.append(Finding(userInfo, bytes, isGuessable: true)) }
        index += 1
        continue
      }
      if let key = privateKey(at: index) {
        found.append(Finding(key, bytes, isGuessable: false))
        index = key.upperBound
        continue
      }
      let end = endOfRun(from: index, Self.isNameByte)
      // Of `window.token` the last part is the name.
      let lastDot = bytes[index..<end].lastIndex(of: UInt8(ascii: "."))
      let name = bytes[(lastDot.map { $0 + 1 } ?? index)..<end]
      let finding: Finding?
      if SensitiveNames.contains(name), let value = value(after: end, of: name), !value.isEmpty {
        finding = Finding(
          value, bytes, isGuessable: SensitiveNames.isGuessable(name), isCode: SensitiveNames.isAmbiguous(name))
      } else {
        finding = (credentials(after: end, scheme: name) ?? jwt(in: index..<end)).map {
          Finding($0, bytes, isGuessable: false)
        }
      }
      if let finding { found.append(finding) }
      index = max(end, finding.map { lastWord(of: $0.range) } ?? end)
    }
    return found
  }

  /// Where to go on behind a value: it may end with another's name (`token=password: …`).
  ///
  /// To look at all of the value again would take a time that grows with the square of a hostile text.
  private func lastWord(of value: Range<Int>) -> Int {
    var start = value.upperBound
    while start > value.lowerBound, !Self.isNameByte(bytes[start - 1]) { start -= 1 }
    while start > value.lowerBound, Self.isNameByte(bytes[start - 1]) { start -= 1 }
    return start
  }

  /// Gives the value that stands after a name: `name=value`, `"name": "value"`, `Name: value`.
  private func value(after nameEnd: Int, of name: ArraySlice<UInt8>) -> Range<Int>? {
    var index = nameEnd
    let isQuoted = index < bytes.count && Self.isQuote(bytes[index])
    if isQuoted { index += 1 }
    index = endOfRun(from: index, Self.isBlank)
    guard index < bytes.count else { return nil }
    let separator = bytes[index]
    guard separator == UInt8(ascii: "=") || separator == UInt8(ascii: ":") else { return nil }
    if separator == UInt8(ascii: "="), index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: ">") { index += 1 }
    let start = endOfRun(
      from: index + 1, separator == UInt8(ascii: "=") && index == nameEnd ? Self.never : Self.isBlank)
    guard start < bytes.count else { return nil }
    if Self.isQuote(bytes[start]) { return start + 1..<endOfString(from: start) }
    if separator == UInt8(ascii: ":") && !isQuoted {
      guard SensitiveNames.isUnmistakable(name) else { return nil }
      return SensitiveNames.isHeader(name) ? headerValue(from: start) : start..<endOfRun(from: start, Self.isVisible)
    }
    if separator == UInt8(ascii: "=") { return start..<endOfRun(from: start, Self.isFormByte) }
    if bytes[start] == UInt8(ascii: "{") || bytes[start] == UInt8(ascii: "[") {
      return start..<endOfBrackets(from: start)
    }
    let literal = start..<endOfRun(from: start, Self.isLiteralByte)
    return isHarmless(literal, name) ? nil : literal
  }

  /// The rest of the line; a scheme's name before the credentials stays readable.
  private func headerValue(from start: Int) -> Range<Int> {
    let end = endOfRun(from: start) { $0 != 0x0A && $0 != 0x0D }
    let wordEnd = endOfRun(from: start, Self.isNameByte)
    let afterBlank = endOfRun(from: wordEnd, Self.isBlank)
    guard Self.isScheme(bytes[start..<wordEnd]), afterBlank > wordEnd, afterBlank < end else { return start..<end }
    return afterBlank..<end
  }

  /// `null` tells something worth knowing, and an error's numeric `code` is none of OAuth's codes.
  private func isHarmless(_ literal: Range<Int>, _ name: ArraySlice<UInt8>) -> Bool {
    let text = bytes[literal]
    if text.elementsEqual("null".utf8) || text.elementsEqual("true".utf8) || text.elementsEqual("false".utf8) {
      return true
    }
    return name.elementsEqual("code".utf8) && text.count < 6
      && text.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2D }
  }

  /// `Bearer s3cret…` without a header's name before it; "bearer authentication" is none, nor is the first parameter of a
  /// challenge (`Bearer resource_metadata="…"`).
  private func credentials(after end: Int, scheme: ArraySlice<UInt8>) -> Range<Int>? {
    guard Self.isScheme(scheme) else { return nil }
    let start = endOfRun(from: end, Self.isBlank)
    let run = start..<endOfRun(from: start, Self.isToken68Byte)
    let isWord = bytes[run].allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x2E }
    let first = bytes[run].prefix { $0 != UInt8(ascii: "=") }
    let isParameter = first.count < run.count && first.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x5F }
    return start > end && run.count >= 12 && !isWord && !isParameter ? run : nil
  }

  /// A JWS or JWE in compact form, whatever its name: both begin with the base64url form of `{"`.
  ///
  /// Some servers put a prefix before it (`v1.eyJ…`).
  private func jwt(in run: Range<Int>) -> Range<Int>? {
    guard run.count >= 30 else { return nil }
    let start = run.first { index in
      bytes[index...].starts(with: "eyJ".utf8) && (index == run.lowerBound || "._-".utf8.contains(bytes[index - 1]))
    }
    guard let start, run.upperBound - start >= 30 else { return nil }
    return bytes[start..<run.upperBound].count { $0 == UInt8(ascii: ".") } >= 2 ? start..<run.upperBound : nil
  }

  /// A private key in PEM (RFC 7468), or what there is of it.
  private func privateKey(at start: Int) -> Range<Int>? {
    guard bytes[start...].starts(with: "-----BEGIN ".utf8) else { return nil }
    let label = start + 11..<endOfRun(from: start + 11) { (0x41...0x5A).contains($0) || $0 == 0x20 }
    guard String(decoding: bytes[label], as: UTF8.self).hasSuffix("PRIVATE KEY") else { return nil }
    let ending = Array("-----END ".utf8) + bytes[label] + Array("-----".utf8)
    return start..<(bytes[label.upperBound...].firstRange(of: ending)?.upperBound ?? bytes.count)
  }

  /// `user:password` in `scheme://user:password@host`.
  private func userInfo(at index: Int) -> Range<Int>? {
    guard bytes[index...].starts(with: "://".utf8) else { return nil }
    let start = index + 3
    let authority = start..<endOfRun(from: start) { Self.isVisible($0) && !"/?#\"'<>\\".utf8.contains($0) }
    guard let at = bytes[authority].lastIndex(of: UInt8(ascii: "@")), at > start else { return nil }
    return start..<at
  }

  private func endOfRun(from start: Int, _ belongs: (UInt8) -> Bool) -> Int {
    var index = start
    while index < bytes.count, belongs(bytes[index]) { index += 1 }
    return index
  }

  /// The index of the quote that ends the string, or the end of a text that was broken off.
  private func endOfString(from open: Int) -> Int {
    var index = open + 1
    while index < bytes.count, bytes[index] != bytes[open] {
      index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(index, bytes.count)
  }

  private func endOfBrackets(from open: Int) -> Int {
    var depth = 0
    var index = open
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: "\""): index = endOfString(from: index)
      default: break
      }
      index += 1
      if depth == 0 { break }
    }
    return min(index, bytes.count)
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
    default: false
    }
  }

  private static func isScheme(_ word: ArraySlice<UInt8>) -> Bool {
    ["bearer", "basic", "dpop", "token"].contains(String(decoding: word, as: UTF8.self).lowercased())
  }

  private static func never(_ byte: UInt8) -> Bool { false }
  private static func isQuote(_ byte: UInt8) -> Bool { byte == 0x22 || byte == 0x27 }
  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
  private static func isVisible(_ byte: UInt8) -> Bool { byte > 0x20 && byte != 0x7F }
  private static func isFormByte(_ byte: UInt8) -> Bool { isVisible(byte) && !"&#\"'<>".utf8.contains(byte) }
  private static func isLiteralByte(_ byte: UInt8) -> Bool { isVisible(byte) && !",}]".utf8.contains(byte) }
  private static func isToken68Byte(_ byte: UInt8) -> Bool { isNameByte(byte) || "+/=~".utf8.contains(byte) }
}

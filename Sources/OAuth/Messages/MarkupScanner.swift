/// Finds the values of secret names in XML and HTML: `<token>…</token>`, `<input name="token" value="…">`,
/// `<key>token</key><string>…</string>`.
///
/// It goes once over a text that may be anything, so that its time grows with the length alone. An attribute that has
/// itself a secret name (`<a token="…">`) is found by ``SecretScanner``, as any `name=value` is.
struct MarkupScanner {
  private let bytes: [UInt8]
  private var index = 0
  private var found: [SecretScanner.Finding] = []
  /// The name whose value the next text is, and how many more tags may come before it.
  private var awaited: (name: ArraySlice<UInt8>, isElement: Bool, tagsLeft: Int)?
  /// Whether the text that is read stands in an element whose text names something.
  private var isInNamingElement = false

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The secret values.
  var findings: [SecretScanner.Finding] {
    guard bytes.contains(UInt8(ascii: "<")) else { return [] }
    var scanner = self
    scanner.scan()
    return scanner.found
  }

  private mutating func scan() {
    index = end(of: index) { $0 != UInt8(ascii: "<") }
    while index < bytes.count {
      if bytes[index...].starts(with: "<![CDATA[".utf8) {
        index += 9
        let start = index
        while index < bytes.count, !bytes[index...].starts(with: "]]>".utf8) { index += 1 }
        take(text: start..<index)
      } else if bytes[index] == UInt8(ascii: "<") {
        readTag()
      } else {
        let start = index
        index = end(of: index) { $0 != UInt8(ascii: "<") }
        take(text: start..<index)
      }
    }
  }

  /// A run of text between tags: the value that was waited for, or the name of one that follows.
  private mutating func take(text range: Range<Int>) {
    guard let first = bytes[range].firstIndex(where: { !Self.isBlank($0) }),
      let last = bytes[range].lastIndex(where: { !Self.isBlank($0) })
    else { return }
    let text = first..<last + 1
    if let name = awaited?.name {
      append(text, of: name, isText: true)
      awaited = nil
    } else if isInNamingElement, SensitiveNames.contains(bytes[text]) {
      awaited = (bytes[text], false, 4)
    }
  }

  private mutating func append(_ range: Range<Int>, of name: ArraySlice<UInt8>, isText: Bool = false) {
    let isAmbiguous = SensitiveNames.isAmbiguous(name)
    let finding = SecretScanner.Finding(
      range, bytes, isGuessable: SensitiveNames.isGuessable(name), isCode: isAmbiguous)
    // `<code>` is how HTML shows any word that a machine reads, and how XML calls the kind of an error.
    let isNumber = range.count < 6 && bytes[range].allSatisfy { (0x30...0x39).contains($0) }
    if isText, isAmbiguous, finding.isWord || isNumber { return }
    found.append(finding)
  }

  /// Reads a tag up to its `>`, or to a `<` that comes before that: then it was none, or is broken.
  private mutating func readTag() {
    index += 1
    let isClosing = index < bytes.count && bytes[index] == UInt8(ascii: "/")
    if isClosing { index += 1 }
    var name = readName()
    if index < bytes.count, bytes[index] == UInt8(ascii: ":") {
      index += 1
      name = readName()
    }
    guard !name.isEmpty else { return }
    countTag(isClosing: isClosing)
    let isSensitive = SensitiveNames.contains(name)
    var named = isSensitive ? name : nil
    var values: [Range<Int>] = []
    var isEmptyElement = false
    while index < bytes.count, bytes[index] != UInt8(ascii: ">"), bytes[index] != UInt8(ascii: "<") {
      isEmptyElement = bytes[index] == UInt8(ascii: "/")
      guard Self.isNameByte(bytes[index]) else {
        index += 1
        continue
      }
      let attribute = String(decoding: readName(), as: UTF8.self).lowercased()
      guard let value = readAttributeValue() else { continue }
      if ["value", "content"].contains(attribute) {
        values.append(value)
      } else if ["name", "id", "key", "property"].contains(attribute), SensitiveNames.contains(bytes[value]) {
        named = bytes[value]
      }
    }
    if index < bytes.count, bytes[index] == UInt8(ascii: ">") { index += 1 }
    guard !isClosing else { return }
    if let named {
      for value in values where !value.isEmpty { append(value, of: named) }
      let hasNoText = isEmptyElement || !isSensitive && (!values.isEmpty || Self.isVoid(name))
      if !hasNoText { awaited = (named, true, 4) }
    }
    isInNamingElement = ["key", "name", "td", "dt"].contains(String(decoding: name, as: UTF8.self).lowercased())
  }

  private mutating func countTag(isClosing: Bool) {
    isInNamingElement = false
    guard let (name, isElement, tagsLeft) = awaited else { return }
    awaited = tagsLeft == 0 || isElement && isClosing ? nil : (name, isElement, tagsLeft - 1)
  }

  private mutating func readName() -> ArraySlice<UInt8> {
    let start = index
    index = end(of: index, Self.isNameByte)
    return bytes[start..<index]
  }

  /// Reads `= value`, with quotes or without; nil where there is none.
  private mutating func readAttributeValue() -> Range<Int>? {
    index = end(of: index, Self.isBlank)
    guard index < bytes.count, bytes[index] == UInt8(ascii: "=") else { return nil }
    index = end(of: index + 1, Self.isBlank)
    guard index < bytes.count else { return nil }
    let quote = bytes[index]
    guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      let start = index
      index = end(of: index) { !Self.isBlank($0) && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "<") }
      return start..<index
    }
    let start = index + 1
    index = end(of: start) { $0 != quote && $0 != UInt8(ascii: "<") }
    let value = start..<index
    if index < bytes.count, bytes[index] == quote { index += 1 }
    return value
  }

  private func end(of start: Int, _ belongs: (UInt8) -> Bool) -> Int {
    var index = start
    while index < bytes.count, belongs(bytes[index]) { index += 1 }
    return index
  }

  private static func isVoid(_ name: ArraySlice<UInt8>) -> Bool {
    ["input", "meta", "link", "img", "button", "label"].contains(String(decoding: name, as: UTF8.self).lowercased())
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
    default: false
    }
  }
}

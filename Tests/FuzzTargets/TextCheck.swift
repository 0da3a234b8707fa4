import Crypto
import Host
import OAuth

/// The first byte is the length of a secret, which comes next; the rest is what stands around it.
func checkText(_ input: [UInt8]) throws {
  let text = String(decoding: input, as: UTF8.self)
  try checkPrintable(text, limit: Int(input.first ?? 0))
  guard let length = input.first.map({ Int($0 % 64) }), input.count > length, length >= 6,
    let secret = String(validating: input[1...length], as: UTF8.self),
    !secret.unicodeScalars.contains(where: { isUnprintable($0) || $0.properties.isWhitespace }),
    !secret.contains("["), !secret.contains("]"), !Redactor.mark.contains(secret)
  else { return }
  let around = String(decoding: input[(length + 1)...], as: UTF8.self)
  let middle = around.index(around.startIndex, offsetBy: around.count / 2)
  try checkRedaction(of: secret, between: around[..<middle], and: around[middle...])
}

private func checkPrintable(_ text: String, limit: Int) throws {
  let printed = PrintableText.printable(text, limit: limit)
  try require(printed.unicodeScalars.count <= limit, "it is longer than the limit")
  try require(!printed.unicodeScalars.contains(where: isUnprintable), "a terminal would act on it")
  try require(PrintableText.printable(printed, limit: limit) == printed, "printed twice it is another text")
  let escaped = PrintableText.escaped(text)
  try require(!escaped.unicodeScalars.contains(where: isUnprintable), "a terminal would act on what is escaped")
  let harmless = TerminalText.harmless(text).unicodeScalars
  try require(!harmless.contains { $0.properties.generalCategory == .control && $0 != "\n" }, "it reaches the terminal")
}

private func checkRedaction(of secret: String, between before: Substring, and after: Substring) throws {
  let redactor = Redactor()
  redactor.register(Secret(secret))
  // The long way: what is around a token in base64 is within it.
  let basic = Base64URL.encodeClassic(Array("user:\(secret)".utf8))
  let forms = [
    secret, FormEncoding.encode(secret), FormEncoding.encodeForQuery(secret), jsonEscaped(secret, everything: false),
    jsonEscaped(secret, everything: true), Base64URL.encode(Array(secret.utf8)),
    Base64URL.encodeClassic(Array(secret.utf8)), basic, FormEncoding.encode(basic),
    FormEncoding.encode(jsonEscaped(secret, everything: false)),
    jsonEscaped(FormEncoding.encode(secret), everything: true),
  ]
  for form in forms {
    let redacted = redactor.redact("\(before) \(form) \(after)")
    for shown in forms where shown.utf8.count >= 10 || shown == secret {
      try require(!contains(redacted, shown), "\(form) survives as \(shown)")
    }
    let words = ServerError(description: "\(before) \(form) \(after)").redacted(by: redactor).description ?? ""
    try require(!contains(words, secret), "\(form) survives in an error's words")
    try require(!words.unicodeScalars.contains(where: isUnprintable), "an error's words are orders to a terminal")
  }
}

private func contains(_ text: String, _ part: String) -> Bool {
  let (text, part) = (Array(text.utf8), Array(part.utf8))
  guard part.count <= text.count else { return false }
  return (0...text.count - part.count).contains {
    text[$0] == part[0] && text[$0..<$0 + part.count].elementsEqual(part)
  }
}

private func jsonEscaped(_ text: String, everything: Bool) -> String {
  text.utf16.map { unit in
    let isPlain = 0x20..<0x7F ~= unit && unit != UInt16(0x22) && unit != UInt16(0x5C) && unit != UInt16(0x2F)
    if isPlain, !everything { return String(UnicodeScalar(UInt8(unit))) }
    let hex = String(unit, radix: 16)
    return "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
  }.joined()
}

/// What is echoed of typed or pasted bytes is nothing that a terminal acts on.
func checkTyping(_ input: [UInt8]) throws {
  let editor = LineEditor()
  for byte in input {
    let before = editor.count
    let event = editor.type(byte)
    try require(editor.count <= LineEditor.limit, "the line is over its limit")
    switch event {
    case .added(let bytes):
      try require(bytes <= 4 && bytes <= editor.count, "a character has \(bytes) bytes")
      let shown = TerminalText.echo(of: editor.bytes.suffix(bytes)).unicodeScalars
      try require(!shown.contains { $0.properties.generalCategory == .control && $0 != "\t" }, "a control is echoed")
    case .removed(let characters): try require(editor.count <= before - characters, "less is removed than is said")
    case .end: try require(editor.count == 0, "it ends in the middle of a line")
    case .none, .done, .suspend, .full: break
    }
  }
  try require(editor.secret.count == editor.count, "the line is not all of what was typed")
}

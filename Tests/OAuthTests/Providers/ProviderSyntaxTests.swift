import Testing

@testable import OAuth

@Suite struct ProviderSyntaxTests {
  static let broken: [(text: String, detail: String, line: Int)] = [
    ("", "it ends where a value should be", 1), ("\n\n", "it ends where a value should be", 3),
    ("{\n\"name\": \"a\"", "it ends where } or a comma should be", 2),
    ("{\n\"name\" \"a\"}", "a colon expected, not \"", 2),
    ("{\"name\": \"a\",\n}", "a comma stands before the closing bracket", 2),
    ("{\"name\": \"a\"\n\"title\": \"b\"}", "} or a comma expected, not \"", 2),
    ("{\"name\": \"a\"}\n{}", "there is more after the end of the value", 2),
    ("{\n'name': 'a'}", "a name in double quotes expected, not '", 2),
    ("{name: \"a\"}", "a name in double quotes expected, not n", 1),
    ("{\"name\": a}", "a value expected, not a", 1), ("{\"name\": +1}", "a value expected, not +1", 1),
    ("{\"name\": .5}", "a value expected, not .5", 1), ("{\"name\": NaN}", "a value expected, not NaN", 1),
    ("{\"name\": 0x1F}", "a value expected, not 0x1F", 1), ("{\"name\": 1-2}", "a value expected, not 1-2", 1),
    ("{\"name\": \"a\n\"}", "a string ends on the line it begins on and holds no control character", 1),
    ("{\"name\": \"a\0\"}", "a string ends on the line it begins on and holds no control character", 1),
    ("{\"name\": \"a", "a string is not closed", 1), ("{\"name\": \"a\\", "a string is not closed", 1),
    ("{\"name\": \"\\x\"}", "a backslash stands before one of \" \\ / b f n r t u", 1),
    ("{\"name\": \"\\u12\"}", "four hexadecimal digits stand after \\u", 1),
    ("{\"name\": \"\\u+123\"}", "four hexadecimal digits stand after \\u", 1),
    ("{\"name\": \"\\ud800\"}", "a \\u names half a character", 1),
    ("{\"name\": \"\\ud800\\u0041\"}", "a \\u names half a character", 1),
    ("{\"name\": \"\\udc00\"}", "a \\u names half a character", 1),
    ("{\n/* \n\n", "a comment is not closed", 2), ("{\n# x\n}", "a name in double quotes expected, not #", 2),
    ("{\n/ x\n}", "a comment begins with // or /*", 2), ("\0", "a value expected", 1),
    ("{\0}", "a name in double quotes expected", 1),
    ("<html>", "a value expected, not <", 1), ("{\"name\":\u{FEFF}\"a\"}", "a value expected", 1),
  ]

  @Test(arguments: broken) func `broken JSON is described with its line`(
    _ row: (text: String, detail: String, line: Int)
  ) {
    let error = #expect(throws: ProviderError.self) { try ProviderFile.read(Array(row.text.utf8)) }
    #expect(error == .syntax(detail: row.detail, line: row.line))
  }

  @Test func `bytes that are no text are refused with their line`() {
    for bytes: [UInt8] in [[0xFF], [0xC3], [0xED, 0xA0, 0x80], [0xC0, 0x80]] {
      let error = #expect(throws: ProviderError.self) {
        try ProviderFile.read(Array("{\n\n".utf8) + bytes + Array("\n}".utf8))
      }
      #expect(error == .syntax(detail: "is not UTF-8 text", line: 3))
    }
  }

  @Test(arguments: ["[", "{\"a\":", "[{\"quirks\":", "/**/["]) func `nesting without end is refused at once`(
    _ opening: String
  ) {
    let text = String(repeating: opening, count: 100_000 / opening.utf8.count)
    let error = #expect(throws: ProviderError.self) { try ProviderFile.read(Array(text.utf8)) }
    #expect(error == .syntax(detail: "it is nested too deeply", line: 1))
  }

  @Test func `a file of megabytes is refused unread`() {
    let large = [UInt8](repeating: 0x20, count: 5 << 20)
    let error = #expect(throws: ProviderError.self) { try ProviderFile.read(large) }
    #expect(error == .syntax(detail: "is larger than 256 KiB", line: nil))
    let padding = String(repeating: " ", count: ProviderFile.largest - 12)
    #expect(throws: Never.self) { try ProviderFile.read(Array((#"{"name":"a"}"# + padding).utf8)) }
  }

  @Test func `whatever happens to a file, it is read or refused`() throws {
    var random = SplitMix(state: 20_260_101)
    let valid = Array(SampleFile.everyKey.utf8)
    let tokens = [
      "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "\\ud83d", "//", "/*", "*/", "null", "true", "-1e9", "\0", "\n",
    ]
    .map { Array($0.utf8) }
    var (read, refused) = (0, 0)
    for _ in 0..<3000 {
      var bytes = valid
      for _ in 0...random.below(3) { mutate(&bytes, tokens, &random) }
      do throws(ProviderError) {
        let provider = try ProviderFile.read(bytes)
        let again = try ProviderFile.read(Array(ProviderFile.write(provider).utf8))
        #expect(again == provider)
        read += 1
      } catch {
        refused += 1
      }
    }
    #expect(read > 100 && refused > 1000, "the mutations test one side only: \(read) read, \(refused) refused")
  }

  private func mutate(_ bytes: inout [UInt8], _ tokens: [[UInt8]], _ random: inout SplitMix) {
    guard bytes.count > 2 else { return }
    let start = random.below(bytes.count)
    let end = min(bytes.count, start + 1 + random.below(12))
    switch random.below(7) {
    case 0: bytes[start] = UInt8(random.below(256))
    case 1: bytes.removeSubrange(start..<end)
    case 2: bytes.insert(contentsOf: bytes[start..<end], at: random.below(bytes.count))
    case 3: bytes.insert(contentsOf: tokens[random.below(tokens.count)], at: start)
    case 4: bytes.removeLast(min(bytes.count, random.below(40)))
    case 5: bytes.swapAt(start, random.below(bytes.count))
    default: bytes[start] = [0x20, 0x22, 0x2C, 0x30, 0x61, 0x0A][random.below(6)]
    }
  }
}

/// The same numbers on each run: a failure can be repeated.
private struct SplitMix {
  var state: UInt64

  mutating func below(_ bound: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int((mixed ^ (mixed >> 31)) % UInt64(bound))
  }
}

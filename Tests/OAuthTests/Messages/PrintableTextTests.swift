import OAuth
import Testing

/// What others wrote, on a terminal.
struct PrintableTextTests {
  static let lines: [RedactorTests.Case] = [
    .init("plain", "Grüße, 世界 🙂", "Grüße, 世界 🙂"),
    .init("line ends and blanks", "  a\r\n\tb\u{2028}c\u{A0}d\n", "a b c d"),
    .init("colour", "\u{1B}[31;1mred\u{1B}[0m", "red"),
    .init("title", "\u{1B}]0;owned\u{07}x\u{1B}]0;owned\u{1B}\\y", "xy"),
    .init("title without end", "\u{1B}]0;text", "0;text"),
    .init("eight bit", "\u{9B}31mx\u{9D}0;t\u{9C}y", "xy"),
    .init("charset", "\u{1B}(0x\u{1B}cy", "xy"),
    .init("bell and backspace", "a\u{07}\u{08}\u{7F}\u{00}b", "ab"),
    .init("overrides", "a\u{202E}b\u{2066}c\u{200F}d\u{E0041}e\u{FEFF}f\u{200B}g", "abcdefg"),
    .init("escape at the end", "x\u{1B}", "x"),
    .init("escape before a line end", "x\u{1B}\ny\u{1B}[", "x y"),
    .init("empty", "", ""),
  ]

  @Test(arguments: lines)
  func `a server's text is one harmless line`(_ line: RedactorTests.Case) {
    #expect(PrintableText.printable(line.text, limit: 100) == line.redacted)
  }

  static let cuts: [(Int, String)] = [(5, "abcde"), (4, "abc…"), (1, "…"), (0, "")]

  @Test(arguments: cuts)
  func `a long text is cut at the limit`(limit: Int, shown: String) {
    #expect(PrintableText.printable("abcde", limit: limit) == shown)
  }

  @Test func `a cut leaves no blank before its mark`() {
    #expect(PrintableText.printable("ab cd", limit: 4) == "ab…")
    #expect(PrintableText.printable("ab c", limit: 4) == "ab c")
  }

  @Test func `an escaped text shows what a terminal would act on`() {
    #expect(PrintableText.escaped("a\u{1B}[1m\r\n\u{202E}ü") == "a\\u{1b}[1m\\r\\n\\u{202e}ü")
  }
}

import CLI
import Testing

@Suite struct `Text from elsewhere in a message` {
  @Test(arguments: [
    ("plain", "'plain'"), ("", "''"), ("naïve 日本", "'naïve 日本'"), ("a\nb\tc\r", "'a\\nb\\tc\\r'"),
    ("\u{1b}]0;title\u{7}", "'\\x1b]0;title\\x07'"), ("\u{0}\u{7f}", "'\\x00\\x7f'"), ("\u{9b}31m", "'\\u{9b}31m'"),
    ("\u{202e}txt", "'\\u{202e}txt'"), ("\u{2028}", "'\\u{2028}'"), ("\u{FFFD}", "'\u{FFFD}'"),
  ])
  func `what does not print is escaped`(text: String, shown: String) {
    #expect(Quoting.quote(text) == shown)
  }

  @Test func `it is cut at the limit, and an escape is never cut in two`() {
    #expect(Quoting.escape("abcdef", limit: 6) == "abcdef")
    #expect(Quoting.escape("abcdefg", limit: 6) == "abcdef...")
    #expect(Quoting.escape("abc\u{1b}", limit: 6) == "abc...")
    #expect(Quoting.escape("e" + String(repeating: "\u{301}", count: 10_000), limit: 10).unicodeScalars.count == 13)
  }

  @Test(arguments: [
    ("", "''"), ("a", "'a'"), ("a b", "'a b'"), ("a'b", #"'a'\''b'"#), ("'", #"''\'''"#),
    ("'\u{301}; id", "''\\''\u{301}; id'"),
    ("$(id)`id`\"\\", "'$(id)`id`\"\\'"),
  ]) func `a shell reads back what was quoted`(_ text: String, _ quoted: String) {
    #expect(ShellWord.quoted(text) == quoted)
  }
}

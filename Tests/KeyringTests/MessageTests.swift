import Testing

@testable import Keyring

/// Words of others in our messages.
@Suite struct MessageTests {
  @Test(
    arguments: [
      ("plain", "plain"), ("two\nlines\r\n", "two lines"), ("\u{1b}[31mred", " [31mred"),
      ("right\u{202e}left", "right left"), ("", ""), ("naïve “words”", "naïve “words”"),
    ])
  func `a message is one line without control characters`(text: String, line: String) {
    #expect(oneLine(text) == line)
  }

  @Test func `a message is bounded`() {
    #expect(oneLine(String(repeating: "x", count: 1000)).count == 301)
  }
}

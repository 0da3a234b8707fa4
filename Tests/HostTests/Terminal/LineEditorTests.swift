import Crypto
import Testing

@testable import Host

/// The line editor alone.
struct LineEditorTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var id: String
    var typed: String
    var line: String
    var testDescription: String { id }
  }

  static let cases: [Case] = [
    Case(id: "plain", typed: "abc", line: "abc"),
    Case(id: "backspace", typed: "abX\u{7F}c\u{8}\u{8}d", line: "ad"),
    Case(id: "backspace-on-nothing", typed: "\u{7F}\u{7F}a", line: "a"),
    Case(id: "backspace-takes-a-whole-character", typed: "aé€😀\u{7F}\u{7F}\u{7F}b", line: "ab"),
    Case(id: "kill-line", typed: "wrong\u{15}right", line: "right"),
    Case(id: "kill-word", typed: "one two  \u{17}2", line: "one 2"),
    Case(id: "end-of-input-in-a-line", typed: "a\u{4}b", line: "ab"),
    Case(id: "arrows", typed: "a\u{1B}[D\u{1B}[1;5C\u{1B}OAb", line: "ab"),
    Case(id: "bracketed-paste", typed: "\u{1B}[200~http://x?code=1\u{1B}[201~", line: "http://x?code=1"),
    Case(id: "control-characters", typed: "a\u{1}\u{0}\u{3}b\tc", line: "ab\tc"),
    Case(id: "escape-key", typed: "\u{1B}\u{15}a", line: "a"),
  ]

  @Test(arguments: cases)
  func `keys do what they do in a shell's line`(_ one: Case) {
    let editor = LineEditor()
    for byte in one.typed.utf8 { #expect(editor.type(byte) != .done) }
    #expect(editor.secret.reveal() == one.line)
    #expect(editor.type(0x0D) == .done)
  }

  @Test func `end of input counts on an empty line only`() {
    let editor = LineEditor()
    #expect(editor.type(0x04) == .end)
    _ = editor.type(0x61)
    #expect(editor.type(0x04) == .none)
    _ = editor.type(0x7F)
    #expect(editor.type(0x04) == .end)
  }

  @Test func `a character is shown once all its bytes are there, and erased as one`() {
    let editor = LineEditor()
    #expect("€".utf8.map { editor.type($0) } == [.none, .none, .added(bytes: 3)])
    #expect(editor.type(0x7F) == .removed(characters: 1))
    #expect(editor.type(0x7F) == .none)
  }

  @Test func `at the limit the line says so, and a killed line can be typed anew`() {
    let editor = LineEditor()
    for _ in 0..<LineEditor.limit { #expect(editor.type(0x61) == .added(bytes: 1)) }
    #expect(editor.type(0x61) == .full)
    #expect(editor.isOverfull)
    #expect(editor.type(0x15) == .removed(characters: LineEditor.limit))
    #expect(!editor.isOverfull && editor.count == 0)
    #expect(editor.bytes.isEmpty)
  }

  @Test func `random keys are survived`() {
    var random = SeededRandom(seed: 7)
    for _ in 0..<200 {
      let editor = LineEditor()
      for _ in 0..<200 { _ = editor.type(UInt8.random(in: 0...255, using: &random)) }
      #expect(editor.count <= 200)
    }
  }
}

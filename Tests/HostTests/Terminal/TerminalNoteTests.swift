import Crypto
import Flows
import Foundation
import Glibc
import Testing

@testable import Host

extension AskingTests {
  /// Notes, the status line, and input that is no terminal.
  struct TerminalNoteTests {
    @Test func `a note is a line of its own, and none when quiet`() async throws {
      let tty = try PseudoTerminal()
      tty.terminal().note("logged in")
      tty.terminal(isQuiet: true).note("hidden")
      tty.terminal(isQuiet: true).status("hidden")
      tty.terminal().note("done")
      try await tty.shows("done\r\n")
      #expect(tty.text == "oauthctl: logged in\r\noauthctl: done\r\n")
    }

    @Test func `what has to be read off stands out, where that is wanted, and has no orders in it`() async throws {
      let tty = try PseudoTerminal()
      tty.terminal(["TERM": "xterm", "NO_COLOR": "1"]).show("the code: ", "A-B")
      tty.terminal(isQuiet: true).show("the code: ", "C\u{1B}[2JD")
      try await tty.shows("D\u{1B}[22m\r\n")
      #expect(tty.text.hasPrefix("oauthctl: the code: A-B\r\noauthctl: the code: \u{1B}[1mC"))
      #expect(!tty.text.contains("\u{1B}[2J"))
    }

    @Test func `a note goes above the prompt, which keeps what was typed`() async throws {
      let tty = try PseudoTerminal()
      let terminal = tty.terminal()
      let answer = Task { try await terminal.ask("> ", echo: true) }
      try await tty.shows("> ")
      try await tty.type("ab")
      try await tty.shows("> ab")
      terminal.note("news")
      try await tty.type("c\r")
      #expect(try await answer.value?.reveal() == "abc")
      try await tty.shows("abc\r\n")
      #expect(tty.text == "> ab\r\u{1B}[Koauthctl: news\r\n> abc\r\n")
    }

    @Test func `a note does not show a secret that is being typed`() async throws {
      let tty = try PseudoTerminal()
      let terminal = tty.terminal()
      let answer = Task { try await terminal.ask("> ", echo: false) }
      try await tty.shows("> ")
      try await tty.type("hunter")
      try await Task.sleep(for: .milliseconds(50))
      terminal.note("news")
      try await tty.type("2\r")
      #expect(try await answer.value?.reveal() == "hunter2")
      #expect(!tty.text.contains("h2") && !tty.text.contains("hunter"))
    }

    @Test func `the status turns and is erased before anything else is written`() async throws {
      let tty = try PseudoTerminal(columns: 20)
      let terminal = tty.terminal(["TERM": "xterm", "NO_COLOR": "1", "LANG": "C"])
      terminal.status("waiting for the browser")
      try await tty.shows("/ waiting for the b")
      try await tty.shows("- waiting for the b")
      terminal.note("note")
      terminal.status(nil)
      try await tty.shows("note\r\n")
      try await Task.sleep(for: .milliseconds(100))
      let length = tty.text.count
      try await Task.sleep(for: .milliseconds(300))
      #expect(tty.text.count == length)
      #expect(tty.text.contains("\r\u{1B}[Koauthctl: note\r\n"))
      #expect(!tty.text.contains("[36m") && !tty.text.contains("brow"))
    }

    @Test func `the status has colour and dots where they can be shown`() async throws {
      let tty = try PseudoTerminal()
      let terminal = tty.terminal(["TERM": "xterm", "LC_ALL": "en_US.UTF-8"])
      terminal.status("waiting")
      try await tty.shows("\u{1B}[36m⠙\u{1B}[39m waiting")
      terminal.status(nil)
    }

    @Test func `what is over at once, and a terminal that cannot erase, have no status`() async throws {
      let tty = try PseudoTerminal()
      let terminal = tty.terminal()
      terminal.status("quick")
      terminal.status(nil)
      tty.terminal(["TERM": "dumb"]).status("dumb")
      tty.terminal([:]).status("no terminal type")
      try await Task.sleep(for: .milliseconds(300))
      #expect(tty.text == "")
    }

    @Test func `a question takes the place of the status`() async throws {
      let tty = try PseudoTerminal()
      let terminal = tty.terminal()
      terminal.status("waiting")
      try await tty.shows("waiting")
      let answer = Task { try await terminal.ask("> ", echo: true) }
      try await tty.shows("\r\u{1B}[K> ")
      let length = tty.text.count
      try await Task.sleep(for: .milliseconds(300))
      #expect(tty.text.count == length)
      try await tty.type("x\r")
      #expect(try await answer.value?.reveal() == "x")
      terminal.status(nil)
    }

    @Test func `without a terminal nobody is asked, and nothing but notes is shown`() async throws {
      var (input, output): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
      #expect(pipe(&input) == 0 && pipe(&output) == 0)
      let terminal = Terminal(input: input[0], output: output[1], environment: ["TERM": "xterm"])
      #expect(!terminal.isInteractive)
      #expect(write(input[1], "one\n", 4) == 4)
      #expect(try await terminal.ask("prompt", echo: false) == nil)
      terminal.status("status")
      terminal.note("note")
      close(output[1])
      let shown = FileHandle(fileDescriptor: output[0], closeOnDealloc: true).readDataToEndOfFile()
      #expect(String(decoding: shown, as: UTF8.self) == "oauthctl: note\n")
      var left = [UInt8](repeating: 0, count: 8)
      #expect(read(input[0], &left, left.count) == 4)
      close(input[0])
      close(input[1])
    }

    @Test func `style is for terminals whose user wants it`() throws {
      let plain = TerminalStyle(isTerminal: false, environment: ["TERM": "xterm"])
      let fancy = TerminalStyle(isTerminal: true, environment: ["TERM": "xterm", "NO_COLOR": ""])
      #expect(plain.accented("a") == "a" && fancy.accented("a") == "\u{1B}[36ma\u{1B}[39m")
      #expect(TerminalStyle(isTerminal: true, environment: ["TERM": "xterm", "NO_COLOR": "1"]) == plain)
      #expect(TerminalStyle(isTerminal: true, environment: ["TERM": "dumb"]) == plain)
      #expect(TerminalStyle(isTerminal: true, environment: [:]) == plain)
    }
  }
}

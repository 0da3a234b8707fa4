import Crypto
import Flows
import Foundation
import Glibc
import Testing

@testable import Host

extension AskingTests {
  /// Questions on a real pseudo-terminal.
  struct TerminalTests {
    @Test func `a secret is never shown, and the modes come back`() async throws {
      let tty = try PseudoTerminal()
      let before = tty.modes
      let answer = Task { try await tty.terminal().ask("password: ", echo: false) }
      try await tty.shows("password: ")
      try await eventually { !tty.modes.echoes && !tty.modes.isCanonical }
      try await tty.type("hunter2\r")
      #expect(try await answer.value?.reveal() == "hunter2")
      try await tty.shows("\r\n")
      #expect(tty.text == "password: \r\n")
      #expect(tty.modes == before && before.echoes && before.isCanonical)
    }

    @Test func `what is typed in the open is shown as it is edited`() async throws {
      let tty = try PseudoTerminal()
      let answer = Task { try await tty.terminal(["TERM": "dumb"]).ask("name: ", echo: true) }
      try await tty.shows("name: ")
      try await tty.type("wX\u{7F}ork é\r")
      #expect(try await answer.value?.reveal() == "work é")
      try await tty.shows("\r\n")
      #expect(tty.text == "name: wX\u{8} \u{8}ork é\r\n")
    }

    @Test(arguments: [4095, 4096, 6000, 16 * 1024, 60_000])
    func `a long paste arrives whole`(size: Int) async throws {
      let tty = try PseudoTerminal()
      let url = "http://127.0.0.1/callback?code=" + String((0..<size).map { "abcdefghij".randomly($0) })
      let answer = Task { try await tty.terminal().ask("> ", echo: size % 2 == 0) }
      try await tty.shows("> ")
      try await eventually { !tty.modes.isCanonical }
      try await tty.type("\u{1B}[200~\(url)\u{1B}[201~\r")
      #expect(try await answer.value?.reveal() == url)
    }

    @Test func `a line over the limit is asked for again`() async throws {
      let tty = try PseudoTerminal()
      let answer = Task { try await tty.terminal().ask("> ", echo: false) }
      try await tty.shows("> ")
      try await eventually { !tty.modes.isCanonical }
      try await tty.type(String(repeating: "x", count: LineEditor.limit + 1) + "\r")
      try await tty.shows("oauthctl: that was too long")
      try await tty.shows("\n> ")
      try await eventually { !tty.modes.isCanonical }
      try await tty.type("short\r")
      #expect(try await answer.value?.reveal() == "short")
    }

    @Test func `end of input on an empty line is no answer`() async throws {
      let tty = try PseudoTerminal()
      let before = tty.modes
      let answer = Task { try await tty.terminal().ask("> ", echo: true) }
      try await eventually { !tty.modes.isCanonical }
      try await tty.type("\u{4}")
      #expect(try await answer.value == nil)
      #expect(tty.modes == before)
    }

    @Test func `what is typed ahead belongs to the next question`() async throws {
      let tty = try PseudoTerminal()
      let terminal = tty.terminal()
      try await tty.type("one\ntwo\nthr")
      #expect(try await terminal.ask("1 ", echo: false)?.reveal() == "one")
      #expect(try await terminal.ask("2 ", echo: false)?.reveal() == "two")
      let third = Task { try await terminal.ask("3 ", echo: false) }
      try await tty.shows("3 ")
      try await tty.type("ee\r")
      #expect(try await third.value?.reveal() == "three")
    }

    @Test func `cancelling restores the modes and throws at once`() async throws {
      let tty = try PseudoTerminal()
      let before = tty.modes
      let answer = Task { try await tty.terminal().ask("> ", echo: false) }
      try await eventually { !tty.modes.isCanonical }
      try await tty.type("half a sec")
      let took = await ContinuousClock().measure {
        answer.cancel()
        await #expect(throws: CancellationError.self) { try await answer.value }
      }
      #expect(took < .seconds(3))
      #expect(tty.modes == before)
      try await tty.shows("> \r\n")
    }

    @Test func `the emergency way back restores the modes in the middle of a question`() async throws {
      let tty = try PseudoTerminal()
      let before = tty.modes
      let answer = Task { try await tty.terminal().ask("> ", echo: false) }
      try await eventually { !tty.modes.isCanonical }
      Terminal.restoreModes()
      #expect(tty.modes == before)
      answer.cancel()
      _ = await answer.result
      Terminal.restoreModes()
      #expect(tty.modes == before)
    }

    @Test func `modes that another program changed are taken back`() async throws {
      let tty = try PseudoTerminal()
      let answer = Task { try await tty.terminal().ask("> ", echo: false) }
      try await eventually { !tty.modes.isCanonical }
      var modes = termios()
      tcgetattr(tty.line, &modes)
      modes.c_lflag |= tcflag_t(ICANON | ECHO)
      tcsetattr(tty.line, TCSANOW, &modes)
      try await eventually { !tty.modes.isCanonical && !tty.modes.echoes }
      try await tty.type("x\r")
      #expect(try await answer.value?.reveal() == "x")
    }

    @Test(arguments: [(false, "second"), (true, "first second")])
    func `what was typed unseen is dropped where another program had the terminal`(echo: Bool, line: String)
      async throws
    {
      let tty = try PseudoTerminal()
      let answer = Task { try await tty.terminal().ask("> ", echo: echo) }
      try await eventually { !tty.modes.isCanonical }
      try await tty.type("first ")
      try await Task.sleep(for: .milliseconds(100))
      var modes = termios()
      tcgetattr(tty.line, &modes)
      modes.c_lflag |= tcflag_t(ICANON | ECHO)
      tcsetattr(tty.line, TCSANOW, &modes)
      try await eventually { !tty.modes.isCanonical && !tty.modes.echoes }
      try await tty.type("second\r")
      #expect(try await answer.value?.reveal() == line)
    }

    @Test func `interrupting is left to the signal, stopping is a key of ours`() async throws {
      let tty = try PseudoTerminal()
      let answer = Task { try await tty.terminal().ask("> ", echo: false) }
      try await eventually { !tty.modes.isCanonical }
      #expect(tty.modes.hasSignals && tty.modes.interrupt == 3 && tty.modes.suspend == 0)
      // There is no program in the foreground of this terminal, so neither does anything, and neither is in the line.
      try await tty.type("a\u{3}\u{1A}b\r")
      #expect(try await answer.value?.reveal().hasSuffix("b") == true)
      #expect(try await answer.value?.reveal().contains("\u{3}") == false)
    }

    @Test func `two questions at once are asked one after the other`() async throws {
      let tty = try PseudoTerminal()
      let terminal = tty.terminal()
      let first = Task { try await terminal.ask("first ", echo: false) }
      try await tty.shows("first ")
      let second = Task { try await terminal.ask("second ", echo: false) }
      let third = Task { try await terminal.ask("third ", echo: false) }
      third.cancel()
      await #expect(throws: CancellationError.self) { try await third.value }
      #expect(!tty.text.contains("second"))
      try await tty.type("1\r")
      #expect(try await first.value?.reveal() == "1")
      try await tty.shows("second ")
      try await tty.type("2\r")
      #expect(try await second.value?.reveal() == "2")
    }

    @Test func `when the terminal is gone there is no answer`() async throws {
      var (keyboard, line): (Int32, Int32) = (-1, -1)
      #expect(openpty(&keyboard, &line, nil, nil, nil) == 0)
      defer { close(line) }
      let terminal = Terminal(input: line, output: line, environment: [:])
      let answer = Task { try await terminal.ask("> ", echo: true) }
      try await Task.sleep(for: .milliseconds(100))
      close(keyboard)
      #expect(try await answer.value == nil)
    }

    private func eventually(_ condition: () -> Bool) async throws {
      for _ in 0..<1000 {
        if condition() { return }
        try await Task.sleep(for: .milliseconds(5))
      }
      throw SystemFailure(call: "never happened", code: 0)
    }
  }
}

extension String {
  fileprivate func randomly(_ number: Int) -> Character {
    Array(self)[number &* 7919 % count]
  }
}

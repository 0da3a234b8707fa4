import Crypto
import Flows
import OAuth
import TestSupport
import Testing

@testable import Commands

/// `unlock` and `lock`: what is asked, done and said.
@Suite struct UnlockCommandTests {
  private static let file = [
    "keys": Secret("word"), "bad": Secret("other"), "long": Secret("word\nnote"), "-": Secret("word\n"),
  ]

  @Test func `a locked keyring is unlocked with a file's password`() async throws {
    let harness = try CommandHarness(files: Self.file, door: FakeDoor(.locked))
    let outcome = try await harness.run("unlock", "--password-file", "keys", "--json")
    #expect(outcome.code == 0)
    #expect(outcome.output == #"{"keyring":"Login","locked":false,"result":"ok"}"# + "\n")
    #expect(outcome.messages == ["oauthctl: unlocked the keyring 'Login'"])
    #expect(harness.door.calls == [.unlock("word")])
  }

  @Test func `a wrong password is told`() async throws {
    let harness = try CommandHarness(files: Self.file, door: FakeDoor(.locked))
    let outcome = try await harness.run("unlock", "--password-file", "bad")
    #expect(outcome.code == 69)
    #expect(outcome.messages.first == "oauthctl: error: the keyring's password is wrong")
    #expect(outcome.messages.last?.contains("it is usually your login password") == true)
  }

  @Test(arguments: [("long", "long"), ("-", "standard input")])
  func `of a wrong password with several lines it is said that all of them counted`(file: String, name: String)
    async throws
  {
    let harness = try CommandHarness(files: Self.file, door: FakeDoor(.locked))
    let outcome = try await harness.run("unlock", "--password-file", file)
    #expect(outcome.code == 69 && outcome.messages.first == "oauthctl: error: the keyring's password is wrong")
    #expect(outcome.messages.last?.hasPrefix("oauthctl: hint: \(name) has several lines") == true)
    #expect(outcome.messages.last?.hasSuffix("only its last line end is dropped") == true)
  }

  @Test func `an empty line is no password`() async throws {
    let harness = try CommandHarness(terminal: FakeTerminal(.line("")), door: FakeDoor(.locked))
    let outcome = try await harness.run("unlock")
    #expect(outcome.code == 64 && outcome.messages == ["oauthctl: error: no password was given"])
    #expect(harness.door.calls == [])
  }

  @Test func `an open keyring needs no password`() async throws {
    let harness = try CommandHarness(door: FakeDoor(.open))
    let outcome = try await harness.run("unlock", "--password-file", "keys")
    #expect(outcome.code == 0 && outcome.output == "")
    #expect(outcome.messages == ["oauthctl: the keyring 'Login' is unlocked already"])
    #expect(harness.door.calls == [])
  }

  @Test func `a person is asked once, and twice for a new keyring`() async throws {
    let known = try CommandHarness(terminal: FakeTerminal(.line("word")), door: FakeDoor(.locked))
    #expect(try await known.run("unlock").code == 0)
    #expect(known.terminal.questions.all.map(\.prompt) == ["password of the keyring: "])
    let new = try CommandHarness(terminal: FakeTerminal(.line("new"), .line("new")), door: FakeDoor(.missing))
    #expect(try await new.run("unlock").code == 0)
    #expect(new.terminal.questions.all.map(\.echo) == [false, false])
    #expect(new.door.calls == [.create("new")])
    let unsure = try CommandHarness(terminal: FakeTerminal(.line("new"), .line("knew")), door: FakeDoor(.missing))
    #expect(try await unsure.run("unlock").code == 64)
    #expect(unsure.door.calls == [])
  }

  @Test func `with nobody to ask, a file is called for`() async throws {
    let harness = try CommandHarness(door: FakeDoor(.locked))
    let outcome = try await harness.run("unlock")
    #expect(outcome.code == 64)
    #expect(outcome.messages.last?.contains("'--password-file -'") == true)
    #expect(harness.door.calls == [])
  }

  @Test func `where no service runs one is started, or its package named`() async throws {
    let able = try CommandHarness(files: Self.file, door: FakeDoor(failing: .noService(detail: "none")))
    #expect(try await able.run("unlock", "--password-file", "keys").code == 0)
    #expect(able.door.calls == [.start, .unlock("word")])
    let unable = try CommandHarness(
      files: Self.file, door: FakeDoor(failing: .noService(detail: "none"), starting: .noDaemon))
    let outcome = try await unable.run("unlock", "--password-file", "keys")
    #expect(outcome.code == 69)
    #expect(outcome.messages.last == "oauthctl: hint: install it (Debian: gnome-keyring)")
  }

  @Test func `a service with a window of its own gets no password`() async throws {
    let harness = try CommandHarness(files: Self.file, door: FakeDoor(.locked, takesPassword: false))
    let outcome = try await harness.run("unlock", "--password-file", "keys")
    #expect(outcome.code == 69)
    #expect(harness.door.calls == [])
  }

  @Test func `an open keyring is locked, a locked one left`() async throws {
    let harness = try CommandHarness(door: FakeDoor(.open))
    for message in ["locked the keyring 'Login'", "the keyring 'Login' is locked already"] {
      let outcome = try await harness.run("lock", "--json")
      #expect(outcome.output == #"{"keyring":"Login","locked":true,"result":"ok"}"# + "\n")
      #expect(outcome.messages == ["oauthctl: \(message)"])
    }
    #expect(harness.door.calls == [.lock])
    let empty = try CommandHarness(door: FakeDoor(.missing))
    #expect(try await empty.run("lock").code == 69)
  }
}

import CLI
import Testing

@testable import Commands

struct CommandTableTests {
  @Test func `the table has no faults`() {
    #expect(CommandTable.program.faults() == [])
  }

  @Test func `every command that is shown has an example of itself`() {
    // The parser answers `help` itself.
    for command in leaves(CommandTable.program.commands) where !command.spec.isHidden && command.path != " help" {
      #expect(!command.spec.examples.isEmpty, "\(command.path)")
    }
  }

  @Test func `every example is understood`() throws {
    let commands = leaves(CommandTable.program.commands).map(\.spec) + CommandTable.program.commands
    let examples = commands.flatMap(\.examples) + CommandTable.program.examples
    var read = 0
    for example in examples where example.command.hasPrefix("oauthctl ") {
      let words = words(of: example.command).dropFirst()
      #expect(throws: Never.self, "\(example.command)") { try Parser(CommandTable.program).parse(Array(words)) }
      read += 1
    }
    #expect(read > 10)
  }

  @Test func `every kind of failure has an exit code that the manual explains`() {
    let explained = Set(CommandTable.program.exitCodes.map(\.code))
    #expect(explained == Set(FailureKind.allCases.map(\.exitCode) + [0]))
  }

  @Test(arguments: [
    ("login", false), ("token", false), ("refresh", false), ("revoke", false), ("status", false), ("providers", false),
    ("doctor", false), ("__complete", true), ("__generate", true), ("__refresh", true),
  ]) func `each command is there, and the inner ones are not shown`(_ name: String, _ isHidden: Bool) {
    #expect(CommandTable.program.command(at: [name])?.isHidden == isHidden)
  }

  @Test func `logout is another word for revoke`() throws {
    #expect(try CommandHarness.invocation(["logout", "acme"]).path == ["revoke"])
  }

  private func leaves(_ commands: [CommandSpec], at path: String = "") -> [(path: String, spec: CommandSpec)] {
    commands.flatMap { command in
      command.isGroup
        ? leaves(command.subcommands, at: "\(path) \(command.name)") : [("\(path) \(command.name)", command)]
    }
  }

  /// The words of a line without substitutions, single quotes honoured.
  private func words(of line: String) -> [String] {
    var words: [String] = []
    for (index, part) in line.split(separator: "'", omittingEmptySubsequences: false).enumerated() {
      if index % 2 == 0 { words += part.split(separator: " ").map(String.init) } else { words.append(String(part)) }
    }
    return words
  }
}

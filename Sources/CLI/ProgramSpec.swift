/// The whole command table: the parser, the help, the man page and the completions are derived from it.
public struct ProgramSpec: Sendable {
  /// The word that calls the program.
  public let name: String
  /// The version as printed by `--version`.
  public let version: String
  /// The date of the man page, `November 30, 2026`.
  public let date: String
  /// One lower-case phrase without a full stop.
  public let summary: String
  /// Paragraphs of whole sentences.
  public let description: [String]
  /// The commands in the order they are shown; `help` is always the last.
  public let commands: [CommandSpec]
  /// Options of every command, before or after its word; `--help` is always the last.
  public let globalOptions: [OptionSpec]
  /// Calls that show what the program is for; those of one command belong to that command.
  public let examples: [Example]
  /// What the exit codes mean.
  public let exitCodes: [ExitStatus]
  /// The environment variables that count.
  public let environment: [(name: String, meaning: String)]
  /// The files that count.
  public let files: [(path: String, meaning: String)]
  /// Other man pages, `curl(1)`, and addresses.
  public let seeAlso: [String]

  /// Describes a program; `help`, `--help` and `--version` are added here and need no description.
  public init(
    name: String, version: String, date: String, summary: String, description: [String] = [],
    commands: [CommandSpec], globalOptions: [OptionSpec] = [], examples: [Example] = [], exitCodes: [ExitStatus] = [],
    environment: [(name: String, meaning: String)] = [], files: [(path: String, meaning: String)] = [],
    seeAlso: [String] = []
  ) {
    self.name = name
    self.version = version
    self.date = date
    self.summary = summary
    self.description = description
    self.commands = commands + [Self.helpCommand]
    self.globalOptions = globalOptions + [Self.helpOption]
    self.examples = examples
    self.exitCodes = exitCodes
    self.environment = environment
    self.files = files
    self.seeAlso = seeAlso
  }

  /// The `help` command, which the parser answers with ``Parsed/help(path:)``.
  static let helpCommand = CommandSpec(
    name: "help", summary: "explain the program or one of its commands",
    operands: [OperandSpec("COMMAND", arity: .repeated(atLeast: 0), help: "the command to explain")])

  /// The option that every command has.
  static let helpOption = OptionSpec("help", short: "h", help: "show this help")

  /// The option that is only known where no command is named.
  static let versionOption = OptionSpec("version", short: "V", help: "print the version")

  /// Finds a command by its canonical words; nil for the program itself and for words it does not know.
  public func command(at path: [String]) -> CommandSpec? {
    chain(to: path)?.last
  }

  /// The commands from the first word of a path to its last; nil when a word is unknown.
  func chain(to path: [String]) -> [CommandSpec]? {
    var level = commands
    var chain: [CommandSpec] = []
    for word in path {
      guard let next = level.first(where: { $0.name == word }) else { return nil }
      chain.append(next)
      level = next.subcommands
    }
    return chain
  }

  /// The options a command has of its own: those of the groups it is in, then those of itself.
  func ownOptions(at path: [String]) -> [OptionSpec] {
    (chain(to: path) ?? []).flatMap(\.options)
  }
}

/// An exit code and what it tells a script.
public struct ExitStatus: Sendable {
  /// The number, 0 to 255.
  public let code: Int32
  /// One lower-case phrase without a full stop.
  public let meaning: String

  /// Pairs a code with its meaning.
  public init(_ code: Int32, _ meaning: String) {
    self.code = code
    self.meaning = meaning
  }
}

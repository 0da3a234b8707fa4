/// The command table as a shell needs it: flat, without what is hidden.
struct CompletionTable {
  /// One place on the command line: the program itself, a group, or a leaf.
  struct Place {
    /// The canonical words that lead there, joined by spaces.
    let path: String
    /// The command, nil for the program itself.
    let command: CommandSpec?
    /// What the next word can name.
    let subcommands: [CommandSpec]
    /// Its own options, those of its groups and of the subcommand that stands in when none is named.
    let options: [OptionSpec]
    /// What the words are otherwise.
    let operands: [OperandSpec]

    /// The path of a subcommand.
    func path(of subcommand: CommandSpec) -> String {
      path.isEmpty ? subcommand.name : path + " " + subcommand.name
    }
  }

  /// The program first, then each command in the order of the table, a group before its subcommands.
  let places: [Place]
  /// The options of every place, `--help` included.
  let globalOptions: [OptionSpec]
  /// The program's name made fit to begin a function's name.
  let prefix: String

  init(_ program: ProgramSpec) {
    globalOptions = program.globalOptions
    prefix = "_" + program.name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? String($0) : "_" }.joined()
    places =
      [
        Place(
          path: "", command: nil, subcommands: Self.visible(program.commands), options: [ProgramSpec.versionOption],
          operands: [])
      ] + Self.visible(program.commands).flatMap { Self.places(of: $0, in: [], options: []) }
  }

  private static func places(of command: CommandSpec, in groups: [String], options: [OptionSpec]) -> [Place] {
    let path = groups + [command.name]
    let shared = options + command.options
    let standIn = command.subcommands.first { $0.name == command.defaultSubcommand }
    let place = Place(
      path: path.joined(separator: " "), command: command, subcommands: visible(command.subcommands),
      options: shared + (standIn?.options ?? []), operands: command.operands)
    return [place] + place.subcommands.flatMap { places(of: $0, in: path, options: shared) }
  }

  private static func visible(_ commands: [CommandSpec]) -> [CommandSpec] {
    commands.filter { !$0.isHidden }
  }
}

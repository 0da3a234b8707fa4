/// Turns command-line words into an ``Invocation``, in the manner of GNU programs.
///
/// - `--opt value`, `--opt=value`, `-o value`, `-ovalue`, clusters as `-qv`; `--` ends the options, a lone `-` is a word.
/// - Options may follow operands. They follow the word of the command they belong to; global ones may precede it.
/// - Long options are not abbreviated: a near miss is answered with what may have been meant.
/// - The last of several wins, as with GNU and curl, unless the option is repeatable. So an alias can be overridden.
/// - A value in a word of its own is taken as it is, except `--` and a known option: `--client-id --json` is nearly
///   always a slip. `--client-id=--json` is understood.
/// - `--help` wins over all other faults but an unknown command word, wherever it stands before `--`.
/// - `--version` is known before the command word only, and ends the reading.
/// - A group with a default subcommand takes its options (`providers --json`) but no operand: a word after a group
///   is always a subcommand, known or not. Otherwise a mistyped one would run something else.
public struct Parser: Sendable {
  private let program: ProgramSpec

  /// Makes a parser for a command table.
  public init(_ program: ProgramSpec) {
    self.program = program
  }

  /// Reads the words after the program's name; throws the first thing that is wrong with them.
  public func parse(_ arguments: [String]) throws(UsageError) -> Parsed {
    var pass = ParserPass(program)
    return try pass.run(arguments)
  }
}

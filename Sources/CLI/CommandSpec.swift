/// One command: a leaf that runs, or a group whose subcommands do.
public struct CommandSpec: Sendable {
  /// The word that calls it.
  public let name: String
  /// Other words that call it.
  public let aliases: [String]
  /// All words that call it.
  var words: [String] { [name] + aliases }
  /// One lower-case phrase without a full stop, for lists of commands.
  public let summary: String
  /// Whole sentences; an empty line separates paragraphs.
  public let discussion: String
  /// What a leaf takes besides options: required ones first, at most one repeated one, last.
  public let operands: [OperandSpec]
  /// Its options; those of a group hold for each of its subcommands too.
  public let options: [OptionSpec]
  /// Calls worth showing.
  public let examples: [Example]
  /// What a group is made of; empty for a leaf.
  public let subcommands: [CommandSpec]
  /// The subcommand that runs when none is named: it then takes its options, but no operand.
  public let defaultSubcommand: String?
  /// Whether it is absent from help, man page, completions and suggestions.
  public let isHidden: Bool

  /// Describes a command; a group has `subcommands` and no operands.
  public init(
    name: String, aliases: [String] = [], summary: String, discussion: String = "", operands: [OperandSpec] = [],
    options: [OptionSpec] = [], examples: [Example] = [], subcommands: [CommandSpec] = [],
    defaultSubcommand: String? = nil, isHidden: Bool = false
  ) {
    self.name = name
    self.aliases = aliases
    self.summary = summary
    self.discussion = discussion
    self.operands = operands
    self.options = options
    self.examples = examples
    self.subcommands = subcommands
    self.defaultSubcommand = defaultSubcommand
    self.isHidden = isHidden
  }

  /// Whether its subcommands do the work.
  public var isGroup: Bool { !subcommands.isEmpty }
}

/// One positional argument, or the last and repeated one.
public struct OperandSpec: Sendable {
  /// How often an operand is given.
  public enum Arity: Sendable, Equatable {
    /// Exactly once.
    case required
    /// Once or not at all.
    case optional
    /// As often as one likes, but this often at least.
    case repeated(atLeast: Int)
  }

  /// What stands for it in a usage line, `PROVIDER[/ACCOUNT]`.
  public let placeholder: String
  /// How often it is given.
  public let arity: Arity
  /// What shells offer for it; `.oneOf` is also enforced.
  public let completion: Completion
  /// Whether it is another program's command line: its first word ends the options as `--` does.
  public let endsOptions: Bool
  /// One lower-case phrase without a full stop.
  public let help: String

  /// Describes an operand by its placeholder.
  public init(
    _ placeholder: String, arity: Arity, completion: Completion = .none, endsOptions: Bool = false, help: String
  ) {
    self.placeholder = placeholder
    self.arity = arity
    self.completion = completion
    self.endsOptions = endsOptions
    self.help = help
  }

  /// How many words it takes at least.
  var least: Int {
    switch arity {
    case .required: 1
    case .optional: 0
    case .repeated(let atLeast): atLeast
    }
  }

  /// Whether it takes all the words that are left.
  var isRepeated: Bool {
    if case .repeated = arity { true } else { false }
  }
}

/// A call worth showing, and what it does.
public struct Example: Sendable {
  /// The whole line as one types it.
  public let command: String
  /// One lower-case phrase without a full stop.
  public let explanation: String

  /// Pairs a line with what it does.
  public init(_ command: String, _ explanation: String) {
    self.command = command
    self.explanation = explanation
  }
}

/// One option of a command, as the parser, the help, the man page and the completions all see it.
public struct OptionSpec: Sendable {
  /// Whether an option stands alone or takes a value.
  public enum Value: Sendable {
    /// The option is there or it is not.
    case flag
    /// The option needs a value, shown as `placeholder` in the help; a `.oneOf` completion is also enforced.
    case required(placeholder: String, completion: Completion)
  }

  /// The long name without its dashes.
  public let name: String
  /// The short name without its dash.
  public let short: Character?
  /// What follows the option.
  public let value: Value
  /// Whether giving it again adds a value; otherwise the last one wins.
  public let repeatable: Bool
  /// One lower-case phrase without a full stop.
  public let help: String

  /// The heading that it stands under in the help; nil for the usual one.
  public private(set) var group: String?

  /// Gives the same option under a heading of its own.
  public func under(_ heading: String) -> OptionSpec {
    var other = self
    other.group = heading
    return other
  }

  /// Describes an option by its long name (no dashes), its optional short letter and one phrase of help.
  public init(
    _ name: String, short: Character? = nil, value: Value = .flag, repeatable: Bool = false, help: String
  ) {
    self.name = name
    self.short = short
    self.value = value
    self.repeatable = repeatable
    self.help = help
  }

  /// What stands for the value in a usage line; nil for a flag.
  var placeholder: String? {
    guard case .required(let placeholder, _) = value else { return nil }
    return placeholder
  }

  /// What the value is completed with; nil for a flag.
  var completion: Completion? {
    guard case .required(_, let completion) = value else { return nil }
    return completion
  }

  /// The name as typed: `--min-valid`.
  var spelling: String { "--" + name }

  /// The short name as typed: `-q`.
  var shortSpelling: String? { short.map { "-\($0)" } }
}

/// What a shell offers for a value or an operand.
public enum Completion: Sendable, Equatable {
  /// Nothing can be offered.
  case none
  /// A path.
  case file
  /// A path to a directory.
  case directory
  /// One of these words; the parser refuses any other.
  case oneOf([String])
  /// These words come to mind, but any other is as good.
  case suggested([String])
  /// The binary is asked: `PROGRAM __complete KIND` prints a line `value` or `value<TAB>description` for each.
  case dynamic(String)
  /// A command of the system and its arguments.
  case command

  /// The only values allowed, if there is such a list.
  var choices: [String]? {
    guard case .oneOf(let choices) = self else { return nil }
    return choices
  }
}

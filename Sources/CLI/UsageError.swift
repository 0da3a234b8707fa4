/// A command line that was not understood; the program exits with 64.
public struct UsageError: Error, Sendable, Equatable {
  /// What is wrong with it.
  public enum Problem: Sendable, Equatable {
    /// A command or subcommand is needed, one of these.
    case missingSubcommand(choices: [String])
    /// No command has this name.
    case unknownCommand(String, suggestion: String?)
    /// The command has no such option; without the value that came with it, which may be a secret.
    case unknownOption(String, suggestion: String?)
    /// The option belongs to a command that is only named after it.
    case misplacedOption(String, command: [String])
    /// The option needs a value; `next` is the known option found in its place.
    case missingValue(option: String, placeholder: String, next: String?)
    /// A flag was given a value, as in `--json=yes`.
    case unexpectedValue(option: String)
    /// The value, or the operand when `option` is a placeholder, is none of the choices.
    case invalidChoice(option: String, value: String, choices: [String], suggestion: String?)
    /// An operand is needed.
    case missingOperand(placeholder: String)
    /// There is one operand too many.
    case unexpectedOperand(String)
  }

  /// What is wrong.
  public let problem: Problem
  /// The words of the command it is about; empty for the program itself.
  public let commandPath: [String]
  /// The name of the program.
  public let program: String
  /// How the command is called, `oauthctl token [OPTION]... PROVIDER[/ACCOUNT]`.
  public let usage: String

  /// The program and the command's words, `oauthctl token`.
  private var command: String { ([program] + commandPath).joined(separator: " ") }

  /// One line, lower case, no full stop, safe to print.
  public var message: String {
    switch problem {
    case .missingSubcommand:
      commandPath.isEmpty ? "a command is missing" : "a subcommand is missing for '\(command)'"
    case .unknownCommand(let word, _):
      "unknown command \(Quoting.quote(word))" + (commandPath.isEmpty ? "" : " for '\(command)'")
    case .unknownOption(let option, _), .misplacedOption(let option, _):
      "unknown option \(Quoting.quote(option)) for '\(command)'"
    case .missingValue(let option, let placeholder, let next):
      "option '\(option)' needs a value, \(placeholder)"
        + (next.map { ", but \(Quoting.quote($0)) follows" } ?? "")
    case .unexpectedValue(let option):
      "option '\(option)' takes no value"
    case .invalidChoice(let option, let value, _, _):
      "\(Quoting.quote(value)) is no value for \(option)"
    case .missingOperand(let placeholder):
      "\(placeholder) is missing for '\(command)'"
    case .unexpectedOperand(let word):
      "unexpected argument \(Quoting.quote(word)) for '\(command)'"
    }
  }

  /// One line that says what to do about it.
  public var hint: String {
    let more = "see '\(command) --help'"
    switch problem {
    case .missingSubcommand(let choices):
      return "one of \(choices.joined(separator: ", ")); \(more)"
    case .unknownCommand(_, let suggestion):
      return suggestion.map { "did you mean '\(command) \($0)'?" } ?? more
    case .unknownOption(_, let suggestion):
      return suggestion.map { "did you mean '\($0)'?" } ?? more
    case .misplacedOption(let option, let command):
      let words = ([program] + command).joined(separator: " ")
      return "put it after the command: '\(words) \(Quoting.escape(option))'"
    case .missingValue(let option, _, let next):
      guard let next, option.utf8.starts(with: "--".utf8) else { return more }
      return "if that is the value, write '\(option)=\(Quoting.escape(next))'; \(more)"
    case .invalidChoice(_, _, let choices, let suggestion):
      let list = "one of \(choices.joined(separator: ", "))"
      return suggestion.map { "did you mean '\($0)'? \(list)" } ?? list
    case .unexpectedValue:
      return more
    case .missingOperand, .unexpectedOperand:
      return "usage: \(usage); \(more)"
    }
  }
}

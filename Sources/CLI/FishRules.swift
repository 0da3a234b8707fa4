/// Writes the `complete` commands of the fish script.
struct FishRules {
  let program: String
  /// What the script's functions begin with.
  let prefix: String

  func subcommand(_ command: CommandSpec, at place: String) -> String {
    rule("\(prefix)_commands \(ShellWord.fish(place))") + " -a \(ShellWord.fish(command.words.joined(separator: " ")))"
      + description(command.summary)
  }

  /// An option of a place, or of all places when that is nil.
  func option(_ option: OptionSpec, at place: String?) -> String {
    let names = [option.spelling, option.shortSpelling].compactMap { $0 }
    let unless = option.repeatable ? [] : names
    let condition = (["\(prefix)_option", ShellWord.fish(place ?? "*")] + unless).joined(separator: " ")
    let short = option.short.map { " -s \(ShellWord.fish(String($0)))" } ?? ""
    let value = option.completion.map { $0 == .file ? " -r -F" : " -x" + arguments($0) } ?? ""
    return rule(condition) + short + " -l \(option.name)" + value + description(option.help)
  }

  /// An operand by its number, counted from zero.
  func operand(_ operand: OperandSpec, number: Int, at place: String) -> String {
    let many = operand.isRepeated ? " many" : ""
    let condition = "\(prefix)_operand \(ShellWord.fish(place)) \(number)\(many)"
    guard operand.completion != .file else { return rule(condition) + " -F" }
    return rule(condition) + arguments(operand.completion)
  }

  private func rule(_ condition: String) -> String {
    "complete -c \(program) -n \(ShellWord.fish(condition))"
  }

  private func arguments(_ completion: Completion) -> String {
    switch completion {
    case .none, .file: ""
    case .directory: " -a '(\(prefix)_directories)'"
    case .oneOf(let words), .suggested(let words):
      " -a " + ShellWord.fish(words.map(ShellWord.fish).joined(separator: " "))
    case .dynamic(let kind): " -a '(\(prefix)_ask \(kind))'"
    case .command: " -a '(\(prefix)_delegate)'"
    }
  }

  private func description(_ text: String) -> String {
    " -d " + ShellWord.fish(text)
  }
}

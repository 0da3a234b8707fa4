/// One walk over the words of a command line.
struct ParserPass {
  private let program: ProgramSpec
  private var path: [String] = []
  private var command: CommandSpec?
  private var scope: OptionScope
  private var operands: [String] = []
  private var given: [(option: OptionSpec, spelling: String, value: String?)] = []
  private var optionsEnded = false
  private var wantsHelp = false
  /// Whether the word `help` was all that asked for it: then it is a command, whose options have to be its own.
  private var helpIsCommand = false
  private var wantsVersion = false
  /// Kept, not thrown at once: a `--help` further on wins.
  private var firstError: UsageError?

  init(_ program: ProgramSpec) {
    self.program = program
    scope = OptionScope(options: program.globalOptions + [ProgramSpec.versionOption])
  }

  mutating func run(_ words: [String]) throws(UsageError) -> Parsed {
    var rest = words[...]
    while let word = rest.popFirst(), !wantsVersion {
      guard !optionsEnded, let kind = WordKind(word) else {
        try take(word)
        continue
      }
      switch kind {
      case .end: optionsEnded = true
      case .long(let name, let value): takeLong(name, value, &rest)
      case .short: takeCluster(word, &rest)
      }
    }
    return try finish()
  }

  /// The commands that the next word can name; empty when it is an operand.
  private var level: [CommandSpec] {
    command.map(\.subcommands) ?? program.commands
  }

  private mutating func take(_ word: String) throws(UsageError) {
    guard !level.isEmpty else {
      operands.append(word)
      if isForeign(operands.count - 1) { optionsEnded = true }
      return
    }
    if let next = level.first(where: { $0.name == word || $0.aliases.contains(word) }) {
      // The word `help` does what the option does, except that it is explained itself when asked for twice.
      if path.isEmpty, next.name == ProgramSpec.helpCommand.name, !wantsHelp { askForHelp() } else { enter(next) }
    } else if word == ProgramSpec.helpCommand.name {
      askForHelp()
    } else {
      let known = level.filter { !$0.isHidden }.flatMap { [$0.name] + $0.aliases }
      fail(.unknownCommand(word, suggestion: Suggestion.nearest(to: word, among: known)))
      if let firstError { throw firstError }
    }
  }

  private mutating func askForHelp() {
    if !wantsHelp { helpIsCommand = true }
    wantsHelp = true
  }

  /// Whether the operand at a position is where another program's command line begins.
  private func isForeign(_ position: Int) -> Bool {
    guard let operands = command?.operands, !operands.isEmpty else { return false }
    return operands[min(position, operands.count - 1)].endsOptions
  }

  private mutating func enter(_ next: CommandSpec) {
    path.append(next.name)
    command = next
    var options = program.globalOptions + program.ownOptions(at: path)
    if let standIn = next.subcommands.first(where: { $0.name == next.defaultSubcommand }) {
      options += standIn.options
    }
    scope = OptionScope(options: options)
  }

  private mutating func takeLong(_ name: String, _ value: String?, _ rest: inout ArraySlice<String>) {
    let spelling = "--" + name
    guard let option = scope.long(name) else {
      failUnknown(spelling, suggestion: scope.suggestion(for: name), rest)
      return
    }
    if option.placeholder != nil {
      takeValue(of: option, spelling, value, &rest)
    } else if value != nil {
      fail(.unexpectedValue(option: spelling))
    } else {
      add(option, spelling, nil)
    }
  }

  private mutating func takeCluster(_ word: String, _ rest: inout ArraySlice<String>) {
    switch scope.cluster(word) {
    case .flags(let flags):
      for flag in flags { add(flag, flag.shortSpelling ?? flag.spelling, nil) }
    case .value(let flags, let option, let value):
      for flag in flags { add(flag, flag.shortSpelling ?? flag.spelling, nil) }
      takeValue(of: option, option.shortSpelling ?? option.spelling, value, &rest)
    case .unknown(let letter):
      // `-json` for `--json`: the whole word tells more than its first letter.
      if case .long(let name, _) = WordKind("-" + word), scope.long(name) != nil {
        failUnknown("-" + name, suggestion: "--" + name, rest)
      } else {
        failUnknown("-\(letter)", suggestion: nil, rest)
      }
    }
  }

  private mutating func takeValue(
    of option: OptionSpec, _ spelling: String, _ value: String?, _ rest: inout ArraySlice<String>
  ) {
    if let value {
      add(option, spelling, value)
    } else if let next = rest.first, !scope.knows(next) {
      rest.removeFirst()
      add(option, spelling, next)
    } else {
      fail(.missingValue(option: spelling, placeholder: option.placeholder ?? "", next: rest.first))
    }
  }

  private mutating func add(_ option: OptionSpec, _ spelling: String, _ value: String?) {
    switch option.name {
    case ProgramSpec.helpOption.name:
      wantsHelp = true
      helpIsCommand = false
    case ProgramSpec.versionOption.name where path.isEmpty && firstError == nil: wantsVersion = true
    default:
      if !option.repeatable { given.removeAll { $0.option.name == option.name } }
      given.append((option, spelling, value))
    }
  }

  private mutating func failUnknown(_ spelling: String, suggestion: String?, _ rest: ArraySlice<String>) {
    // `oauthctl --json status`: the option is right, its place is not.
    if case .long(let name, _) = WordKind(spelling), !level.isEmpty, let owner = owner(of: name, after: rest) {
      fail(.misplacedOption(spelling, command: owner))
    } else {
      fail(.unknownOption(spelling, suggestion: suggestion))
    }
  }

  /// The command named further on, if the option is one of its own.
  private func owner(of option: String, after rest: ArraySlice<String>) -> [String]? {
    var ahead = self
    for word in rest {
      guard let next = ahead.level.first(where: { $0.name == word || $0.aliases.contains(word) }) else { continue }
      ahead.enter(next)
    }
    guard ahead.path != path, ahead.scope.long(option) != nil else { return nil }
    return ahead.path
  }

  private mutating func finish() throws(UsageError) -> Parsed {
    if wantsHelp {
      if helpIsCommand { try checkHelpCommand() }
      return .help(path: path)
    }
    if let firstError { throw firstError }
    if wantsVersion { return .version }
    if let standIn = level.first(where: { $0.name == command?.defaultSubcommand }) { enter(standIn) }
    if !level.isEmpty {
      fail(.missingSubcommand(choices: level.filter { !$0.isHidden }.map(\.name)))
    }
    checkOptions()
    checkOperands()
    if let firstError { throw firstError }
    return .run(
      Invocation(path: path, operands: operands, options: given.map { ($0.option.name, $0.value) }))
  }

  /// The help is text: `help token --json` would be answered with what was not asked for.
  private mutating func checkHelpCommand() throws(UsageError) {
    let foreign = given.first { one in !program.globalOptions.contains { $0.name == one.option.name } }
    if let foreign {
      path = [ProgramSpec.helpCommand.name]
      fail(.unknownOption(foreign.spelling, suggestion: nil))
    }
    if let firstError { throw firstError }
  }

  private mutating func checkOptions() {
    for (option, spelling, value) in given {
      // Taken while the default subcommand was in view, before another one was named.
      guard let final = scope.long(option.name) else {
        fail(.unknownOption(spelling, suggestion: scope.suggestion(for: option.name)))
        continue
      }
      if let value, let completion = final.completion { check(value, of: spelling, completion) }
    }
  }

  private mutating func checkOperands() {
    let specs = command?.operands ?? []
    if let spec = specs.last, spec.isRepeated {
      let needed = specs.reduce(0) { $0 + $1.least }
      if operands.count < needed {
        fail(.missingOperand(placeholder: specs[min(operands.count, specs.count - 1)].placeholder))
      }
    } else if operands.count > specs.count {
      fail(.unexpectedOperand(operands[specs.count]))
    } else if let missing = specs.dropFirst(operands.count).first(where: { $0.least > 0 }) {
      fail(.missingOperand(placeholder: missing.placeholder))
    }
    for (position, word) in operands.enumerated() where !specs.isEmpty {
      let spec = specs[min(position, specs.count - 1)]
      check(word, of: spec.placeholder, spec.completion)
    }
  }

  private mutating func check(_ value: String, of name: String, _ completion: Completion) {
    guard let choices = completion.choices, !choices.contains(value) else { return }
    let suggestion = Suggestion.nearest(to: value, among: choices)
    fail(.invalidChoice(option: name, value: value, choices: choices, suggestion: suggestion))
  }

  private mutating func fail(_ problem: UsageError.Problem) {
    guard firstError == nil else { return }
    firstError = UsageError(
      problem: problem, commandPath: path, program: program.name, usage: program.usageLine(for: path))
  }
}

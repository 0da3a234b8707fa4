extension ProgramSpec {
  /// Finds what is contradictory in the table, one line each.
  ///
  /// Empty for a sound table; a test should ask.
  public func faults() -> [String] {
    var faults: [String] = []
    check(commands, at: [], &faults)
    let root = globalOptions + [Self.versionOption]
    faults += Self.repeated(root.map(\.spelling) + root.compactMap(\.shortSpelling)).map { "\($0) is global twice" }
    return faults + globalOptions.flatMap(phraseFaults) + exampleFaults(examples)
  }

  private func check(_ level: [CommandSpec], at path: [String], _ faults: inout [String]) {
    let place = ([name] + path).joined(separator: " ")
    faults += Self.repeated(level.flatMap { [$0.name] + $0.aliases }).map { "\(place): '\($0)' is there twice" }
    for command in level {
      let path = path + [command.name]
      let place = ([name] + path).joined(separator: " ")
      let own = commandFaults(command) + optionFaults(at: path) + operandFaults(command.operands)
      faults += own.map { "\(place): \($0)" }
      check(command.subcommands, at: path, &faults)
    }
  }

  private func commandFaults(_ command: CommandSpec) -> [String] {
    var faults: [String] = []
    for word in [command.name] + command.aliases where !Self.isWord(word) {
      faults.append("'\(word)' is no name for a command")
    }
    if command.isGroup, !command.operands.isEmpty {
      faults.append("a group has no operands")
    }
    if let name = command.defaultSubcommand {
      guard let standIn = command.subcommands.first(where: { $0.name == name }) else {
        return faults + ["the default subcommand '\(name)' is not there"]
      }
      if standIn.operands.contains(where: { $0.least > 0 }) || standIn.isGroup {
        faults.append("the default subcommand '\(name)' cannot run alone")
      }
      // Options are read with the default in view before another subcommand may be named: they must read alike.
      for sibling in command.subcommands {
        for option in sibling.options {
          let twin = standIn.options.first { $0.name == option.name || $0.short != nil && $0.short == option.short }
          if let twin, twin.name != option.name || (twin.placeholder == nil) != (option.placeholder == nil) {
            faults.append("\(option.spelling) of '\(sibling.name)' reads otherwise than \(twin.spelling) of '\(name)'")
          }
        }
      }
    }
    return faults + exampleFaults(command.examples) + phraseFaults(command.summary, of: "the summary")
  }

  private func optionFaults(at path: [String]) -> [String] {
    let options = globalOptions + ownOptions(at: path)
    let twice = Self.repeated(options.map(\.spelling) + options.compactMap(\.shortSpelling))
    return twice.map { "\($0) is there twice" } + ownOptions(at: path).flatMap(phraseFaults)
  }

  private func operandFaults(_ operands: [OperandSpec]) -> [String] {
    var faults: [String] = []
    if operands.dropLast().contains(where: \.isRepeated) {
      faults.append("only the last operand can be repeated")
    }
    if operands.drop(while: { $0.least > 0 }).contains(where: { $0.least > 0 }) {
      faults.append("a required operand follows one that is not")
    }
    if operands.dropLast().contains(where: \.endsOptions) {
      faults.append("only the last operand can end the options")
    }
    return faults
      + operands.flatMap { phraseFaults($0.help, of: $0.placeholder) + choiceFaults($0.completion, of: $0.placeholder) }
  }

  /// Shells are given lists of words.
  private func choiceFaults(_ completion: Completion, of what: String) -> [String] {
    switch completion {
    case .oneOf(let words), .suggested(let words):
      words.filter { $0.isEmpty || $0.contains(where: \.isWhitespace) }.map { "\(what): '\($0)' is no word" }
    case .dynamic(let kind): Self.isWord(kind) ? [] : ["\(what): '\(kind)' is no kind of word"]
    case .none, .file, .directory, .command: []
    }
  }

  /// Command lines are never broken, so they must fit the help page, which indents them by two.
  private func exampleFaults(_ examples: [Example]) -> [String] {
    examples.filter { $0.command.count > 78 || $0.command.contains(where: \.isNewline) }
      .map { "the example '\($0.command)' is no line of 78 columns" }
  }

  private func phraseFaults(_ option: OptionSpec) -> [String] {
    let name = Self.isWord(option.name) ? [] : ["'\(option.name)' is no name for an option"]
    let choices = option.completion.map { choiceFaults($0, of: option.spelling) } ?? []
    return name + choices + phraseFaults(option.help, of: option.spelling)
  }

  private func phraseFaults(_ phrase: String, of what: String) -> [String] {
    let ends = phrase.hasSuffix(".") && !phrase.hasSuffix("...")
    return phrase.isEmpty || ends || phrase.contains(where: \.isNewline)
      ? ["\(what) needs one phrase without a full stop"] : []
  }

  /// Lower-case letters, digits, dashes and underscores: what needs no quoting in any shell or man page.
  private static func isWord(_ text: String) -> Bool {
    let allowed = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
      case UInt8(ascii: "-"), UInt8(ascii: "_"): true
      default: false
      }
    }
    return allowed && !text.isEmpty && !text.utf8.starts(with: "-".utf8)
  }

  private static func repeated(_ words: [String]) -> [String] {
    var seen: Set<String> = []
    return words.filter { !seen.insert($0).inserted }
  }
}

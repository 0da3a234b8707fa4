extension ProgramSpec {
  /// How a command is called: the program, its words, its operands; brackets mark what can be left out.
  func usageLine(for path: [String]) -> String {
    let command = command(at: path)
    var words = [name] + path + ["[OPTION]..."]
    if command?.isGroup ?? path.isEmpty {
      words.append(command?.defaultSubcommand == nil ? "COMMAND" : "[COMMAND]")
      words.append("[ARGUMENT]...")
    }
    for operand in command?.operands ?? [] {
      if operand.endsOptions { words.append("--") }
      words.append(contentsOf: operand.usage)
    }
    return words.joined(separator: " ")
  }
}

extension OperandSpec {
  /// The words that stand for it in a usage line: `NAME`, `[NAME]`, `NAME...`, `[NAME]...`.
  var usage: [String] {
    switch arity {
    case .required: [placeholder]
    case .optional: ["[\(placeholder)]"]
    case .repeated(let atLeast):
      Array(repeating: placeholder, count: max(atLeast - 1, 0)) + [
        atLeast > 0 ? "\(placeholder)..." : "[\(placeholder)]..."
      ]
    }
  }
}

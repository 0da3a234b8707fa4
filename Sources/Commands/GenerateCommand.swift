internal import CLI

/// `oauthctl __generate`: the man page and the completions out of the table; `make generate` writes them to files.
enum GenerateCommand: Command {
  static let name = "__generate"
  static let spec = CommandSpec(
    name: name, summary: "print a file that is generated from the command table",
    operands: [
      OperandSpec("KIND", arity: .required, completion: .oneOf(["man", "bash", "zsh", "fish"]), help: "which one")
    ],
    isHidden: true)

  static func run(_ invocation: Invocation, _ environment: Environment) throws {
    let program = CommandTable.program
    let text: String
    switch invocation.operands[0] {
    case "man": text = ManPage.render(program, json: JSONManual.shapes)
    case "bash": text = BashCompletion.render(program)
    case "zsh": text = ZshCompletion.render(program)
    case "fish": text = FishCompletion.render(program)
    default: throw Failure(.usage, "no such file is generated", hint: "one of man, bash, zsh, fish")
    }
    try environment.output.answer(text)
  }
}

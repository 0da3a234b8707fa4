import CLI
import Testing

private func faults(_ commands: [CommandSpec], _ options: [OptionSpec] = []) -> [String] {
  ProgramSpec(
    name: "p", version: "1", date: "May 1, 2026", summary: "try", commands: commands, globalOptions: options
  ).faults()
}

private func leaf(_ name: String, operands: [OperandSpec] = [], options: [OptionSpec] = []) -> CommandSpec {
  CommandSpec(name: name, summary: "do it", operands: operands, options: options)
}

@Suite struct `Faults of a command table` {
  @Test func `a sound table has none`() {
    #expect(sample.faults() == [])
  }

  @Test func `names are there once`() {
    #expect(faults([leaf("a"), leaf("a")]) == ["p: 'a' is there twice"])
    #expect(faults([leaf("help")]) == ["p: 'help' is there twice"])
    #expect(faults([leaf("a", options: [OptionSpec("help", help: "x")])]) == ["p a: --help is there twice"])
    #expect(faults([leaf("a", options: [OptionSpec("hop", short: "h", help: "x")])]) == ["p a: -h is there twice"])
    #expect(faults([], [OptionSpec("version", help: "x")]) == ["--version is global twice"])
    let group = CommandSpec(
      name: "g", summary: "do it", options: [OptionSpec("all", help: "x")],
      subcommands: [leaf("s", options: [OptionSpec("all", help: "x")])])
    #expect(faults([group]) == ["p g s: --all is there twice"])
  }

  @Test func `names need no quoting`() {
    #expect(faults([leaf("a b")]) == ["p a b: 'a b' is no name for a command"])
    #expect(faults([leaf("a", options: [OptionSpec("--all", help: "x")])]) == ["p a: '--all' is no name for an option"])
  }

  @Test func `operands come in an order that can be read`() {
    let needed = OperandSpec("A", arity: .required, help: "x")
    let maybe = OperandSpec("B", arity: .optional, help: "x")
    let many = OperandSpec("C", arity: .repeated(atLeast: 0), endsOptions: true, help: "x")
    #expect(faults([leaf("a", operands: [needed, maybe, many])]) == [])
    #expect(faults([leaf("a", operands: [maybe, needed])]) == ["p a: a required operand follows one that is not"])
    #expect(
      faults([leaf("a", operands: [many, maybe])]) == [
        "p a: only the last operand can be repeated", "p a: only the last operand can end the options",
      ])
  }

  @Test func `a default subcommand runs alone and reads options as its siblings do`() {
    func group(_ standIn: CommandSpec, _ sibling: CommandSpec, named name: String = "list") -> [String] {
      faults([CommandSpec(name: "g", summary: "do it", subcommands: [standIn, sibling], defaultSubcommand: name)])
    }
    let kind = OptionSpec("kind", value: .required(placeholder: "K", completion: .none), help: "x")
    #expect(group(leaf("list", options: [kind]), leaf("show", options: [kind])) == [])
    #expect(group(leaf("list"), leaf("show"), named: "lst") == ["p g: the default subcommand 'lst' is not there"])
    #expect(
      group(leaf("list", operands: [OperandSpec("A", arity: .required, help: "x")]), leaf("show"))
        == ["p g: the default subcommand 'list' cannot run alone"])
    #expect(
      group(leaf("list", options: [kind]), leaf("show", options: [OptionSpec("kind", help: "x")]))
        == ["p g: --kind of 'show' reads otherwise than --kind of 'list'"])
  }

  @Test func `help is one phrase`() {
    #expect(
      faults([leaf("a", options: [OptionSpec("all", help: "All of it.")])])
        == ["p a: --all needs one phrase without a full stop"])
    #expect(faults([CommandSpec(name: "a", summary: "")]) == ["p a: the summary needs one phrase without a full stop"])
  }

  @Test func `an example fits its line`() {
    let long = Example(String(repeating: "x", count: 79), "is too long")
    #expect(faults([CommandSpec(name: "a", summary: "do it", examples: [long])]).count == 1)
    let fitting = Example(String(repeating: "x", count: 78), "is not")
    #expect(faults([CommandSpec(name: "a", summary: "do it", examples: [fitting])]) == [])
  }

  @Test func `choices are words`() {
    let option = OptionSpec("o", value: .required(placeholder: "O", completion: .oneOf(["a b", ""])), help: "x")
    #expect(faults([leaf("a", options: [option])]) == ["p a: --o: 'a b' is no word", "p a: --o: '' is no word"])
    let operand = OperandSpec("X", arity: .required, completion: .dynamic("a; b"), help: "x")
    #expect(faults([leaf("a", operands: [operand])]) == ["p a: X: 'a; b' is no kind of word"])
  }
}

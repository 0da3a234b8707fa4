internal import CLI
internal import Flows
internal import OAuth

/// `oauthctl providers`: the catalogue, and one's own.
enum ProvidersCommand: Command {
  static let name = "providers"
  static let spec = CommandSpec(
    name: name, summary: "list, show, add and remove providers",
    examples: [Example("oauthctl providers", "list all of them")],
    subcommands: [
      CommandSpec(
        name: "list", summary: "list the providers that there are",
        operands: [OperandSpec("WORD", arity: .optional, help: "only those with this word in name or title")],
        options: [SharedOptions.json],
        examples: [Example("oauthctl providers list git", "the providers with 'git' in their name")]),
      CommandSpec(
        name: "show", summary: "print a provider's data, as a provider file holds it",
        operands: [OperandSpec("NAME", arity: .required, completion: .dynamic("providers"), help: "the provider")],
        options: [SharedOptions.json],
        examples: [
          Example("oauthctl providers show github", "how GitHub is described")
        ]),
      ProvidersAddCommand.spec,
      CommandSpec(
        name: "remove", summary: "remove a provider of one's own; logins stay",
        operands: [OperandSpec("NAME", arity: .required, completion: .dynamic("user-providers"), help: "the provider")],
        options: [SharedOptions.json],
        examples: [Example("oauthctl providers remove acme", "remove the file of acme")]),
    ], defaultSubcommand: "list")

  static func run(_ invocation: Invocation, _ environment: Environment) throws {
    switch invocation.path.last {
    case "show": try show(invocation.operands[0], environment)
    case "add": try ProvidersAddCommand.run(invocation, environment)
    case "remove": try remove(invocation.operands[0], environment)
    default: try list(invocation.operand(0), environment)
    }
  }

  private static func list(_ word: String?, _ environment: Environment) throws {
    let output = environment.output
    let found = environment.providers.all { broken in
      output.warn(broken.message)
      if let hint = broken.hint { output.note("hint: \(hint)") }
    }.filter { entry in
      guard let word = word?.lowercased() else { return true }
      return "\(entry.provider.name) \(entry.provider.effectiveTitle)".lowercased().contains(word)
    }
    if output.isJSON {
      return try output.answer(
        .array(
          found.map { entry in
            .object([
              "name": .string(entry.provider.name), "title": .string(entry.provider.effectiveTitle),
              "flows": .array(entry.provider.flowNames.map(JSONValue.string)), "source": .string(entry.source.rawValue),
            ])
          }))
    }
    guard !found.isEmpty else {
      return output.note("no provider has \(Quoting.quote(word ?? "")) in its name or title")
    }
    let rows = found.map {
      [$0.provider.name, PrintableText.printable($0.provider.effectiveTitle, limit: 40), $0.source.rawValue]
    }
    try output.answer(TextTable.render(["NAME", "TITLE", "SOURCE"], rows))
  }

  private static func show(_ name: String, _ environment: Environment) throws {
    guard Name.isValid(name), let (provider, _) = try environment.providers.find(name) else {
      throw environment.providers.unknown(name)
    }
    try environment.output.answer(ProviderFile.write(provider))
  }

  /// Answers what changes a provider: with `--json` an object, else nothing.
  ///
  /// - Parameter clientID: the client that was registered, if one was.
  static func answerDone(_ name: String, clientID: String? = nil, _ output: Output) throws(Failure) {
    guard output.isJSON else { return }
    var members = ["name": JSONValue.string(name), "result": .string("ok")]
    if let clientID { members["client_id"] = .string(clientID) }
    try output.answer(.object(members))
  }

  private static func remove(_ name: String, _ environment: Environment) throws {
    guard Name.isValid(name) else { throw environment.providers.unknown(name) }
    if try environment.providers.remove(name) {
      environment.output.note("removed \(environment.providers.path(name))")
      return try answerDone(name, environment.output)
    }
    guard try environment.providers.find(name) != nil else { throw environment.providers.unknown(name) }
    throw Failure(.configuration, "\(name) is built in and cannot be removed", hint: "a file of one's own replaces it")
  }
}

internal import CLI
internal import Flows
internal import OAuth

/// `oauthctl __complete` prints live names for the shells' completions, a value and a description a line.
///
/// It never fails: a shell has no use for an error while someone types.
enum CompleteCommand: Command {
  static let name = "__complete"
  static let spec = CommandSpec(
    name: name, summary: "print names for a shell's completion",
    operands: [OperandSpec("KIND", arity: .required, help: "accounts, logins, providers, user-providers or targets")],
    isHidden: true)

  static func run(_ invocation: Invocation, _ environment: Environment) throws {
    let lines: [String] =
      switch invocation.operands[0] {
      case "accounts": accounts(environment)
      case "logins": logins(environment)
      case "providers": providers(environment, userOnly: false)
      case "user-providers": providers(environment, userOnly: true)
      case "targets": accounts(environment) + providers(environment, userOnly: false)
      default: []
      }
    try environment.output.answer(lines.map { $0 + "\n" }.joined())
  }

  private static func accounts(_ environment: Environment) -> [String] {
    ((try? environment.sessions.accounts()) ?? []).map { "\($0)\tlogged in" }
  }

  private static func logins(_ environment: Environment) -> [String] {
    ((try? environment.begunLogins.list(now: environment.time.now)) ?? []).map { "\($0.id)\t\($0.provider)" }
  }

  private static func providers(_ environment: Environment, userOnly: Bool) -> [String] {
    environment.providers.all { _ in }.filter { !userOnly || $0.source == .user }
      .map { "\($0.provider.name)\t\(PrintableText.printable($0.provider.effectiveTitle, limit: 60))" }
  }
}

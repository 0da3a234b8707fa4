internal import CLI
internal import Flows
internal import OAuth

/// `oauthctl lock`: locks the keyring.
enum LockCommand: Command {
  static let name = "lock"
  static let spec = CommandSpec(
    name: name, summary: "lock the keyring",
    discussion: "Nothing in it can then be read until it is unlocked, by any program.",
    options: [SharedOptions.json],
    examples: [Example("oauthctl lock", "lock it, as a screen locker does")])

  static func run(_ invocation: Invocation, _ environment: Environment) throws {
    let door = environment.door
    let found = try door.look()
    switch found.condition {
    case .missing: throw StoreError.noCollection
    case .locked:
      environment.output.note("the keyring \(KeyringAnswer.name(found)) is locked already")
      return try KeyringAnswer.give(found, environment)
    case .open:
      try door.lock()
      environment.output.note("locked the keyring \(KeyringAnswer.name(found))")
      try KeyringAnswer.give(try door.look(), environment)
    }
  }
}

internal import CLI
internal import Crypto
internal import Flows
internal import OAuth

/// `oauthctl unlock`: unlocks the keyring with nobody before a display.
enum UnlockCommand: Command {
  static let name = "unlock"
  static let spec = CommandSpec(
    name: name, summary: "unlock the keyring, over SSH and in scripts, without a graphical prompt",
    discussion:
      "The password is asked for without showing it, or read from a file. Where there is no keyring yet, one is made with "
      + "that password; where no keyring service runs, gnome-keyring-daemon is started. Other services, such as "
      + "KeePassXC, are unlocked in their own window alone. " + SharedOptions.secretFiles,
    options: [
      OptionSpec(
        "password-file", value: .required(placeholder: "FILE", completion: .file),
        help: "read the keyring's password from a file, - for standard input"),
      SharedOptions.json,
    ],
    examples: [
      Example("oauthctl unlock", "type the password, over SSH"),
      Example("oauthctl unlock --password-file /etc/keys/keyring", "in a boot script"),
    ])

  static func run(_ invocation: Invocation, _ environment: Environment) throws {
    let door = environment.door
    let found = try lookOrStart(door, environment)
    if found.condition == .open {
      environment.output.note("the keyring \(KeyringAnswer.name(found)) is unlocked already")
      return try KeyringAnswer.give(found, environment)
    }
    guard found.takesPassword else { throw UnlockError.onlyInItsWindow }
    let isNew = found.condition == .missing
    let file = invocation.value("password-file")
    let password = try password(file, isNew: isNew, environment)
    try alone(environment) {
      // Another shell may have been faster.
      switch try door.look().condition {
      case .open: return
      case .missing: try door.create(password)
      case .locked: try unlock(door, password, from: file)
      }
    }
    let now = try door.look()
    guard now.condition == .open else { throw StoreError.locked }
    environment.output.note("\(isNew ? "made" : "unlocked") the keyring \(KeyringAnswer.name(now))")
    try KeyringAnswer.give(now, environment)
  }

  private static func lookOrStart(_ door: any KeyringDoor, _ environment: Environment) throws -> KeyringState {
    do {
      return try door.look()
    } catch StoreError.noService {
      try alone(environment) {
        do { _ = try door.look() } catch StoreError.noService {
          try door.startService()
          environment.output.note("started gnome-keyring-daemon")
        }
      }
      return try door.look()
    }
  }

  private static func unlock(_ door: any KeyringDoor, _ password: Secret, from file: String?) throws {
    do {
      try door.unlock(password)
    } catch {
      var failure = Failure(error)
      // The compiler (6.3) crashes where the pattern stands in the catch.
      if case .wrongPassword = error, let file, password.withBytes({ $0.contains(0x0A) }) {
        let name = file == "-" ? "standard input" : file
        failure.hint =
          "\(name) has several lines, and all of them were taken for the password: only its last line end is dropped"
      }
      throw failure
    }
  }

  /// Lets one process make or start something at a time: two keyrings, or two services, are one too many.
  private static func alone(_ environment: Environment, _ body: @escaping @Sendable () throws -> Void) throws {
    try environment.wait {
      do {
        try await environment.lock.withLock("unlock", limit: .seconds(20)) { try await offPool(body) }
      } catch LockError.unusable {
        // Without a folder for locks the keyring can be opened all the same.
        try await offPool(body)
      }
    }
  }

  private static func password(_ file: String?, isNew: Bool, _ environment: Environment) throws -> Secret {
    guard file != nil || environment.terminal.isInteractive else {
      throw Failure(
        .usage, "there is no terminal to ask for the keyring's password on",
        hint: "give it with --password-file FILE, or '--password-file -' for one that comes through a pipe")
    }
    let file = file ?? "-"
    let prompt = isNew ? "password for a new keyring: " : "password of the keyring: "
    let password = try environment.secret(from: file, prompt: prompt, named: "password")
    if isNew, file == "-", environment.terminal.isInteractive {
      guard try environment.secret(from: file, prompt: "the same again: ", named: "password") == password else {
        throw Failure(.usage, "the two passwords differ", hint: "nothing was made; try again")
      }
    }
    return password
  }
}

/// What `unlock` and `lock` answer.
enum KeyringAnswer {
  /// The keyring's name for people, in quotes.
  static func name(_ state: KeyringState) -> String { "'\(PrintableText.printable(state.label, limit: 60))'" }

  /// Prints the keyring's state with `--json`, else nothing.
  static func give(_ state: KeyringState, _ environment: Environment) throws {
    guard environment.output.isJSON else { return }
    try environment.output.answer(
      .object([
        "result": .string("ok"), "keyring": .string(state.label), "locked": .bool(state.condition != .open),
      ]))
  }
}

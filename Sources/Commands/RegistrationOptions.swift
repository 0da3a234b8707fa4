internal import CLI
internal import Crypto

/// What an operator gave for the registration of a client by itself (RFC 7591).
struct RegistrationOptions: Sendable {
  /// What servers want that do not register just anybody.
  let initialAccessToken: Secret?
  /// What somebody whom the server trusts says of this program.
  let softwareStatement: Secret?

  static let specs = [
    OptionSpec(
      "initial-access-token-file", value: .required(placeholder: "FILE", completion: .file),
      help: "the token that the server wants for the registration of a client (RFC 7591), from a file; it is not kept"),
    OptionSpec(
      "software-statement-file", value: .required(placeholder: "FILE", completion: .file),
      help: "a signed statement about the client to be registered (RFC 7591), from a file"),
  ]

  init(_ invocation: Invocation, _ environment: Environment) throws {
    func secret(_ option: String, _ prompt: String) throws -> Secret? {
      try invocation.value(option).map { try environment.secret(from: $0, prompt: prompt) }
    }
    initialAccessToken = try secret("initial-access-token-file", "initial access token: ")
    softwareStatement = try secret("software-statement-file", "software statement: ")
  }

  /// Whether somebody has said that a client be registered.
  var isWanted: Bool { initialAccessToken != nil || softwareStatement != nil }
}

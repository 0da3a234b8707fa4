internal import CLI
internal import Crypto
internal import OAuth

/// What an operator gave for the registration of a client by itself (RFC 7591).
struct RegistrationOptions: Sendable {
  /// What servers want that do not register just anybody.
  let initialAccessToken: Secret?
  /// What somebody whom the server trusts says of this program.
  let softwareStatement: Secret?
  /// What the client is to say of itself beside what it has to.
  let metadata: [String: JSONValue]

  static let specs = [
    OptionSpec(
      "initial-access-token-file", value: .required(placeholder: "FILE", completion: .file),
      help: "the token that the server wants for the registration of a client (RFC 7591), from a file; it is not kept"),
    OptionSpec(
      "software-statement-file", value: .required(placeholder: "FILE", completion: .file),
      help: "a signed statement about the client to be registered (RFC 7591), from a file"),
    OptionSpec(
      "client-name", value: .required(placeholder: "TEXT", completion: .none),
      help: "the name, for people, of a client to be registered (RFC 7591); oauthctl where none is given"),
  ]

  init(_ invocation: Invocation, _ environment: Environment) throws {
    func secret(_ option: String, _ prompt: String) throws -> Secret? {
      try invocation.value(option).map { try environment.secret(from: $0, prompt: prompt) }
    }
    initialAccessToken = try secret("initial-access-token-file", "initial access token: ")
    softwareStatement = try secret("software-statement-file", "software statement: ")
    for (option, secret) in [
      ("initial-access-token-file", initialAccessToken), ("software-statement-file", softwareStatement),
    ] {
      // Either is one word, and what follows it in a file would break the request.
      guard let secret, !secret.reveal().utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { continue }
      throw Failure(
        .usage, "what --\(option) names is not one word of printable ASCII",
        hint: "have it hold the token alone, on one line")
    }
    let name = invocation.value("client-name")
    if let name, name.isEmpty || name.utf8.count > 200 || name != PrintableText.printable(name, limit: 200) {
      throw Failure(.usage, "--client-name is no name for people", hint: "write 1 to 200 visible characters")
    }
    metadata = name.map { ["client_name": .string($0)] } ?? [:]
  }

  /// Whether somebody has said that a client be registered.
  var isWanted: Bool { initialAccessToken != nil || softwareStatement != nil }
}

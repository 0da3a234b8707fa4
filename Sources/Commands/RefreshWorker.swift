internal import CLI
internal import Flows
internal import Host
internal import OAuth

/// Where refreshes are done: in a process of their own.
///
/// Between the server's reply and the keyring's receipt the new refresh token exists in memory alone. A process that a
/// user or a script waits for is killed for many reasons in just that moment (Ctrl-C, `timeout`, a closed terminal); one
/// in a session of its own, which nobody knows, is not: it waits for the server as long as ever, and saves what it got.
struct RefreshWorker: Sendable {
  private let options: [String]
  private let variables: [String: String]

  /// Passes on what the invocation says of the network, and of messages.
  init(_ invocation: Invocation, variables: [String: String]) {
    self.variables = variables
    options =
      ["verbose", "quiet"].filter { invocation.has($0) }.map { "--\($0)" }
      + (invocation.value("cacert").map { ["--cacert=\($0)"] } ?? [])
  }

  /// Has the account refreshed.
  ///
  /// Cancelling stops the waiting; the refresh goes on to its own end.
  ///
  /// - Parameters:
  ///   - seen: the fingerprint of the access token that the caller read; empty where there was none.
  ///   - variant: which of the account's tokens is meant.
  /// - Throws: ``Failure``, `CancellationError`.
  func refresh(_ account: Account, seen: String, variant: TokenVariant.Request) async throws {
    let wanted =
      variant.scopes.map { "--scope=\($0)" } + variant.resources.map { "--resource=\($0)" }
      + (variant.audience.map { ["--audience=\($0)"] } ?? [])
    let answer = try await OwnProgram.run(
      [RefreshWorkerCommand.name, account.fullName, seen] + wanted + options, environment: variables)
    guard let reply = JSONValue(parsing: answer)?.members else {
      throw Failure(.temporary, "the refresh was cut off", hint: "try again")
    }
    if let failure = Failure(json: .object(reply)) { throw failure }
  }
}

/// `oauthctl __refresh`: refreshes one account for the process that started it, and answers with a JSON object.
enum RefreshWorkerCommand: Command {
  static let name = "__refresh"
  static let spec = CommandSpec(
    name: name, summary: "refresh one account for another oauthctl",
    operands: [
      SharedOptions.account(.required),
      OperandSpec("SEEN", arity: .required, help: "the fingerprint of the access token that is to be replaced"),
    ], options: SharedOptions.variant + [SharedOptions.cacert], isHidden: true)

  static func run(_ invocation: Invocation, _ environment: Environment) throws {
    OwnProgram.endWithCaller()
    let answer: JSONValue
    do {
      try refresh(invocation, environment)
      answer = .object(["result": .string("ok")])
    } catch {
      answer = Failure(Failure.naming(error, in: invocation)).completed(environment.sessions).json
    }
    // A caller that is gone needs no answer, and its terminal no complaint about that.
    try? environment.output.answer(answer)
  }

  private static func refresh(_ invocation: Invocation, _ environment: Environment) throws {
    let name = try invocation.account(invocation.operands[0])
    let account = Account(provider: name.provider, name: name.account ?? Account.defaultName)
    let seen = invocation.operands[1]
    let variant = try invocation.tokenVariant()
    let session = try environment.sessions.load(account)
    let secret = session.flatMap { environment.environmentSecret(provider: account.provider, clientID: $0.clientID) }
    let refresh = RefreshSession(
      store: environment.store, lock: environment.lock, network: try environment.makeNetwork(),
      warn: environment.output.warn)
    _ = try environment.wait(endsBySignal: false) {
      do {
        return try await refresh.refresh(account, seen: seen, variant: variant, secret: secret)
      } catch {
        let failure = Failure(error, login: account.description)
        guard secret != nil, let session else { throw failure }
        throw failure.naming(variableFor: session.clientID, of: account.provider, environment)
      }
    }
  }
}

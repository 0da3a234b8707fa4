internal import CLI
internal import Crypto
internal import Flows
internal import FoundationEssentials
internal import Host
internal import Keyring
internal import OAuth

/// What a command works with: the machine, behind the ports.
///
/// The one place that names concrete adapters.
struct Environment: Sendable {
  /// Reads the environment variables.
  var readVariables: @Sendable () -> [String: String]
  /// Where the answer and the messages go.
  var output: Output
  /// The keyring.
  var store: any SecretStore
  /// The clock.
  var time: any TimeSource
  /// What a stored token is handed out without.
  var later: Later
  /// Loopback listeners.
  var listeners: any CallbackListenerFactory
  /// Makes the HTTP client; not called by a command that needs no network.
  var makeHTTP: @Sendable () throws -> any HTTPClient
  /// Makes the browser.
  var makeBrowser: @Sendable (_ command: String?, _ isPrivate: Bool) -> any Browser
  /// Has an account's tokens renewed in the keyring, and gives up waiting when cancelled; the string is the fingerprint
  /// of the access token that the caller has seen, empty where there was none; the request says which of the account's
  /// tokens is meant.
  var refresh: @Sendable (Account, String, TokenVariant.Request) async throws -> Void
  /// Reads a secret from a file, or from standard input for `-`.
  var readSecret: @Sendable (String) throws -> Secret
  /// Reads a file that need not be secret, as a certificate.
  var readPublic: @Sendable (String) throws -> Secret
  /// Random bytes.
  var random: @Sendable (Int) throws -> [UInt8]
  /// What `doctor` looks at.
  var machine: @Sendable (Invocation, Environment) -> Machine
  /// Puts the terminal right before the process is cut off.
  var restoreTerminal: @Sendable () -> Void

  /// Made when first asked for: handing out a stored token needs none of it, and should not pay for it.
  struct Later: Sendable {
    /// Folders.
    var paths: Lazy<Paths>
    /// The locks of accounts.
    var lock: Lazy<any AccountLock>
    /// The person, if there is one.
    var terminal: Lazy<any UserTerminal>
    /// The keyring, to be locked and unlocked.
    var door: Lazy<any KeyringDoor>
  }

  var paths: Paths { later.paths.value }
  var lock: any AccountLock { later.lock.value }
  var terminal: any UserTerminal { later.terminal.value }
  var door: any KeyringDoor { later.door.value }

  /// The real machine.
  static func live(_ invocation: Invocation, variables: @escaping @Sendable () -> [String: String]) -> Environment {
    let isQuiet = invocation.has("quiet")
    let output = Output.standard(isJSON: invocation.has("json"), isQuiet: isQuiet)
    let paths = Lazy { Paths(environment: variables()) }
    let isVerbose = invocation.has("verbose")
    let certificates = invocation.value("cacert")
    let terminal = Lazy<any UserTerminal> { Terminal(isQuiet: isQuiet, environment: variables()) }
    let wait = Lazy { terminal.value.note("waiting for the keyring to be unlocked") }
    let timeout = try? invocation.seconds("timeout")
    let keyring = Keyring(
      mayPrompt: Terminal.isSomeoneBeforeADisplay, promptLimit: timeout ?? 120, willWait: { wait.value },
      generation: { Session.generation(of: $0) })
    return Environment(
      readVariables: variables, output: output, store: keyring,
      time: SystemTime(),
      later: Later(
        paths: paths, lock: Lazy { lock(in: paths.value, isQuiet: isQuiet, variables()) },
        terminal: terminal, door: Lazy { keyring }),
      listeners: LoopbackListenerFactory(),
      makeHTTP: {
        ProcessHardening.overwriteFreedMemory()
        let client = try CurlClient(
          CurlOptions(
            version: Version.current, environment: variables(), extraCertificates: certificates))
        guard isVerbose else { return client }
        return TracingHTTPClient(client, redactor: Redactor()) { output.writeMessage("oauthctl: \($0)") }
      },
      makeBrowser: { DesktopBrowser(environment: variables(), command: $0, isPrivate: $1) },
      refresh: { try await RefreshWorker(invocation, variables: variables()).refresh($0, seen: $1, variant: $2) },
      readSecret: { try SecretFile.read($0, warn: output.warn) }, readPublic: { try SecretFile.read($0) },
      random: { try RandomBytes.generate($0) },
      machine: { Machine.live($0, $1) }, restoreTerminal: { Terminal.restoreModes() })
  }

  private static func lock(in paths: Paths, isQuiet: Bool, _ variables: [String: String]) -> FileLock {
    FileLock(folder: paths.lockDirectory) { holder in
      guard !isQuiet else { return }
      let whom = holder.map { " (pid \($0))" } ?? ""
      Terminal.remark(
        "waiting for another oauthctl\(whom) that is busy with this account", environment: variables)
    }
  }

  var variables: [String: String] { readVariables() }
  var sessions: SessionStore { SessionStore(store) }
  var clients: ClientStore { ClientStore(store) }
  var begunLogins: PendingLoginStore { PendingLoginStore(store) }
  var providers: ProviderDirectory { ProviderDirectory(folder: paths.providersDirectory) }

  /// What asking a server takes.
  func makeNetwork() throws -> Network { Network(http: try makeHTTP(), time: time, random: random) }

  /// Reads a secret that the user hands over: from a file, from standard input for `-`, and there from a person without
  /// showing it.
  ///
  /// - Parameter name: what is asked for, where nothing was typed.
  func secret(from file: String, prompt: String, named name: String = "secret") throws -> Secret {
    guard file == "-", terminal.isInteractive else { return try readSecret(file) }
    let typed = try wait { try await terminal.ask(prompt, echo: false) }
    guard let typed else { throw CancellationError() }
    guard !typed.isEmpty else { throw Failure(.usage, "no \(name) was given") }
    return typed
  }

  /// Runs asynchronous work to its end; see ``Waiting``.
  ///
  /// - Parameter endsBySignal: whether a second signal ends the process at once.
  func wait<Value: Sendable>(
    endsBySignal: Bool = true, _ body: @escaping @Sendable () async throws -> Value
  ) throws -> Value {
    try Waiting.run(restore: endsBySignal ? restoreTerminal : nil) { [door = later.door] in
      try await withTaskCancellationHandler {
        do {
          return try await body()
        } catch  where Task.isCancelled && Failure(error).kind == .keyringLocked {
          throw CancellationError()
        }
      } onCancel: {
        // Its question cannot be taken back by the task that waits for the answer.
        door.value.stopWaiting()
      }
    }
  }

  /// A client setting from the environment: `OAUTHCTL_<PROVIDER>_<name>`, upper case, `-`, `.` and the like as `_`.
  func setting(_ name: String, provider: String) -> String? {
    let value = variables[Self.settingName(name, provider: provider)]
    return value?.isEmpty == false ? value : nil
  }

  /// The variable that gives a client setting.
  static func settingName(_ name: String, provider: String) -> String {
    let prefix = String(provider.uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
    return "OAUTHCTL_\(prefix)_\(name)"
  }

  /// The client secret that the environment gives for a client; one that is meant for another client is not taken.
  func environmentSecret(provider: String, clientID: String) -> Secret? {
    if let other = setting("CLIENT_ID", provider: provider), other != clientID { return nil }
    return setting("CLIENT_SECRET", provider: provider).map { Secret($0) }
  }
}

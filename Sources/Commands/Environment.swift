internal import CLI
internal import Crypto
internal import Flows
internal import FoundationEssentials
internal import Host
internal import Keyring
internal import OAuth

/// What a command works with: the machine, behind the ports. The one place that names concrete adapters.
struct Environment: Sendable {
  /// The environment variables.
  var variables: [String: String]
  /// Where the answer and the messages go.
  var output: Output
  /// Folders.
  var paths: Paths
  /// The keyring.
  var store: any SecretStore
  /// The clock.
  var time: any TimeSource
  /// The locks of accounts.
  var lock: any AccountLock
  /// The person, if there is one.
  var terminal: any UserTerminal
  /// Loopback listeners.
  var listeners: any CallbackListenerFactory
  /// Makes the HTTP client; not called by a command that needs no network.
  var makeHTTP: @Sendable () throws -> any HTTPClient
  /// Makes the browser.
  var makeBrowser: @Sendable (_ command: String?, _ isPrivate: Bool) -> any Browser
  /// Has an account's tokens renewed in the keyring, and gives up waiting when cancelled; the string is the fingerprint
  /// of the access token that the caller has seen.
  var refresh: @Sendable (Account, String) async throws -> Void
  /// Reads a secret from a file, or from standard input for `-`.
  var readSecret: @Sendable (String) throws -> Secret
  /// Random bytes.
  var random: @Sendable (Int) throws -> [UInt8]
  /// Puts the terminal right before the process is cut off.
  var restoreTerminal: @Sendable () -> Void

  /// The real machine.
  static func live(_ invocation: Invocation, variables: [String: String]) -> Environment {
    let isQuiet = invocation.has("quiet")
    let output = Output.standard(isJSON: invocation.has("json"), isQuiet: isQuiet)
    let terminal = Terminal(isQuiet: isQuiet, environment: variables)
    let paths = Paths(environment: variables)
    let isVerbose = invocation.has("verbose")
    let certificates = invocation.value("cacert")
    return Environment(
      variables: variables, output: output, paths: paths,
      store: Keyring(mayPrompt: mayPrompt(terminal, variables)), time: SystemTime(),
      lock: FileLock(folder: paths.lockDirectory), terminal: terminal, listeners: LoopbackListenerFactory(),
      makeHTTP: {
        let client = try CurlClient(
          CurlOptions(
            version: Version.current, environment: variables, extraCertificates: certificates))
        guard isVerbose else { return client }
        return TracingHTTPClient(client, redactor: Redactor()) { output.writeMessage("oauthctl: \($0)") }
      },
      makeBrowser: { DesktopBrowser(environment: variables, command: $0, isPrivate: $1) },
      refresh: { [worker = RefreshWorker(invocation, variables: variables)] in try await worker.refresh($0, seen: $1) },
      readSecret: { try SecretFile.read($0, warn: output.warn) }, random: { try RandomBytes.generate($0) }, restoreTerminal: { Terminal.restoreModes() })
  }

  /// Whether the keyring may ask for its password: someone sits at the terminal, and there is a display to ask on.
  private static func mayPrompt(_ terminal: Terminal, _ variables: [String: String]) -> Bool {
    terminal.isInteractive && ["DISPLAY", "WAYLAND_DISPLAY"].contains { variables[$0]?.isEmpty == false }
  }

  var sessions: SessionStore { SessionStore(store) }
  var clients: ClientStore { ClientStore(store) }
  var providers: ProviderDirectory { ProviderDirectory(folder: paths.providersDirectory) }

  /// Runs asynchronous work to its end; see ``Waiting``.
  func wait<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
    try Waiting.run(restore: restoreTerminal, body)
  }

  /// A client setting from the environment: `OAUTHCTL_<PROVIDER>_<name>`, upper case, `-`, `.` and the like as `_`.
  func setting(_ name: String, provider: String) -> String? {
    let prefix = String(provider.uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
    let value = variables["OAUTHCTL_\(prefix)_\(name)"]
    return value?.isEmpty == false ? value : nil
  }

  /// The client secret that the environment gives for a client; one that is meant for another client is not taken.
  func environmentSecret(provider: String, clientID: String) -> Secret? {
    if let other = setting("CLIENT_ID", provider: provider), other != clientID { return nil }
    return setting("CLIENT_SECRET", provider: provider).map { Secret($0) }
  }
}

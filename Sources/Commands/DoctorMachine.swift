internal import CLI
internal import Crypto
internal import Flows
internal import FoundationEssentials
internal import Host
internal import Keyring
internal import OAuth

/// What `doctor` looks at, behind closures, so that a test can present any set-up.
///
/// Nothing here asks a person, and nothing writes but the keyring's probe and the lock.
struct Machine: Sendable {
  var variables: [String: String]
  var paths: Paths
  var time: any TimeSource
  /// Looks at the keyring; true has it written to.
  var inspectKeyring: @Sendable (_ writes: Bool) -> KeyringReport
  /// The keyring, which is never unlocked.
  var store: any SecretStore
  /// Whether a program is in the folders of `PATH`.
  var hasProgram: @Sendable (String) -> Bool
  /// Takes a lock as a refresh does, waiting for a second at most, and gives it up again.
  var takeLock: @Sendable (_ name: String) async throws -> Void
  /// The path of the program that would show a page.
  var browser: @Sendable () throws -> String
  var loopback: @Sendable (LoopbackProbe.Address) -> LoopbackProbe.Outcome
  /// The authorities that are trusted.
  var trust: @Sendable () throws -> TrustReport.Source?
  var proxy: @Sendable () throws -> ProxyReport
  var makeHTTP: @Sendable () throws -> any HTTPClient
  /// Why libcurl cannot be loaded.
  var curlProblem: @Sendable () -> String?
  var random: @Sendable (Int) throws -> [UInt8]
  var folder: @Sendable (String) throws -> FolderStatus?
  var space: @Sendable (String) -> FolderStatus.Space
  var user: UInt32
  var userName: @Sendable (UInt32) -> String
  var timers: @Sendable () -> TimerSupport
  /// What of the process's hardening does not hold.
  var gaps: @Sendable () -> [String]

  /// The machine that the program runs on.
  static func live(_ invocation: Invocation, _ environment: Environment) -> Machine {
    let variables = environment.variables
    let keyring = Keyring(mayPrompt: false, generation: { Session.generation(of: $0) })
    let lock = FileLock(folder: environment.paths.lockDirectory)
    let options = CurlOptions(
      version: Version.current, environment: variables, extraCertificates: invocation.value("cacert"))
    return Machine(
      variables: variables, paths: environment.paths, time: environment.time,
      inspectKeyring: { keyring.inspect(writes: $0) }, store: keyring,
      hasProgram: { InstalledProgram.path($0, environment: variables) != nil },
      takeLock: { try await lock.withLock($0, limit: .seconds(1)) {} },
      browser: { try DesktopBrowser(environment: variables).program() },
      loopback: { LoopbackProbe.run($0) }, trust: { try TrustReport.find(options) },
      proxy: { try ProxyReport.find(environment: variables) }, makeHTTP: environment.makeHTTP,
      curlProblem: { LibraryReport.curlProblem() }, random: environment.random,
      folder: { try FolderStatus.of($0) }, space: { FolderStatus.space(at: $0) },
      user: CurrentUser.id, userName: { CurrentUser.name(of: $0) },
      timers: { TimerSupport.find(environment: variables) }, gaps: { ProcessHardening.gaps })
  }
}

import CLI
import Crypto
import Flows
import Foundation
import OAuth
import TestSupport
import Testing

@testable import Commands

/// The whole program on fakes: words in; exit code, standard output and standard error out.
final class CommandHarness: Sendable {
  /// What a command line came to.
  struct Outcome: Sendable {
    let code: Int32
    let output: String
    let messages: [String]

    /// Standard output as JSON.
    var json: JSONValue? { JSONValue(parsing: Array(output.utf8)) }
  }

  let store: MemoryStore
  let http: FakeHTTPClient
  let time: FakeTime
  let lock: FakeLock
  let terminal: FakeTerminal
  let door: FakeDoor
  let listeners = FakeListeners()
  let browser: FakeBrowser
  let folder: TestFolder
  let variables: [String: String]
  /// How often an HTTP client was made; a command that needs no network makes none.
  let clientsMade = Recorder<Void>()
  /// The browsers that were asked for.
  let browsersMade = Recorder<(command: String?, isPrivate: Bool)>()
  /// What `--…-file FILE` reads.
  let files: [String: Secret]
  /// What `doctor` looks at.
  let machine = Shared<Machine?>(nil)
  /// Whether standard output takes what is written to it.
  let canWrite = Shared(true)

  init(
    _ store: MemoryStore = MemoryStore(), http: FakeHTTPClient = FakeHTTPClient(),
    terminal: FakeTerminal = FakeTerminal(),
    browser: FakeBrowser? = nil, variables: [String: String] = [:], files: [String: Secret] = [:],
    lock: FakeLock = FakeLock(), time: FakeTime = FakeTime(holdsSleeps: true), door: FakeDoor = FakeDoor()
  ) throws {
    self.door = door
    (self.store, self.http, self.terminal, self.files) = (store, http, terminal, files)
    (self.lock, self.time) = (lock, time)
    self.browser = browser ?? LoginStory.willing(listeners.listener)
    folder = try TestFolder()
    self.variables = variables.merging([
      "HOME": folder.path, "XDG_CONFIG_HOME": folder.path, "XDG_RUNTIME_DIR": folder.path,
    ]) {
      own, _ in own
    }
  }

  /// Runs a command line as `Program.run` does.
  func run(_ arguments: String...) async throws -> Outcome { try await run(words: arguments) }

  func run(words arguments: [String]) async throws -> Outcome {
    // On a thread of its own: a command waits for its asynchronous part, and would hold one of the pool's.
    try await offPool { self.runHere(arguments) }
  }

  /// Puts a provider file where the user's are.
  func add(_ provider: Provider) throws { try addFile(provider.name, ProviderFile.write(provider)) }

  func addFile(_ name: String, _ content: String) throws {
    try folder.write(content, to: "oauthctl/providers/\(name).json")
  }

  /// What a command that was parsed works with.
  func environment(_ invocation: Invocation, output: Output) -> Environment {
    var environment = Environment.live(invocation, variables: { [variables] in variables })
    environment.output = output
    environment.store = store
    environment.time = time
    environment.later.lock = Lazy { [lock] in lock }
    environment.later.door = Lazy { [door] in door }
    environment.later.terminal = Lazy { [terminal] in terminal }
    environment.listeners = listeners
    environment.makeHTTP = { [clientsMade, http] in
      clientsMade.add(())
      return http
    }
    environment.makeBrowser = { [browsersMade, browser] command, isPrivate in
      browsersMade.add((command, isPrivate))
      return browser
    }
    environment.refresh = { [store, lock, http, time] account, seen, variant in
      _ = try await RefreshSession(store: store, lock: lock, network: Sample.network(http, time)).refresh(
        account, seen: seen, variant: variant)
    }
    environment.readSecret = { [files] name in
      guard let secret = files[name] else { throw UnexpectedUse() }
      return secret
    }
    environment.readPublic = environment.readSecret
    environment.random = { Sample.random($0) }
    environment.restoreTerminal = {}
    environment.machine = { [machine] invocation, environment in
      if let machine = machine.value { return machine }
      Issue.record("the real machine would be looked at")
      return .live(invocation, environment)
    }
    return environment
  }

  /// An environment for the parts of a command that are tested alone.
  func environment(_ arguments: String...) throws -> Environment {
    environment(try Self.invocation(arguments), output: Output.silent)
  }

  static func invocation(_ arguments: [String]) throws -> Invocation {
    guard case .run(let invocation) = try Parser(CommandTable.program).parse(arguments) else { throw UnexpectedUse() }
    return invocation
  }

  private func runHere(_ arguments: [String]) -> Outcome {
    let answer = Recorder<String>()
    let messages = Recorder<String>()
    let output = Output(
      isJSON: arguments.contains("--json"), isQuiet: arguments.contains("--quiet"),
      writeAnswer: { [canWrite] text in
        if canWrite.value { answer.add(text) }
        return canWrite.value
      }, writeMessage: { messages.add($0) })
    var code: Int32 = 0
    do {
      let invocation = try Self.invocation(arguments)
      try CommandTable.run(invocation, environment(invocation, output: output))
    } catch let status as QuietFailure {
      code = status.exitCode
    } catch {
      let failure = Failure(error)
      output.report(failure)
      code = failure.exitCode
    }
    return Outcome(code: code, output: answer.all.joined(), messages: messages.all)
  }
}

extension Output {
  static let silent = Output(isJSON: false, isQuiet: true, writeAnswer: { _ in true }, writeMessage: { _ in })
}

/// A login whose user allows it at once.
enum LoginStory {
  static let redirectURI = "http://127.0.0.1:4711/callback"

  static func willing(_ listener: FakeListener) -> FakeBrowser {
    FakeBrowser { url in listener.request("code=c-1&state=\(url.parameter("state") ?? "")") }
  }

  /// The redeeming of its code.
  static func exchange(form: [String: String] = [:], answers response: HTTPResponse = Sample.rotated) -> Exchange {
    .post(
      Sample.tokenURL, form: ["grant_type": "authorization_code", "code": "c-1"].merging(form) { _, own in own },
      response)
  }
}

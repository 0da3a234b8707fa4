import Foundation

/// A child process's answer.
struct Answer {
  var lines: [String]
  var errors: String
  var status: Int32
  var seconds: Double
}

/// The programs the tests run, and the environment they run in: nothing of the desktop's they are started from.
enum Child {
  static let probe = folderOfPrograms.appendingPathComponent("KeyringProbe").path
  static let withKeyring = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../Support/with-keyring").standardized.path

  private static let folderOfPrograms = URL(
    fileURLWithPath: (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "."
  ).deletingLastPathComponent()

  /// Runs the probe's steps beside a real keyring in a state.
  static func keyring(_ state: [String], probe options: [String] = [], _ steps: String...) throws -> Answer {
    try run([withKeyring] + state + [probe] + options, input: steps.joined(separator: "\n") + "\n")
  }

  /// Runs a bash script beside a real keyring in a state; `probe` runs the probe there.
  static func script(_ state: [String], _ script: String) throws -> Answer {
    let functions = """
      set -euo pipefail
      probe() { "$PROBE" "$@"; }
      """
    return try run([withKeyring] + state + ["bash", "-c", functions + "\n" + script])
  }

  /// Runs a program to its end.
  static func run(_ command: [String], input: String = "", environment: [String: String] = [:]) throws -> Answer {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.environment = ["PATH": "/usr/bin:/bin", "PROBE": probe].merging(environment) { $1 }
    let (stdin, stdout) = (Pipe(), Pipe())
    // A file: of two pipes the one that is read later can fill up, and then the child waits for ever.
    let folder = try TestFolder()
    let errorsFile = URL(fileURLWithPath: folder.path + "/errors")
    try Data().write(to: errorsFile)
    let stderr = try FileHandle(forWritingTo: errorsFile)
    process.standardInput = stdin
    process.standardOutput = stdout
    process.standardError = stderr
    let start = ContinuousClock.now
    try withSignals { try process.run() }
    try stdin.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try stdin.fileHandleForWriting.close()
    let output = String(decoding: try stdout.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    let errors = String(decoding: try Data(contentsOf: errorsFile), as: UTF8.self)
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    let lines = output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    return Answer(lines: lines, errors: errors, status: process.terminationStatus, seconds: seconds)
  }
}

/// Runs the body with no signal blocked: a child inherits the mask of the thread that starts it, and a pool's thread
/// blocks nearly all, so that nothing could end the child.
private func withSignals(_ body: () throws -> Void) rethrows {
  var none = sigset_t()
  var former = sigset_t()
  sigemptyset(&none)
  pthread_sigmask(SIG_SETMASK, &none, &former)
  defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
  try body()
}

/// A folder that is removed with its owner.
final class TestFolder {
  let path: String

  init() throws {
    path = "/tmp/kt." + UUID().uuidString.prefix(8)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }
}

import Flows
import Foundation
import TestSupport

/// Certificate authorities and certificates of a test's own, made by `openssl`.
struct TestAuthority: Sendable {
  private let folder: TestFolder
  private let name: String

  /// The file with the authority's certificate.
  var certificate: String { folder.path + "/\(name).pem" }

  init(_ name: String, in folder: TestFolder) async throws {
    self.folder = folder
    self.name = name
    try await run(
      "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
      "-subj", "/CN=\(name)", "-addext", "basicConstraints=critical,CA:TRUE", "-keyout", key, "-out", certificate)
  }

  /// Issues a certificate for these names (`DNS:localhost,IP:127.0.0.1`); gives the files' common path.
  func issue(_ file: String, for names: String, days: Int = 2) async throws -> String {
    let path = folder.path + "/" + file
    let extensions = try folder.file(file + ".ext", "subjectAltName=\(names)\n")
    try await run(
      "openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=\(file)",
      "-keyout", path + ".key", "-out", path + ".csr")
    try await run(
      "openssl", "x509", "-req", "-in", path + ".csr", "-CA", certificate, "-CAkey", key, "-CAcreateserial",
      "-days", "\(days)", "-extfile", extensions, "-out", path + ".pem")
    return path
  }

  /// Writes the key once more, with a passphrase; gives the file.
  func encryptKey(of path: String) async throws -> String {
    try await run(
      "openssl", "pkey", "-in", path + ".key", "-aes256", "-passout", "pass:x", "-out", path + ".encrypted")
    return path + ".encrypted"
  }

  private var key: String { folder.path + "/\(name).key" }

  private func run(_ command: String...) async throws {
    // Not on the test's own thread: there are only as many as processors, and other tests wait for theirs.
    try await offPool {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = command
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      guard process.terminationStatus == 0 else { throw Failure(command: command) }
    }
  }

  struct Failure: Error { let command: [String] }
}

/// `openssl s_server` on a port of its own: an independent TLS server that answers any GET with 200.
final class TLSServer: Sendable {
  let port: Int
  private let pid: pid_t

  private init(port: Int, pid: pid_t) {
    self.port = port
    self.pid = pid
  }

  // A child of a thread of the cooperative pool has nearly all signals blocked, SIGTERM among them.
  deinit { kill(pid, SIGKILL) }

  static func start(_ certificate: String, _ options: String...) async throws -> TLSServer {
    try await start(certificate, options)
  }

  static func start(_ certificate: String, _ options: [String]) async throws -> TLSServer {
    try await offPool {
      let (process, output) = (Process(), Pipe())
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments =
        ["openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", certificate + ".pem", "-key", certificate + ".key"]
        + ["-www"] + options
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = output
      process.standardError = FileHandle.nullDevice
      try process.run()
      var text = ""
      while true {
        let more = output.fileHandleForReading.availableData
        guard !more.isEmpty else { throw Failure(output: text) }
        text += String(decoding: more, as: UTF8.self)
        if let match = text.firstMatch(of: #/ACCEPT .*:(\d+)\n/#), let port = Int(match.1) {
          return TLSServer(port: port, pid: process.processIdentifier)
        }
      }
    }
  }

  struct Failure: Error { let output: String }
}

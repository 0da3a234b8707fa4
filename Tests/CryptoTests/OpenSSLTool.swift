import Crypto
import Dispatch
import Foundation
import Testing

/// The `openssl` command, as another implementation to make and to check what ours has made or checks, with a folder of
/// its own for the files.
final class OpenSSLTool: Sendable {
  struct Failure: Error { let arguments: [String], message: String }

  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("oauthctl-" + UUID().uuidString)

  init() throws {
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Writes a file; gives its path.
  func file(_ name: String, _ content: [UInt8]) throws -> String {
    try Data(content).write(to: folder.appendingPathComponent(name))
    return path(name)
  }

  func path(_ name: String) -> String { folder.path + "/" + name }

  /// Runs the command; gives what it prints.
  @discardableResult func run(_ arguments: String...) async throws -> [UInt8] { try await run(arguments) }

  @discardableResult func run(_ arguments: [String]) async throws -> [UInt8] {
    // Not on the test's own thread: there are only as many as processors, and other tests wait for theirs.
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(with: Result { try Self.runAndWait(arguments) }) }
    }
  }

  private static func runAndWait(_ arguments: [String]) throws -> [UInt8] {
    let (process, output, errors) = (Process(), Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["openssl"] + arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    // Its messages are few: they fit into the pipe while the output is read.
    let data = output.fileHandleForReading.readDataToEndOfFile()
    let message = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(arguments: arguments, message: String(decoding: message + data, as: UTF8.self))
    }
    return Array(data)
  }

  /// Makes a key with `openssl genpkey`; gives its PKCS#8 PEM.
  func makeKey(_ options: String...) async throws -> Secret {
    Secret(bytes: try await run(["genpkey", "-quiet"] + options))
  }

  // One for all tests: making it takes a while.
  private static let rsaKey = Task { try await OpenSSLTool().makeKey("-algorithm", "RSA") }

  /// Gives a key that goes with the algorithm, which `openssl` has made.
  static func key(for algorithm: SignatureAlgorithm) async throws -> Secret {
    switch algorithm {
    case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: try await rsaKey.value
    case .es256: try await OpenSSLTool().makeKey("-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256")
    case .es384: try await OpenSSLTool().makeKey("-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384")
    case .es512: try await OpenSSLTool().makeKey("-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-521")
    case .edDSA: try await OpenSSLTool().makeKey("-algorithm", "ED25519")
    case .hs256, .hs384, .hs512: throw Failure(arguments: [algorithm.rawValue], message: "there is no key for it")
    }
  }
}

/// The bytes of a base64url text.
func bytes(_ text: String, _ location: SourceLocation = #_sourceLocation) throws -> [UInt8] {
  try #require(Base64URL.decode(text), sourceLocation: location)
}

extension SignatureAlgorithm {
  /// Those with a key pair.
  static let asymmetric = allCases.filter { !$0.isSymmetric }
}

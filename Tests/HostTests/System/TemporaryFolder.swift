import Foundation

/// A folder of a test's own, removed when the test drops it.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.path + "/oauthctl-tests-" + UUID().uuidString
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Writes a file with exactly these permissions; gives its path.
  func file(_ name: String, _ content: String, mode: Int = 0o600) throws -> String {
    let file = path + "/" + name
    try Data(content.utf8).write(to: URL(fileURLWithPath: file))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
    return file
  }

  func content(_ name: String) throws -> String { try String(contentsOfFile: path + "/" + name, encoding: .utf8) }

  var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() } }
}

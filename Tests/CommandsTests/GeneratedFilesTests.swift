import CLI
import Foundation
import Testing

@testable import Commands

/// The files that `make generate` writes are those that it would write now.
struct GeneratedFilesTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  static let files: [(kind: String, path: String)] = [
    ("man", "man/oauthctl.1"), ("bash", "completions/oauthctl.bash"), ("zsh", "completions/_oauthctl"),
    ("fish", "completions/oauthctl.fish"),
  ]

  @Test(arguments: files) func `a generated file is fresh`(_ file: (kind: String, path: String)) async throws {
    let fresh = try await CommandHarness().run("__generate", file.kind)
    #expect(fresh.code == 0 && fresh.messages.isEmpty)
    let stored = try String(contentsOf: Self.root.appending(path: file.path), encoding: .utf8)
    #expect(stored == fresh.output, "\(file.path) is stale: run make generate")
  }
}

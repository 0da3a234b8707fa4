import Foundation
import OAuth
import TestSupport
import Testing

@testable import Commands

/// A provider file says where a login's code and secret go: other users have no say in it.
struct ProviderExposureTests {
  private func harness(_ path: String, mode: Int) throws -> (CommandHarness, String) {
    let harness = try CommandHarness()
    try harness.add(.withIssuer("acme"))
    let path = "\(harness.folder.path)/oauthctl\(path)"
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    return (harness, path)
  }

  @Test(arguments: [
    ("/providers/acme.json", 0o666), ("/providers/acme.json", 0o602), ("/providers", 0o777), ("", 0o777),
  ])
  func `what others can change is refused by every command that would use it`(path: String, mode: Int) async throws {
    let (harness, path) = try harness(path, mode: mode)
    for words in [
      ["login", "acme"], ["token", "acme"], ["providers", "show", "acme"], ["login", "acme", "--client-id", "x"],
    ] {
      let outcome = try await harness.run(words: words)
      #expect(outcome.code == 78 && outcome.output.isEmpty, "\(words)")
      #expect(outcome.messages.first?.hasPrefix("oauthctl: error: \(path): other users can change it") == true)
      #expect(outcome.messages.last?.hasSuffix("chmod go-w \(path)") == true)
    }
    #expect(harness.browsersMade.all.isEmpty && harness.clientsMade.all.isEmpty)
    // Nothing is wrong with the others.
    let github = try await harness.run("providers", "show", "github")
    #expect(github.code == 0)
    let list = try await harness.run("providers", "list")
    #expect(list.code == 0 && list.output.contains("github") && !list.output.contains("acme"))
    #expect(list.messages.first?.hasPrefix("oauthctl: warning: \(path): other users can change it") == true)
    #expect(list.messages.last?.hasSuffix("chmod go-w \(path)") == true && list.messages.count == 2)
  }

  @Test(arguments: [("/providers/acme.json", 0o664), ("/providers", 0o775), ("", 0o770)])
  func `what a group can change is used`(path: String, mode: Int) async throws {
    let (harness, _) = try harness(path, mode: mode)
    #expect(try await harness.run("providers", "show", "acme").code == 0)
    #expect(try await harness.run("providers", "list", "acme").messages.isEmpty)
  }

  @Test func `a file written anew is one's own again`() async throws {
    let (harness, _) = try harness("/providers/acme.json", mode: 0o666)
    #expect(try await harness.run("providers", "add", "acme", "--issuer", "https://a.example", "--force").code == 0)
    #expect(try await harness.run("providers", "show", "acme").output.contains("https://a.example"))
  }

  @Test func `a folder that is none is told, and the built-in ones are listed`() async throws {
    let harness = try CommandHarness()
    try harness.folder.write("", to: "oauthctl/providers")
    let list = try await harness.run("providers", "list")
    #expect(list.code == 0 && list.output.contains("github") && list.messages.count == 1)
    #expect(list.messages.first?.contains("oauthctl/providers: cannot be read") == true, "\(list.messages)")
  }
}

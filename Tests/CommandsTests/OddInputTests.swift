import Crypto
import Flows
import Foundation
import OAuth
import TestSupport
import Testing

@testable import Commands

struct OddInputTests {
  private func loginOptions(_ words: String...) throws -> LoginOptions {
    let invocation = try CommandHarness.invocation(["login", "acme"] + words)
    return try LoginOptions(invocation, CommandHarness().environment(invocation, output: .silent))
  }

  @Test func `the client that redeems a code cannot be set beside the one that is authenticated`() {
    let failure = #expect(throws: Failure.self) { try loginOptions("--token-param", "client_id=other") }
    #expect(failure?.exitCode == 64)
  }

  @Test func `a port is digits alone`() {
    let failure = #expect(throws: Failure.self) { try loginOptions("--port", "+80") }
    #expect(failure?.exitCode == 64)
  }

  @Test func `an end that no calendar has is shown, and ends nothing`() async {
    await #expect(processExitsWith: .success) {
      let harness = try CommandHarness(
        MemoryStore(Sample.session(tokens: Sample.tokens { $0.expiresAt = Date(timeIntervalSince1970: 1e300) })))
      for words in [
        ["status"], ["status", "--json"], ["token", "acme", "--json"], ["token", "acme", "--format", "env"],
      ] {
        #expect(try await harness.run(words: words).code == 0)
      }
    }
  }
}

import Flows
import OAuth
import TestSupport
import Testing

@testable import Commands

struct CompleteCommandTests {
  @Test func `names are printed with what they are`() async throws {
    let harness = try CommandHarness(MemoryStore(Sample.session(), Sample.session { $0.account = "default" }))
    try harness.add(Sample.provider { $0.title = "ACME\u{1B}[1m" })
    #expect(try await harness.run("__complete", "accounts").output == "acme\tlogged in\nacme/work\tlogged in\n")
    #expect(try await harness.run("__complete", "user-providers").output == "acme\tACME\n")
    let targets = try await harness.run("__complete", "targets").output
    #expect(targets.hasPrefix("acme\tlogged in\n") && targets.contains("acme\tACME\n"))
    #expect(try await harness.run("__complete", "rubbish").output == "")
  }

  @Test func `it never fails while someone types`() async throws {
    let harness = try CommandHarness(MemoryStore(Sample.session()))
    harness.store.failAlways(.list, with: .locked)
    try harness.addFile("bad", "{")
    for kind in ["accounts", "user-providers"] {
      let outcome = try await harness.run("__complete", kind)
      #expect(outcome.code == 0 && outcome.output.isEmpty && outcome.messages.isEmpty)
    }
  }
}

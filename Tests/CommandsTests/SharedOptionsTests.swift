import CLI
import Crypto
import Flows
import OAuth
import TestSupport
import Testing

@testable import Commands

struct SharedOptionsTests {
  private func invocation(_ values: String...) -> Invocation {
    Invocation(path: ["x"], options: values.map { (name: "o", value: $0) })
  }

  @Test(arguments: [
    ("0", 0), ("90", 90), ("90s", 90), ("10m", 600), ("2h", 7200), ("7d", 604800), ("007", 7),
    ("36525d", 3_155_760_000),
  ]) func `a duration is a number and a unit, seconds without`(_ text: String, _ seconds: Int) throws {
    #expect(try invocation(text).seconds("o") == seconds)
  }

  @Test(arguments: [
    "", "s", "m", "-1", "+5", "1.5h", "1 h", " 1", "10 m", "5w", "5M", "1h30m", "٣", "0x10", "36526d",
    "9223372036854775807",
    "99999999999999999999d", "3155760001",
  ]) func `what is no duration is refused, with the way to write it`(_ text: String) {
    let failure = #expect(throws: Failure.self) { try invocation(text).seconds("o") }
    #expect(failure?.exitCode == 64 && failure?.hint == "write it as 90, 90s, 10m, 2h or 7d")
  }

  @Test func `an option that was not given is nil`() throws {
    #expect(try invocation().seconds("o") == nil && invocation().integer("o", in: 1...2) == nil)
    #expect(try invocation().pairs("o").isEmpty)
  }

  @Test(arguments: ["0", "65", "-1", "+8", "1.0", "", "eight", "99999999999999999999"])
  func `a number outside its range is refused, with the range`(_ text: String) throws {
    let failure = #expect(throws: Failure.self) { try invocation(text).integer("o", in: 1...64) }
    #expect(failure?.exitCode == 64 && failure?.hint == "give a number from 1 to 64")
    #expect(try invocation("64").integer("o", in: 1...64) == 64)
  }

  @Test func `pairs are split at their first equals sign`() throws {
    #expect(
      try invocation("a=b", "c=", "d=e=f").pairs("o") == [
        Parameter("a", "b"), Parameter("c", ""), Parameter("d", "e=f"),
      ])
    for text in ["", "a", "=b"] {
      #expect(throws: Failure.self) { try invocation("x=y", text).pairs("o") }
    }
  }

  @Test func `an account's name is read, or it is said what one is`() throws {
    #expect(try invocation().account("acme/work").account == "work")
    let failure = #expect(throws: Failure.self) { try invocation().account("acme/a b") }
    #expect(failure?.exitCode == 64 && failure?.message == "'acme/a b' is no PROVIDER[/ACCOUNT]")
  }

  @Test func `a URL in a name's place is answered by the name that the user has for it`() async throws {
    let harness = try CommandHarness()
    let made = try await harness.run("token", "https://mcp.example/x")
    #expect(made.code == 64)
    #expect(
      made.messages.last
        == "oauthctl: hint: what is logged in to by that URL has the name 'mcp.example-x' here")
    try harness.add(Sample.provider { $0.issuer = "https://mcp.example/x" })
    #expect(
      try await harness.run("token", "https://mcp.example/x").messages.last
        == "oauthctl: hint: it has the name 'acme' here")
  }

  @Test func `after a logout a name that a URL has made is no login, and no unknown provider`() async throws {
    let issuer = "https://id.acme.example/realms/a"
    let provider = IssuerName.provider(issuer: issuer)
    var client = ClientRegistration(id: "c", secret: Secret("s"), method: .basic)
    client.server = ClientServer(provider)
    let harness = try CommandHarness()
    _ = try ClientStore(harness.store).save(client, provider: provider.name)
    for command in ["token", "status"] {
      let outcome = try await harness.run(command, provider.name)
      #expect(outcome.code == 77 && outcome.messages.last == "oauthctl: hint: run 'oauthctl login \(issuer)'")
    }
    #expect(try await harness.run("token", "id.acme.example").code == 78)
  }
}

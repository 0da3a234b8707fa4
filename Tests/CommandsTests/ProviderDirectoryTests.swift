import OAuth
import TestSupport
import Testing

@testable import Commands

struct ProviderDirectoryTests {
  private func directory(_ harness: CommandHarness) throws -> ProviderDirectory {
    try harness.environment("status").providers
  }

  private var builtIn: Provider {
    get throws { try #require(ProviderCatalog.load().first) }
  }

  @Test func `a built-in provider is found, unless a file of the user's replaces it`() throws {
    let harness = try CommandHarness()
    let provider = try builtIn
    let found = try directory(harness).find(provider.name)
    #expect(found?.provider == provider && found?.source == .builtIn)
    try harness.add(.withIssuer(provider.name))
    let own = try directory(harness).find(provider.name)
    #expect(own?.provider == .withIssuer(provider.name) && own?.source == .user)
    #expect(try directory(harness).find("nobody-knows") == nil)
  }

  @Test func `all are listed by name, each once`() throws {
    let harness = try CommandHarness()
    let provider = try builtIn
    try harness.add(.withIssuer(provider.name))
    try harness.add(.withIssuer("a-first"))
    try harness.add(.withIssuer("zz-last"))
    let all = try directory(harness).all { Issue.record("\($0)") }
    let names = all.map(\.provider.name)
    #expect(
      names == names.sorted() && Set(names).count == names.count && names.first == "a-first" && names.last == "zz-last")
    #expect(names.count == ProviderCatalog.load().count + 2)
    #expect(
      all.filter { $0.source == .user }.map(\.provider.name).sorted() == ["a-first", provider.name, "zz-last"].sorted())
  }

  static let broken: [Named<(file: String, message: String, hint: String?)>] = [
    Named("no JSON", ("{\n\"name\": \"acme\",,\n}", ":2: not JSON: ", nil)),
    Named(
      "unknown key",
      ("{\n\"name\": \"acme\",\n\"isuer\": \"https://a\"\n}", ":3: unknown key 'isuer'", "did you mean 'issuer'?")),
    Named(
      "bad value",
      (
        "{\"name\": \"acme\",\n\"issuer\": \"http://a\"}", ":2: 'issuer' must be an https URL",
        "see oauthctl-providers(5)"
      )),
    Named(
      "another name", ("{\"name\": \"other\"}", ": its name is 'other', its file's 'acme'", "let both be the same")),
  ]

  @Test(arguments: broken) func `a bad file is named, with its line`(
    _ row: Named<(file: String, message: String, hint: String?)>
  ) throws {
    let harness = try CommandHarness()
    try harness.addFile("acme", row.value.file)
    let failure = #expect(throws: Failure.self) { try directory(harness).find("acme") }
    #expect(failure?.exitCode == 78)
    #expect(
      failure?.message.hasPrefix("\(harness.folder.path)/oauthctl/providers/acme.json\(row.value.message)") == true,
      "\(failure?.message ?? "")")
    if let hint = row.value.hint { #expect(failure?.hint == hint) }
  }

  @Test func `a bad file is handed over and hides no other, not even its built-in namesake's absence`() throws {
    let harness = try CommandHarness()
    let provider = try builtIn
    try harness.addFile(provider.name, "{")
    try harness.add(.withIssuer("fine"))
    var failures: [Failure] = []
    let all = try directory(harness).all { failures.append($0) }
    #expect(failures.count == 1 && all.contains { $0.provider.name == "fine" })
    // What the user meant to replace is not shown in its place.
    #expect(!all.contains { $0.provider.name == provider.name })
  }

  @Test func `what is no provider's file is not looked at`() throws {
    let harness = try CommandHarness()
    for name in [
      "oauthctl/providers/.hidden.json", "oauthctl/providers/notes.txt", "oauthctl/providers/a b.json",
      "oauthctl/providers/acme.json~",
    ] {
      try harness.folder.write("{", to: name)
    }
    #expect(try directory(harness).all { Issue.record("\($0)") }.allSatisfy { $0.source == .builtIn })
  }

  @Test func `a folder in a file's place is a failure of its own`() throws {
    let harness = try CommandHarness()
    try harness.folder.write("", to: "oauthctl/providers/acme.json/x")
    let failure = #expect(throws: Failure.self) { try directory(harness).find("acme") }
    #expect(failure?.exitCode == 78)
  }

  @Test func `what was written is read, and removed once`() throws {
    let harness = try CommandHarness()
    let provider = Sample.provider { $0.title = "É" }
    try directory(harness).write(provider)
    #expect(try directory(harness).find("acme")?.provider == provider)
    #expect(try directory(harness).remove("acme") && !directory(harness).remove("acme"))
  }

  @Test func `a name that nobody knows is answered with one that is near`() throws {
    let harness = try CommandHarness()
    try harness.add(.withIssuer("xylophone"))
    #expect(try directory(harness).unknown("xylofone").hint == "did you mean 'xylophone'?")
    let far = try directory(harness).unknown("qqqqqqqqqq")
    #expect(far.exitCode == 78 && far.hint?.contains("oauthctl providers") == true)
  }
}

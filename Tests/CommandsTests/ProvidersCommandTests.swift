import Crypto
import Flows
import OAuth
import TestSupport
import Testing

@testable import Commands

struct ProvidersCommandTests {
  @Test func `the providers are listed for a person and for a script, each with its source`() async throws {
    let harness = try CommandHarness()
    try harness.add(Sample.provider { $0.title = "ACME Inc" })
    let table = try await harness.run("providers", "list", "acme inc")
    #expect(table.output == "NAME  TITLE     SOURCE\nacme  ACME Inc  user\n")
    let json = try await harness.run("providers", "list", "acme inc", "--json")
    #expect(json.output == #"[{"flows":["code"],"name":"acme","source":"user","title":"ACME Inc"}]"# + "\n")
    let all = try await harness.run("providers")
    let list = try await harness.run("providers", "list")
    #expect(all.output.contains("built-in\n") && all.output == list.output)
    let none = try await harness.run("providers", "list", "zzzz")
    #expect(none.code == 0 && none.output.isEmpty)
    #expect(none.messages == ["oauthctl: no provider has 'zzzz' in its name or title"])
  }

  @Test func `a file that cannot be read is said, and the rest is listed`() async throws {
    let harness = try CommandHarness()
    try harness.add(Sample.provider())
    try harness.addFile("bad", "{")
    let outcome = try await harness.run("providers", "list", "acme")
    #expect(
      outcome.code == 0 && outcome.output.contains("acme")
        && outcome.messages.first?.hasPrefix("oauthctl: warning: ") == true
        && outcome.messages.first?.contains("bad.json:1: not JSON") == true)
  }

  @Test func `what is shown can be read as a file`() async throws {
    let harness = try CommandHarness()
    try harness.add(Sample.provider())
    let outcome = try await harness.run("providers", "show", "acme")
    #expect(try ProviderFile.read(Array(outcome.output.utf8)) == Sample.provider())
    #expect(try await harness.run("providers", "show", "acm").messages.last == "oauthctl: hint: did you mean 'acme'?")
    #expect(try await harness.run("providers", "show", "../acme").code == 78)
  }

  @Test func `a provider is added by its issuer, the secret into the keyring`() async throws {
    let harness = try CommandHarness(files: ["-": Secret("s3cr3t")])
    let outcome = try await harness.run(
      "providers", "add", "acme", "--issuer", "https://id.acme.example", "--client-id", "app", "--client-secret-file",
      "-",
      "--client-auth", "post", "--title", "ACME", "--scope", "a,b", "--scope", "c", "--json")
    #expect(outcome.code == 0 && outcome.output == #"{"name":"acme","result":"ok"}"# + "\n")
    let text = try #require(harness.folder.read("oauthctl/providers/acme.json"))
    #expect(!text.contains("s3cr3t"))
    let provider = try ProviderFile.read(Array(text.utf8))
    #expect(
      provider.issuer == "https://id.acme.example" && provider.scopes == ["a", "b", "c"] && provider.clientAuth == .post
    )
    #expect(try ClientStore(harness.store).load("app", provider: "acme")?.secret == Secret("s3cr3t"))
    #expect(harness.clientsMade.all.isEmpty)
  }

  @Test func `a provider is added by its endpoints, each under the name of the RFC`() async throws {
    let harness = try CommandHarness()
    let outcome = try await harness.run(
      "providers", "add", "acme", "--authorization-endpoint", "https://a/1", "--token-endpoint", "https://a/2",
      "--refresh-endpoint", "https://a/3", "--revocation-endpoint", "https://a/4", "--jwks-uri", "https://a/5",
      "--pushed-authorization-request-endpoint", "https://a/6")
    #expect(outcome.code == 0)
    let endpoints = try ProviderFile.read(Array(#require(harness.folder.read("oauthctl/providers/acme.json")).utf8))
      .endpoints
    #expect(
      endpoints?.authorization == "https://a/1" && endpoints?.token == "https://a/2"
        && endpoints?.refresh == "https://a/3")
    #expect(endpoints?.revocation == "https://a/4" && endpoints?.jwks == "https://a/5")
    #expect(endpoints?.pushedAuthorizationRequest == "https://a/6")
  }

  @Test func `an issuer's URL gives the name`() async throws {
    let harness = try CommandHarness()
    #expect(try await harness.run("providers", "add", "https://id.acme.example/o").code == 0)
    #expect(
      harness.folder.read("oauthctl/providers/id.acme.example-o.json")?.contains("https://id.acme.example/o") == true)
  }

  @Test func `a built-in provider's data is copied to start from`() async throws {
    let harness = try CommandHarness()
    let builtIn = try #require(ProviderCatalog.load().first { $0.endpoints?.token != nil && $0.variables == nil })
    #expect(try await harness.run("providers", "add", builtIn.name, "--client-id", "mine").code == 0)
    let own = try ProviderFile.read(
      Array(#require(harness.folder.read("oauthctl/providers/\(builtIn.name).json")).utf8))
    #expect(own.clientID == "mine" && own.endpoints == builtIn.endpoints && own.quirks == builtIn.quirks)
  }

  @Test func `what is there is replaced only by force, a broken file too`() async throws {
    let harness = try CommandHarness()
    try harness.add(Sample.provider())
    let words = ["--issuer", "https://new.example"]
    #expect(try await harness.run("providers", "add", "acme", words[0], words[1]).code == 78)
    #expect(harness.folder.read("oauthctl/providers/acme.json") == ProviderFile.write(Sample.provider()))
    try harness.addFile("acme", "{")
    #expect(try await harness.run("providers", "add", "acme", words[0], words[1]).code == 78)
    #expect(try await harness.run("providers", "add", "acme", words[0], words[1], "--force").code == 0)
    #expect(harness.folder.read("oauthctl/providers/acme.json")?.contains("new.example") == true)
  }

  @Test(
    arguments: [
      (["a b", "--issuer", "https://a"], 64), (["acme"], 64), (["acme", "--token-endpoint", "https://a"], 64),
      (["acme", "--issuer", "https://a", "--client-secret-file", "-"], 64), (["acme", "--issuer", "http://a"], 78),
      (["acme", "--issuer", "https://a", "--token-endpoint", "nowhere"], 78),
    ] as [([String], Int32)]) func `what could not be read again is not written`(_ words: [String], _ code: Int32)
    async throws
  {
    let harness = try CommandHarness(files: ["-": Secret("s")])
    let outcome = try await harness.run(words: ["providers", "add"] + words)
    #expect(outcome.code == code && outcome.output.isEmpty && harness.store.saves.isEmpty)
    #expect(harness.folder.read("oauthctl/providers/acme.json") == nil)
  }

  @Test func `with --json a removal is answered as an addition is`() async throws {
    let harness = try CommandHarness()
    try harness.add(Sample.provider())
    let outcome = try await harness.run("providers", "remove", "acme", "--json")
    #expect(outcome.output == #"{"name":"acme","result":"ok"}"# + "\n")
  }

  @Test func `one's own is removed, a built-in one is not, and logins stay`() async throws {
    let harness = try CommandHarness(MemoryStore(Sample.session()))
    try harness.add(Sample.provider())
    #expect(try await harness.run("providers", "remove", "acme").code == 0)
    #expect(harness.folder.read("oauthctl/providers/acme.json") == nil && harness.store.items.count == 1)
    #expect(try await harness.run("providers", "remove", "acme").code == 78)
    let builtIn = try #require(ProviderCatalog.load().first)
    #expect(try await harness.run("providers", "remove", builtIn.name).messages.first?.contains("is built in") == true)
    #expect(try await harness.run("providers", "remove", "../x").code == 78)
  }
}

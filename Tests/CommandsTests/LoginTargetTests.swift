import Flows
import OAuth
import TestSupport
import Testing

@testable import Commands

struct LoginTargetTests {
  private func find(_ operand: String, _ harness: CommandHarness) throws -> LoginTarget {
    let invocation = try CommandHarness.invocation(["login", operand])
    return try LoginTarget.find(operand, invocation, harness.environment(invocation, output: .silent))
  }

  private func login(_ account: String) -> Session { Sample.session { $0.account = account } }

  @Test func `a bare provider means its only account, else the default one`() throws {
    for (accounts, meant) in [([], "default"), (["work"], "work"), (["default", "work"], "default")] {
      let harness = try CommandHarness()
      for account in accounts { try harness.store.put(login(account)) }
      try harness.add(Sample.provider())
      #expect(try find("acme", harness).account == Account(provider: "acme", name: meant))
    }
  }

  @Test func `several accounts must be told apart, unless one is named`() throws {
    let harness = try CommandHarness(MemoryStore(login("home"), login("work")))
    try harness.add(Sample.provider())
    #expect(throws: AccountError.self) { try find("acme", harness) }
    #expect(try find("acme/new", harness).account.name == "new")
  }

  @Test(arguments: ["https://id.acme.example/?a=b", "https://id.acme.example/#x", "https://id.acme.example/a?"])
  func `an issuer has no query and no fragment`(_ text: String) throws {
    let failure = #expect(throws: Failure.self) { try find(text, CommandHarness()) }
    #expect(failure?.exitCode == 64 && failure?.hint == "it must have no query and no fragment")
  }

  @Test func `a provider whose file is gone is the one that an earlier login kept`() throws {
    let harness = try CommandHarness(MemoryStore(login("work")))
    #expect(try find("acme", harness).provider == Sample.provider())
    #expect(throws: Failure.self) { try find("other", harness) }
  }

  @Test func `an issuer's URL gives a provider with a name made of it, unless the user has one for it`() throws {
    let harness = try CommandHarness()
    let target = try find("https://id.acme.example/realms/a", harness)
    #expect(target.provider.name == "id.acme.example-realms-a" && target.provider.issuer == nil)
    #expect(target.place?.url == "https://id.acme.example/realms/a" && target.place?.isIssuerLikely == false)
    try harness.add(Sample.provider { $0.issuer = "https://id.acme.example/realms/a" })
    #expect(try find("https://id.acme.example/realms/a", harness).provider.name == "acme")
    #expect(try find("https://id.acme.example/realms/a/", harness).provider.name == "id.acme.example-realms-a")
  }

  @Test func `a resource's URL gives the login at it, or the user's provider for it`() throws {
    let url = "https://api.acme.example/mcp"
    let harness = try CommandHarness(
      MemoryStore(
        Sample.session {
          $0.provider.name = IssuerName.name(of: url)
          $0.provider.resource = [url]
        }))
    for (same, isKnown) in [(url, true), (url + "/x", false), ("https://api.acme.example:/mcp", false)] {
      #expect((try? find(same, harness)) != nil || !isKnown, "\(same)")
    }
    #expect(try find(url, harness).place?.isIssuerLikely == false)
    try harness.add(Sample.provider { $0.resource = [url] })
    let own = try find(url, harness)
    #expect(own.provider.name == "acme" && own.place == nil)
  }

  @Test func `of two URLs that make one name, the one without a login is refused`() throws {
    let other = "https://id.acme.example/a-b"
    for (issuer, resource) in [("https://id.acme.example/a/b", nil), (other, ["https://id.acme.example/a/b"])] {
      let harness = try CommandHarness(
        MemoryStore(
          Sample.session {
            $0.provider.name = IssuerName.name(of: other)
            ($0.provider.issuer, $0.provider.resource) = (issuer, resource)
          }))
      #expect(throws: Failure.self) { try find(other, harness) }
    }
  }

  @Test(arguments: [
    "http://id.example", "ftp://id.example", "https://", "https://u:p@id.example", "https://id.example\n",
  ])
  func `what is no issuer is refused`(_ text: String) throws {
    let failure = #expect(throws: Failure.self) { try find(text, CommandHarness()) }
    #expect(failure?.exitCode == 64)
  }

  @Test(arguments: [
    ("https://id.example.com", "id.example.com"), ("https://id.example.com/", "id.example.com"),
    ("https://id.example.com:8443/a//b", "id.example.com-8443-a-b"), ("http://[::1]:9000/o", "1-9000-o"),
    ("https://h/ä?b=c#d", "h-b-c-d"), ("https://", "issuer"),
    ("https://" + String(repeating: "a", count: 99), String(repeating: "a", count: 64)),
  ]) func `a name is made of a URL`(_ url: String, _ name: String) {
    #expect(IssuerName.name(of: url) == name)
    #expect(Name.isValid(IssuerName.name(of: url)))
  }
}

import CLI
import Flows
import TestSupport
import Testing

@testable import Commands

/// What a hint names works as it is typed.
struct TypedCommandTests {
  /// Reads a command as a shell and the program do.
  private func invocation(_ text: String) throws -> Invocation {
    let words = text.split(separator: " ").map(String.init)
    #expect(words.first == "oauthctl")
    return try CommandHarness.invocation(Array(words.dropFirst()))
  }

  @Test(arguments: ["acme", "acme/work", "-x", "--json/a", "-/-", "a@b.c+d/e"])
  func `any name is read back as it was`(_ name: String) throws {
    for options in [[], ["--dpop"]] {
      let text =
        options.isEmpty ? TypedCommand.text("login", name) : TypedCommand.text("login", name, options[0])
      let read = try invocation(text)
      #expect(read.operands == [name] && read.has("dpop") != options.isEmpty)
    }
    #expect(try invocation(TypedCommand.text("token", name, "--format raw")).value("format") == "raw")
    #expect(Failure.loginHint(name) == "run '\(TypedCommand.text("login", name))'")
  }

  @Test func `a scope more is asked for beside the others, in quotes only where a shell needs them`() {
    let account = Account(provider: "acme", name: "work")
    for (others, list) in [
      ([], "openid"), (["openid"], "openid"), (["read", "a:b"], "openid,read,a:b"),
      (["it's", "$(id)"], #"'openid,it'\''s,$(id)'"#),
    ] {
      #expect(
        Failure.hint(toAsk: "openid", beside: others, account) == "run 'oauthctl login acme/work --scope \(list)'")
    }
  }

  @Test(arguments: [
    ["token", "acme", "--id-token", "--field", "x"],
    ["token", "acme", "--no-refresh", "--force-refresh"], ["inspect", "acme", "--id-token", "--userinfo"],
    ["logout", "acme", "--everywhere", "--local"],
    ["logout", "acme", "--everywhere", "--browser", "b", "--no-browser"],
  ]) func `options that exclude each other are told with what helps`(_ words: [String]) async throws {
    let outcome = try await CommandHarness(MemoryStore(Sample.session())).run(words: words)
    #expect(outcome.code == 64 && outcome.messages.last == "oauthctl: hint: leave one of them out")
  }
}

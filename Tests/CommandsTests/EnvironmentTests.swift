import Crypto
import TestSupport
import Testing

@testable import Commands

struct EnvironmentTests {
  private func environment(_ variables: [String: String]) throws -> Environment {
    try CommandHarness(variables: variables).environment("status")
  }

  @Test(arguments: [
    ("acme", "ACME"), ("my-own.prov", "MY_OWN_PROV"), ("a+b@c_d", "A_B_C_D"), ("Mixed9", "MIXED9"),
  ]) func `a setting is found under the provider's name in capitals`(_ provider: String, _ name: String) throws {
    let environment = try environment(["OAUTHCTL_\(name)_CLIENT_ID": "id"])
    #expect(environment.setting("CLIENT_ID", provider: provider) == "id")
    #expect(environment.setting("CLIENT_ID", provider: "another") == nil)
  }

  @Test func `an empty setting is none`() throws {
    #expect(try environment(["OAUTHCTL_ACME_CLIENT_ID": ""]).setting("CLIENT_ID", provider: "acme") == nil)
  }

  @Test func `a secret that is meant for another client is not taken`() throws {
    let alone = try environment(["OAUTHCTL_ACME_CLIENT_SECRET": "s"])
    #expect(alone.environmentSecret(provider: "acme", clientID: "app") == Secret("s"))
    #expect(alone.environmentSecret(provider: "other", clientID: "app") == nil)
    let paired = try environment(["OAUTHCTL_ACME_CLIENT_SECRET": "s", "OAUTHCTL_ACME_CLIENT_ID": "app"])
    #expect(paired.environmentSecret(provider: "acme", clientID: "app") == Secret("s"))
    #expect(paired.environmentSecret(provider: "acme", clientID: "old") == nil)
  }
}

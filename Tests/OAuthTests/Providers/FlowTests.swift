import Testing

@testable import OAuth

/// What a provider offers, and whose tokens it may give.
@Suite struct FlowTests {
  @Test func `flows are told by the endpoints, unless the data tells them`() {
    var provider = Provider(name: "acme")
    #expect(provider.effectiveFlows.isEmpty)
    provider.endpoints = Endpoints()
    provider.endpoints?.deviceAuthorization = "https://a.example/device"
    #expect(provider.effectiveFlows == [.device])
    provider.issuer = "https://a.example"
    #expect(provider.effectiveFlows == [.code, .device])
    provider.flows = [.clientCredentials]
    provider.grants = ["own": ExtensionGrant(grantType: "own"), "also": ExtensionGrant(grantType: "also")]
    #expect(provider.flowNames == ["client-credentials", "also", "own"])
  }

  @Test func `a grant's empty parameters are the user's to give`() {
    #expect(ExtensionGrant(grantType: "g").neededParams.isEmpty)
    #expect(ExtensionGrant(grantType: "g", params: ["b": "", "a": "", "c": "1"]).neededParams == ["a", "b"])
  }

  @Test func `an alias of the issuer is filled with the token's claims`() {
    var provider = Provider(name: "acme")
    provider.quirks = Quirks()
    provider.quirks?.issuerAliases = ["https://a.example/{tid}/v2.0", "a.example"]
    let claims: [String: JSONValue] = ["tid": .string("t-1"), "iss": .string("https://a.example/t-1/v2.0")]
    #expect(provider.issuers(fitting: claims) == ["https://a.example/t-1/v2.0", "a.example"])
    provider.issuer = "https://a.example"
    #expect(provider.issuers(fitting: claims).first == "https://a.example")
  }

  @Test(
    arguments: [
      [:], ["tid": .null], ["tid": .string("")], ["tid": .string("x/../y")], ["tid": .string("a.b/x?")],
      ["tid": .string("..")], ["tid": .integer(1)], ["tid": .string("é")],
    ] as [[String: JSONValue]])
  func `a claim that is missing, or could change the rest of the URL, fits no issuer`(_ claims: [String: JSONValue]) {
    var provider = Provider(name: "acme")
    provider.quirks = Quirks()
    provider.quirks?.issuerAliases = ["https://a.example/{tid}/v2.0"]
    #expect(provider.issuers(fitting: claims) == ["https://a.example/{tid}/v2.0"])
  }

  @Test func `a provider without an issuer or an alias has none to compare with`() {
    #expect(Provider(name: "acme").issuers(fitting: ["iss": .string("https://x")]).isEmpty)
  }
}

import Flows
import OAuth
import TestSupport
import Testing

struct DiscoveryOutageTests {
  @Test func `a second document that cannot be fetched takes nothing from the first`() async throws {
    let first = HTTPResponse.json(
      #"{"issuer":"https://id.acme.example","authorization_endpoint":"https://id.acme.example/a","token_endpoint":"https://id.acme.example/t"}"#
    )
    let broken = TransportError(kind: .broken, host: "id.acme.example", message: "m", mayHaveArrived: true)
    let http = FakeHTTPClient(
      .get("https://id.acme.example/.well-known/openid-configuration", first),
      .failing(.get, "https://id.acme.example/.well-known/oauth-authorization-server", with: broken))
    var provider = Provider(name: "acme")
    provider.issuer = Sample.issuer
    let found = try await DiscoverProvider(network: Network(asking: http)).complete(provider)
    #expect(found.provider.endpoints?.token == "https://id.acme.example/t")
  }
}

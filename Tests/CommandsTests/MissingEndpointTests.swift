import Crypto
import OAuth
import TestSupport
import Testing

@testable import Commands

/// What a grant cannot do without is looked for before a client is registered or a person is sent away.
@Suite(.timeLimit(.minutes(1))) struct MissingEndpointTests {
  private static let metadata = HTTPResponse.json(
    #"{"issuer":"https://id.acme.example","authorization_endpoint":"https://id.acme.example/a","device_authorization_endpoint":"https://id.acme.example/d","revocation_endpoint":"https://id.acme.example/r","registration_endpoint":"https://id.acme.example/c"}"#
  )

  @Test(arguments: [
    [], ["--print-url"], ["--flow", "device"], ["--flow", "client-credentials", "--client-secret-file", "f"],
    ["--client-id", "app"],
  ]) func `a server without a token endpoint is told at once`(_ options: [String]) async throws {
    let discovery = "https://id.acme.example/.well-known/"
    let harness = try CommandHarness(
      http: FakeHTTPClient(
        .get(discovery + "openid-configuration", Self.metadata),
        .get(discovery + "oauth-authorization-server", .text("", status: 404))), files: ["f": Secret("s")])
    var provider = Provider(name: "acme")
    provider.issuer = "https://id.acme.example"
    if options.contains("--flow") { provider.clientID = "app" }
    try harness.add(provider)
    let outcome = try await harness.run(words: ["login", "acme"] + options)
    #expect(outcome.code == 78 && outcome.messages.joined().contains("acme has no token endpoint"), "\(outcome)")
    #expect(harness.store.items.isEmpty && harness.browsersMade.all.isEmpty && harness.terminal.shown.all.isEmpty)
  }

  @Test func `a device login is polled where the data says, without a token endpoint`() async throws {
    var provider = Provider(name: "acme")
    var endpoints = Endpoints()
    endpoints.deviceAuthorization = "https://id.acme.example/d"
    endpoints.deviceToken = "https://id.acme.example/poll"
    provider.endpoints = endpoints
    provider.clientID = "app"
    let harness = try CommandHarness(
      http: FakeHTTPClient(
        .post("https://id.acme.example/d", .error("invalid_client", status: 401))))
    try harness.add(provider)
    #expect(try await harness.run("login", "acme", "--flow", "device", "--scope", "a").code == 78)
    #expect(harness.http.requests.count == 1)
  }
}

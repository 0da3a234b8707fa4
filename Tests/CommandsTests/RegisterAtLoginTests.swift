import Crypto
import Flows
import OAuth
import TestSupport
import Testing

@testable import Commands

/// The client of a login that this program registers by itself.
struct RegisterAtLoginTests {
  private static let endpoint = "https://id.acme.example/register"
  private static let uri = "https://id.acme.example/register/c-1"
  private static let provider = Sample.provider { $0.endpoints?.registration = endpoint }

  private func prepare(
    _ harness: CommandHarness, _ provider: Provider = provider, stored: Session? = nil, _ options: String...
  ) async throws -> RegisterAtLogin.Prepared {
    let invocation = try CommandHarness.invocation(["login", "acme"] + options)
    let environment = harness.environment(invocation, output: .silent)
    let found = try await DiscoverProvider(network: Sample.network(harness.http, harness.time)).complete(provider)
    let read = try LoginOptions(invocation, environment)
    return try await RegisterAtLogin(environment, environment.makeNetwork(), read, found, .code).prepare(
      ClientChoice(environment, provider, read), stored)
  }

  /// A client that was registered with these ports.
  private func registered(_ ports: Int...) -> ClientRegistration {
    var client = ClientRegistration(id: "c-1", method: ClientAuthMethod.none)
    let redirects = ports.map { "http://127.0.0.1:\($0)/callback" }
    client.management = RegistrationManagement(uri: Self.uri, token: Secret("reg-1"), redirectURIs: redirects)
    return client
  }

  @Test func `the listener is bound, and then its very address registered`() async throws {
    let harness = try CommandHarness(
      http: FakeHTTPClient(
        Exchange(.post, Self.endpoint) { request in
          #expect(request.text.contains("http://127.0.0.1:4711/callback"))
          return .json(#"{"client_id":"c-1"}"#, status: 201)
        }))
    let prepared = try await prepare(harness)
    guard case .bound(_, "http://127.0.0.1:4711/callback") = prepared.redirect else {
      Issue.record("not bound: \(prepared)")
      return
    }
    #expect(prepared.clientID == "c-1" && harness.terminal.notes.all == ["registered a client at acme"])
    #expect(try ClientStore(harness.store).load("c-1", provider: "acme") != nil)
  }

  @Test func `the ports that are registered are tried first`() async throws {
    let store = MemoryStore()
    try store.put(registered(4711, 5000))
    let harness = try CommandHarness(store)
    _ = try await prepare(harness)
    #expect(harness.listeners.bound.all.map(\.ports) == [[4711, 5000, 0]])
    // Unless the user fixes one, or the provider's data does.
    let other = try CommandHarness(
      store, http: FakeHTTPClient(Exchange(.put, Self.uri) { _ in .json(#"{"client_id":"c-1"}"#) }))
    try store.put(registered(5000))
    _ = try await prepare(other, Self.provider, stored: nil, "--port", "4711")
    #expect(other.listeners.bound.all.map(\.ports) == [[4711]])
    #expect(other.terminal.notes.all == ["changed the client's registration at acme"])
  }

  @Test func `a client of the user's own is left as it is, and nothing is bound for it`() async throws {
    let store = MemoryStore()
    try store.put(ClientRegistration(id: "own"))
    let harness = try CommandHarness(store)
    let prepared = try await prepare(harness)
    #expect(prepared.clientID == nil && prepared.redirect == nil && harness.listeners.bound.all.isEmpty)
    let named = try CommandHarness()
    #expect(try await prepare(named, Self.provider, stored: nil, "--client-id", "x").clientID == nil)
  }

  @Test func `who has a secret has a client, and none is registered`() async throws {
    let harness = try CommandHarness(variables: ["OAUTHCTL_ACME_CLIENT_SECRET": "s"])
    #expect(try await prepare(harness).clientID == nil)
  }

  @Test func `where the server registers nobody, a person is asked for a client and a script is told`() async throws {
    let refusal = HTTPResponse.error("invalid_token", status: 401)
    let person = try CommandHarness(
      http: FakeHTTPClient(.post(Self.endpoint, refusal)), terminal: FakeTerminal(isInteractive: true))
    #expect(try await prepare(person).clientID == nil)
    #expect(person.terminal.notes.all.count == 1)
    let script = try CommandHarness(http: FakeHTTPClient(.post(Self.endpoint, refusal)))
    await #expect(throws: RegistrationFailure.self) { try await prepare(script) }
  }

  @Test func `a file names the client that has taken another one's place`() async throws {
    let store = MemoryStore()
    var client = registered(5000)
    client.management?.uri = nil
    try store.put(client)
    let harness = try CommandHarness(
      store, http: FakeHTTPClient(.post(Self.endpoint, .json(#"{"client_id":"c-2"}"#, status: 201))))
    var own = Self.provider
    own.clientID = "c-1"
    try harness.add(own)
    let prepared = try await prepare(harness, own)
    #expect(prepared.clientID == "c-2" && prepared.replaced == "c-1")
    let environment = try harness.environment("login", "acme")
    #expect(try environment.providers.find("acme")?.provider.clientID == "c-2")
  }

  @Test func `a file that a person wrote keeps what the person wrote`() async throws {
    let store = MemoryStore()
    var client = registered(5000)
    client.management?.uri = nil
    try store.put(client)
    let harness = try CommandHarness(
      store, http: FakeHTTPClient(.post(Self.endpoint, .json(#"{"client_id":"c-2"}"#, status: 201))))
    var own = Self.provider
    own.clientID = "c-1"
    let written = "// by hand\n" + ProviderFile.write(own)
    try harness.addFile("acme", written)
    _ = try await prepare(harness, own)
    #expect(harness.folder.read("oauthctl/providers/acme.json") == written.replacing("c-1", with: "c-2"))
  }
}

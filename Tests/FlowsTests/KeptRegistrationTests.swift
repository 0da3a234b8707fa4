import Crypto
import Flows
import OAuth
import TestSupport
import Testing

struct KeptRegistrationTests {
  private static let uri = "https://id.acme.example/register/c-1"
  private static let redirect = "http://127.0.0.1:8085/callback"

  private static let plan = RegisterClient.Plan(
    metadata: ClientMetadata(name: "oauthctl", redirectURIs: LoopbackRedirect.registered(for: redirect)),
    endpoint: "https://id.acme.example/register")

  private static func managed(_ id: String = "c-1") -> ClientRegistration {
    var client = ClientRegistration(id: id, method: ClientAuthMethod.none)
    client.management = RegistrationManagement(uri: uri, token: Secret("reg-1"), redirectURIs: [redirect])
    return client
  }

  private func kept(_ store: MemoryStore, _ http: FakeHTTPClient) -> KeptRegistration {
    KeptRegistration(store: store, network: Network(asking: http))
  }

  private func delete(_ status: Int) -> Exchange {
    Exchange(.delete, Self.uri) { _ in .text("", status: status) }
  }

  @Test func `a client is in the keyring, with whom it was registered at, before anything is done with it`()
    async throws
  {
    let store = MemoryStore()
    let http = FakeHTTPClient(.post(Self.plan.endpoint, .json(#"{"client_id":"c-1"}"#, status: 201)))
    let client = try await kept(store, http).register(
      Self.plan, for: Sample.provider { $0.issuer = "https://i.example" })
    #expect(client.management?.issuer == "https://i.example")
    #expect(try ClientStore(store).load("c-1", provider: "acme") == client)
  }

  @Test func `what a change brings is kept, and where none is allowed to be made anew nothing is`() async throws {
    let store = MemoryStore()
    var other = Self.plan
    other.metadata.redirectURIs = ["http://localhost:1/x"]
    let http = FakeHTTPClient(
      Exchange(.put, Self.uri) { _ in .json(#"{"client_id":"c-1","registration_access_token":"reg-2"}"#) },
      Exchange(.put, Self.uri) { _ in .text("", status: 405) })
    let kept = kept(store, http)
    _ = try await kept.ensure(Self.managed(), other, for: Sample.provider(), mayReplace: false)
    #expect(try ClientStore(store).load("c-1", provider: "acme")?.management?.token == Secret("reg-2"))
    #expect(
      try await kept.ensure(Self.managed(), other, for: Sample.provider(), mayReplace: false) == .kept(Self.managed()))
  }

  @Test func `a client is ended at the server and forgotten`() async throws {
    for (status, outcome) in [(204, KeptRegistration.Forgotten.everywhere), (401, .here), (404, .here)] {
      let store = MemoryStore()
      try store.put(Self.managed())
      #expect(
        try await kept(store, FakeHTTPClient(delete(status))).forget("c-1", of: "acme", isLocal: false) == outcome)
      #expect(store.items.isEmpty)
    }
  }

  @Test func `a server that refuses does not keep it here`() async throws {
    let store = MemoryStore()
    try store.put(Self.managed())
    let outcome = try await kept(store, FakeHTTPClient(delete(403))).forget("c-1", of: "acme", isLocal: false)
    guard case .refused = outcome else {
      Issue.record("another outcome: \(outcome)")
      return
    }
    #expect(store.items.isEmpty)
  }

  @Test func `a server that cannot answer now does, so that it can be asked again`() async throws {
    let store = MemoryStore()
    try store.put(Self.managed())
    await #expect(throws: RegistrationFailure.self) {
      try await kept(store, FakeHTTPClient(delete(503))).forget("c-1", of: "acme", isLocal: false)
    }
    #expect(store.items.count == 1)
  }

  @Test func `a client that the server has ended is gone here, too, though the keyring fails for a while`() async throws
  {
    let store = MemoryStore()
    try store.put(Self.managed())
    let http = FakeHTTPClient(
      Exchange(.delete, Self.uri) { _ in
        store.fail(.delete, calls: 1, 2, with: .failed(detail: "restarting"))
        return .text("", status: 204)
      })
    #expect(try await kept(store, http).forget("c-1", of: "acme", isLocal: false) == .everywhere)
    #expect(store.items.isEmpty)
  }

  @Test func `nobody is asked locally, for a client of the user's own, or where there is none`() async throws {
    let store = MemoryStore()
    try store.put(Self.managed())
    try store.put(ClientRegistration(id: "own", secret: Secret("s")))
    let kept = kept(store, FakeHTTPClient())
    #expect(try await kept.forget("c-1", of: "acme", isLocal: true) == .here)
    #expect(try await kept.forget("own", of: "acme", isLocal: false) == .here)
    #expect(try await kept.forget("none", of: "acme", isLocal: false) == .unknown)
    #expect(store.items.isEmpty)
  }

  @Test func `a client that an account needs, or one that cannot be read may, stays`() async throws {
    let store = try MemoryStore(Sample.session { $0.clientID = "c-1" })
    try store.put(Self.managed())
    let kept = kept(store, FakeHTTPClient())
    #expect(try await kept.forget("c-1", of: "acme", isLocal: false) == .inUse([Sample.account]))
    store.items[Sample.key] = Secret("rubbish")
    #expect(try await kept.forget("c-1", of: "acme", isLocal: true) == .inUse([Sample.account]))
    #expect(store.items.count == 2)
  }
}

import Crypto
import Flows
import OAuth
import TestSupport
import Testing

/// Registrations that come to nothing are ended at the server, or told of.
struct AbandonedRegistrationTests {
  private static let endpoint = "https://id.acme.example/register"
  private static let uri = "https://id.acme.example/register/c-1"
  private static let redirect = "http://127.0.0.1:8085/callback"
  private static let managed =
    #""client_id":"c-1","registration_client_uri":"\#(uri)","registration_access_token":"reg-1""#

  private static let plan = RegisterClient.Plan(
    metadata: ClientMetadata(name: "oauthctl", redirectURIs: LoopbackRedirect.registered(for: redirect)),
    endpoint: endpoint)

  /// Registers; gives what was thrown and what was told.
  private func register(_ store: MemoryStore, _ http: FakeHTTPClient) async -> (thrown: (any Error)?, told: [String]) {
    let told = Recorder<String>()
    do {
      _ = try await KeptRegistration(store: store, network: Network(asking: http), warn: { told.add($0) }).register(
        Self.plan, for: Sample.provider())
      return (nil, told.all)
    } catch {
      return (error, told.all)
    }
  }

  private static func delete(_ status: Int, _ check: @escaping @Sendable () -> Void = {}) -> Exchange {
    Exchange(.delete, uri) { request in
      #expect(request.headers("Authorization") == ["Bearer reg-1"])
      check()
      return .text("", status: status)
    }
  }

  static let unfit: [Named<String>] = [
    Named("other redirects", #""redirect_uris":["https://other.example/cb"]"#),
    Named("a method that nobody knows", #""token_endpoint_auth_method":"magic""#),
    Named("a secret's method and no secret", #""token_endpoint_auth_method":"client_secret_basic""#),
    Named("a key's method and no key", #""token_endpoint_auth_method":"private_key_jwt""#),
  ]

  @Test(arguments: unfit) func `what the server made something else of is ended there`(_ row: Named<String>) async {
    let store = MemoryStore()
    let http = FakeHTTPClient(
      .post(Self.endpoint, .json("{\(Self.managed),\(row.value)}", status: 201)),
      // Kept until it is ended, lest it be forgotten half-way.
      Self.delete(204) { #expect(store.items.count == 1) })
    let (thrown, told) = await register(store, http)
    #expect(thrown is RegistrationFailure && told.isEmpty && store.items.isEmpty)
  }

  @Test(arguments: unfit) func `where it cannot be ended now it is kept for that, and not used`(_ row: Named<String>)
    async throws
  {
    let store = MemoryStore()
    let http = FakeHTTPClient(
      .post(Self.endpoint, .json("{\(Self.managed),\(row.value)}", status: 201)), Self.delete(503))
    let (thrown, told) = await register(store, http)
    #expect(thrown is RegistrationFailure)
    #expect(told.count == 1 && told[0].contains("c-1") && told[0].contains("oauthctl logout acme --forget-client"))
    let kept = try #require(try ClientStore(store).load("c-1", provider: "acme"))
    // The next login registers another.
    let again = FakeHTTPClient(
      Exchange(.put, Self.uri) { _ in .text("", status: 405) },
      .post(Self.endpoint, .json(#"{"client_id":"c-2"}"#, status: 201)))
    let outcome = try await KeptRegistration(store: store, network: Network(asking: again)).ensure(
      kept, Self.plan, for: Sample.provider(), mayReplace: true)
    #expect(outcome.client.id == "c-2")
    let end = KeptRegistration(store: store, network: Network(asking: FakeHTTPClient(Self.delete(204))))
    #expect(try await end.forget("c-1", of: "acme", isLocal: false) == .everywhere)
  }

  @Test func `a server that has no way to end it is told of`() async {
    let store = MemoryStore()
    let http = FakeHTTPClient(
      .post(Self.endpoint, .json(#"{"client_id":"c-1","redirect_uris":["https://other.example/cb"]}"#)))
    let (thrown, told) = await register(store, http)
    #expect(thrown is RegistrationFailure && store.items.isEmpty)
    #expect(told.count == 1 && told[0].contains("still registered") && told[0].contains("no way to end it"))
  }

  static let failures: [Named<StoreError>] = [
    Named("locked", .locked), Named("dismissed", .unlockDismissed), Named("no collection", .noCollection),
    Named("gone for good", .failed(detail: "no")),
  ]

  @Test(arguments: failures) func `a keyring that takes nothing costs no registration`(_ row: Named<StoreError>) async {
    let store = MemoryStore()
    store.failAlways(.save, with: row.value)
    let (thrown, told) = await register(store, FakeHTTPClient())
    #expect(thrown as? StoreError == row.value && told.isEmpty)
  }

  @Test(arguments: failures) func `one that takes nothing any more has it ended again`(_ row: Named<StoreError>) async {
    for (status, words) in [(204, nil), (503, "nothing is left here")] {
      let store = MemoryStore()
      let http = FakeHTTPClient(
        Exchange(.post, Self.endpoint) { _ in
          store.failAlways(.save, with: row.value)
          return .json("{\(Self.managed)}", status: 201)
        }, Self.delete(status))
      let (thrown, told) = await register(store, http)
      #expect(thrown as? StoreError == row.value)
      #expect(
        told.count == (words == nil ? 0 : 1) && told.allSatisfy { $0.contains(words ?? "") && $0.contains("c-1") })
    }
  }

  @Test func `nothing stays of the look whether the keyring takes something`() async throws {
    let store = MemoryStore()
    let http = FakeHTTPClient(
      Exchange(.post, Self.endpoint) { _ in
        #expect(store.items.isEmpty && store.saves.count == 1)
        return .json("{\(Self.managed)}", status: 201)
      })
    #expect(await register(store, http).thrown == nil)
    #expect(store.items.count == 1)
  }

  @Test func `a change is not asked for either, where what it brings could not be kept`() async throws {
    let store = MemoryStore()
    var client = ClientRegistration(id: "c-1")
    client.management = RegistrationManagement(uri: Self.uri, token: Secret("reg-1"), redirectURIs: [])
    store.failAlways(.save, with: .locked)
    await #expect(throws: StoreError.locked) {
      try await KeptRegistration(store: store, network: Network(asking: FakeHTTPClient())).ensure(
        client, Self.plan, for: Sample.provider(), mayReplace: true)
    }
  }

  @Test func `a client whose new secret was lost is told of`() async throws {
    let store = MemoryStore()
    var client = ClientRegistration(id: "c-1", secret: Secret("s-1"), method: .basic)
    client.management = RegistrationManagement(uri: Self.uri, token: Secret("reg-1"), redirectURIs: [])
    let told = Recorder<String>()
    let http = FakeHTTPClient(
      Exchange(.put, Self.uri) { _ in
        store.failAlways(.save, with: .failed(detail: "no"))
        return .json(#"{"client_id":"c-1","client_secret":"s-2"}"#)
      })
    let before = client
    await #expect(throws: StoreError.failed(detail: "no")) {
      try await KeptRegistration(store: store, network: Network(asking: http), warn: { told.add($0) }).ensure(
        before, Self.plan, for: Sample.provider(), mayReplace: true)
    }
    #expect(told.all.count == 1 && told.all[0].contains("oauthctl logout acme --forget-client"))
    #expect(!told.all[0].contains("s-2"))
  }
}

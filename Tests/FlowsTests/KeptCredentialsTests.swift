import Crypto
import Flows
import Foundation
import OAuth
import Synchronization
import TestSupport
import Testing

/// What a server gives of a client with any reply is in the keyring before anything else is done (RFC 7592 section 3).
struct KeptCredentialsTests {
  private static let endpoint = "https://id.acme.example/register"
  private static let uri = "https://id.acme.example/register/c-1"
  private static let old = "http://127.0.0.1:8085/callback"
  private static let new = "http://127.0.0.1:9000/callback"
  private static let given =
    #""client_id":"c-1","client_secret":"s-2","client_secret_expires_at":0,"registration_access_token":"reg-2""#

  private static let plan = RegisterClient.Plan(
    metadata: ClientMetadata(name: "oauthctl", redirectURIs: LoopbackRedirect.registered(for: new)),
    endpoint: endpoint)

  private static func client(ends: Date? = nil) -> ClientRegistration {
    var client = ClientRegistration(id: "c-1", secret: Secret("s-1"), method: .basic)
    client.secretExpiresAt = ends
    client.management = RegistrationManagement(uri: uri, token: Secret("reg-1"), redirectURIs: [old])
    return client
  }

  private func ensure(
    _ client: ClientRegistration, _ store: MemoryStore, _ http: FakeHTTPClient, time: FakeTime = FakeTime()
  ) async throws -> RegisterClient.Outcome {
    try store.put(client)
    return try await KeptRegistration(store: store, network: Sample.network(http, time)).ensure(
      client, Self.plan, for: Sample.provider(), mayReplace: true)
  }

  private static func expectKept(_ store: MemoryStore, sourceLocation: SourceLocation = #_sourceLocation) {
    let kept = try? ClientStore(store).load("c-1", provider: "acme")
    #expect(kept?.secret == Secret("s-2"), sourceLocation: sourceLocation)
    #expect(kept?.secretExpiresAt == nil, sourceLocation: sourceLocation)
    #expect(kept?.management?.token == Secret("reg-2"), sourceLocation: sourceLocation)
    #expect(kept?.management?.uri == uri && kept?.method == .basic, sourceLocation: sourceLocation)
  }

  static let useless: [Named<String>] = [
    Named("the redirect is not taken", #"{\#(given),"redirect_uris":["http://127.0.0.1:8085/callback"]}"#),
    Named("another method, without what it needs", #"{\#(given),"token_endpoint_auth_method":"private_key_jwt"}"#),
    Named("a method that nobody knows", #"{\#(given),"token_endpoint_auth_method":"magic"}"#),
  ]

  @Test(arguments: useless) func `a change that does not help has brought what it brought`(_ row: Named<String>)
    async throws
  {
    let store = MemoryStore()
    let http = FakeHTTPClient(
      Exchange(.get, Self.uri) { _ in .text("", status: 405) },
      Exchange(.put, Self.uri) { _ in .json(row.value) },
      Exchange(.post, Self.endpoint) { _ in
        // Before the next request is sent.
        Self.expectKept(store)
        return .text("", status: 503)
      })
    await #expect(throws: RegistrationFailure.self) { try await ensure(Self.client(), store, http) }
    Self.expectKept(store)
  }

  @Test func `where a reading brings a new secret and the change after it fails, the secret is kept`() async throws {
    let store = MemoryStore()
    let http = FakeHTTPClient(
      Exchange(.get, Self.uri) { _ in .json("{\(Self.given)}") },
      Exchange(.put, Self.uri) { request in
        Self.expectKept(store)
        #expect(request.headers("Authorization") == ["Bearer reg-2"])
        return .text("", status: 503)
      })
    await #expect(throws: RegistrationFailure.self) {
      try await ensure(Self.client(ends: Sample.now), store, http)
    }
    // The redirect that was not asked for yet is none of the client's.
    #expect(try ClientStore(store).load("c-1", provider: "acme")?.management?.redirectURIs == [Self.old])
  }

  @Test func `a reading that brings a secret which has ended, too, has still ended the one before`() async throws {
    let store = MemoryStore()
    let ended = Self.given.replacing(#""client_secret_expires_at":0"#, with: #""client_secret_expires_at":1"#)
    let http = FakeHTTPClient(
      Exchange(.get, Self.uri) { _ in .json("{\(ended)}") },
      // A change may bring yet another one.
      Exchange(.put, Self.uri) { _ in .text("", status: 405) },
      .post(Self.endpoint, .json(#"{"client_id":"c-2"}"#, status: 201)))
    #expect(try await ensure(Self.client(ends: Sample.now), store, http).client.id == "c-2")
    let kept = try ClientStore(store).load("c-1", provider: "acme")
    #expect(kept?.secret == Secret("s-2") && kept?.management?.token == Secret("reg-2"))
    #expect(kept?.secretExpiresAt == Date(timeIntervalSince1970: 1))
  }

  @Test func `a later end of the same secret is taken`() async throws {
    let store = MemoryStore()
    var client = Self.client(ends: Sample.now)
    client.management?.redirectURIs = Self.plan.metadata.redirectURIs
    let end = Int(Sample.now.timeIntervalSince1970) + 3600
    let http = FakeHTTPClient(
      Exchange(.get, Self.uri) { _ in .json(#"{"client_id":"c-1","client_secret_expires_at":\#(end)}"#) })
    #expect(try await ensure(client, store, http).client.secretExpiresAt == Sample.now.addingTimeInterval(3600))
  }

  private static let restarting = StoreError.failed(detail: "the service is being restarted")

  @Test func `a keyring that fails for a while is tried again`() async throws {
    let store = MemoryStore()
    let http = FakeHTTPClient(
      Exchange(.get, Self.uri) { _ in .text("", status: 405) },
      Exchange(.put, Self.uri) { _ in
        store.fail(.save, calls: 1, 2, 3, with: Self.restarting)
        return .json("{\(Self.given)}")
      })
    guard case .changed = try await ensure(Self.client(), store, http) else {
      Issue.record("not changed")
      return
    }
    Self.expectKept(store)
  }

  @Test func `a client in use is kept anywhere before it is lost`() async throws {
    let store = MemoryStore()
    store.place = .sessionOnly
    let http = FakeHTTPClient(
      Exchange(.get, Self.uri) { _ in .text("", status: 405) },
      Exchange(.put, Self.uri) { _ in
        store.fail(.save, calls: 1, with: .locked)
        return .json("{\(Self.given)}")
      })
    _ = try await ensure(Self.client(), store, http)
    Self.expectKept(store)
    #expect(store.saves.last?.isLastCopy == true)
  }

  @Test func `who interrupts does not stop that`() async throws {
    let store = MemoryStore()
    let time = FakeTime()
    let running = Mutex<Task<RegisterClient.Outcome, any Error>?>(nil)
    let http = FakeHTTPClient(
      Exchange(.get, Self.uri) { _ in .text("", status: 405) },
      Exchange(.put, Self.uri) { _ in
        while running.withLock({ $0 }) == nil { await Task.yield() }
        running.withLock { $0?.cancel() }
        // The time that is left after that has passed.
        while time.sleeps.isEmpty || !Task.isCancelled { await Task.yield() }
        store.fail(.save, calls: 1, 2, with: Self.restarting)
        return .json("{\(Self.given)}")
      })
    let task = Task { try await ensure(Self.client(), store, http, time: time) }
    running.withLock { $0 = task }
    _ = try? await task.value
    Self.expectKept(store)
    #expect(time.sleeps == [.seconds(30), .milliseconds(200), .milliseconds(500)])
  }

  @Test func `a new client is kept by a keyring that fails for a while, too`() async throws {
    let store = MemoryStore()
    let http = FakeHTTPClient(
      Exchange(.post, Self.endpoint) { _ in
        store.fail(.save, calls: 1, 2, with: Self.restarting)
        return .json(#"{"client_id":"c-2"}"#, status: 201)
      })
    _ = try await KeptRegistration(store: store, network: Network(asking: http)).register(
      Self.plan, for: Sample.provider())
    #expect(try ClientStore(store).load("c-2", provider: "acme") != nil)
  }
}

import Crypto
import Foundation
import OAuth
import TestSupport
import Testing

@testable import Flows

struct RevokeSessionTests {
  private func revoke(
    _ store: MemoryStore, _ http: FakeHTTPClient, lock: FakeLock = FakeLock(), isLocal: Bool = false,
    secret: Secret? = nil
  ) async throws -> RevokeSession.Outcome {
    // A clock of this world is never at a whole second.
    let time = FakeTime(Sample.now.addingTimeInterval(0.7))
    return try await RevokeSession(store: store, lock: lock, network: Sample.network(http, time)).revoke(
      Sample.account, isLocal: isLocal, secret: secret)
  }

  /// What is stored, as it was before the mark came and went.
  private func unmarked(_ store: MemoryStore) throws -> Session {
    var session = try #require(try store.session())
    #expect(session.generation == 3)
    session.generation = 1
    return session
  }

  private func exchange(_ token: String, _ response: HTTPResponse = .text("")) -> Exchange {
    .post(Sample.revocationURL, form: ["token": token], response)
  }

  @Test func `the refresh token is revoked first, then the access token, then all is forgotten`() async throws {
    let store = try MemoryStore(Sample.session())
    let lock = FakeLock()
    let last = Exchange(.post, Sample.revocationURL, form: ["token": "access-1"]) { _ in
      // Not before the server has said yes to both.
      #expect(store.items[Sample.key] != nil && lock.isHeld("acme/work"))
      return .text("")
    }
    #expect(try await revoke(store, FakeHTTPClient(exchange("refresh-1"), last), lock: lock) == .revoked)
    #expect(store.items.isEmpty && lock.taken == ["acme/work"])
  }

  @Test func `tokens that the server does not know are as good as revoked`() async throws {
    let store = try MemoryStore(Sample.session())
    let http = FakeHTTPClient(
      exchange("refresh-1", .error("invalid_token")), exchange("access-1", .error("invalid_grant")))
    #expect(try await revoke(store, http) == .revoked)
    #expect(store.items.isEmpty)
  }

  @Test func `a server that cannot be asked makes nothing forgotten`() async throws {
    for response in [
      HTTPResponse.text("", status: 503), .text("<html>", status: 403), .error("temporarily_unavailable"),
    ] {
      let store = try MemoryStore(Sample.session())
      await #expect(throws: TokenFailure.self) {
        try await revoke(store, FakeHTTPClient(exchange("refresh-1", response)))
      }
      #expect(try unmarked(store) == Sample.session())
      let late = FakeHTTPClient(exchange("refresh-1"), exchange("access-1", response))
      await #expect(throws: TokenFailure.self) { try await revoke(store, late) }
      // The refresh token is no more, and the access token may have ended with it.
      #expect(try store.session()?.tokens.accessToken == Secret("access-1"))
      #expect(try store.session()?.state(at: Sample.now) == .refused)
    }
    let store = try MemoryStore(Sample.session())
    let failure = TransportError(kind: .cannotConnect, host: "h", message: "m", mayHaveArrived: false)
    let http = FakeHTTPClient(.failing(.post, Sample.revocationURL, with: failure))
    await #expect(throws: failure) { try await revoke(store, http) }
    #expect(try unmarked(store) == Sample.session())
  }

  @Test func `a server that says no is asked for both tokens, and they are forgotten all the same`() async throws {
    let store = try MemoryStore(Sample.session())
    let http = FakeHTTPClient(
      exchange("refresh-1", .error("unsupported_token_type")), exchange("access-1", .text("", status: 403)))
    #expect(try await revoke(store, http) == .refused(ServerError(status: 400, code: "unsupported_token_type")))
    #expect(store.items.isEmpty)
  }

  @Test func `a public client that may revoke nothing forgets`() async throws {
    let store = try MemoryStore(Sample.session())
    let no = HTTPResponse.error("invalid_client", status: 401)
    let http = FakeHTTPClient(exchange("refresh-1", no), exchange("access-1", no))
    #expect(try await revoke(store, http) == .refused(ServerError(status: 401, code: "invalid_client")))
    #expect(store.items.isEmpty)
  }

  @Test func `a client with a secret that is refused keeps its login, for the secret can be mended`() async throws {
    let store = try MemoryStore(Sample.session())
    try store.put(ClientRegistration(id: "app", secret: Secret("old")))
    let http = FakeHTTPClient(exchange("refresh-1", .error("invalid_client", status: 401)))
    await #expect(throws: TokenFailure.clientRefused(ServerError(status: 401, code: "invalid_client"))) {
      try await revoke(store, http)
    }
    #expect(try unmarked(store) == Sample.session() && store.items[Sample.clientKey] != nil)
  }

  @Test func `the caller's secret wins over the keyring's`() async throws {
    let store = try MemoryStore(Sample.session())
    try store.put(ClientRegistration(id: "app", secret: Secret("kept")))
    let http = FakeHTTPClient(exchange("refresh-1"), exchange("access-1"))
    _ = try await revoke(store, http, secret: Secret("mine"))
    #expect(http.requests[0].headers("Authorization") == ["Basic " + Base64URL.encodeClassic("app:mine".utf8)])
    let again = try MemoryStore(Sample.session { $0.clientAuth = .post })
    try again.put(ClientRegistration(id: "app", secret: Secret("kept")))
    let second = FakeHTTPClient(exchange("refresh-1"), exchange("access-1"))
    _ = try await revoke(again, second)
    #expect(second.requests[0].form["client_secret"] == "kept")
  }

  @Test func `a provider without a way to revoke is not asked`() async throws {
    let store = try MemoryStore(Sample.session { $0.provider.endpoints?.revocation = nil })
    #expect(try await revoke(store, FakeHTTPClient()) == .noEndpoint)
    #expect(store.items.isEmpty)
  }

  @Test func `locally nothing is asked, and an item that cannot be read is forgotten too`() async throws {
    let store = try MemoryStore(Sample.session())
    #expect(try await revoke(store, FakeHTTPClient(), isLocal: true) == .forgotten)
    for item in ["rubbish", #"{"version":9}"#] {
      store.items[Sample.key] = Secret(item)
      #expect(try await revoke(store, FakeHTTPClient(), isLocal: true) == .forgotten)
    }
    #expect(store.items.isEmpty)
    store.items[Sample.key] = Secret("rubbish")
    await #expect(throws: SessionError.unreadable(Sample.account)) { try await revoke(store, FakeHTTPClient()) }
    #expect(store.items[Sample.key] == Secret("rubbish"))
  }

  @Test func `nobody logged in, a busy lock and a locked keyring are said as they are`() async throws {
    await #expect(throws: AccountError.none(Sample.account, others: [])) {
      try await revoke(MemoryStore(), FakeHTTPClient())
    }
    let store = try MemoryStore(Sample.session())
    let busy = FakeLock(error: .busy(holder: nil, seconds: 45))
    await #expect(throws: LockError.self) { try await revoke(store, FakeHTTPClient(), lock: busy) }
    store.failAlways(.load, with: .locked)
    await #expect(throws: StoreError.locked) { try await revoke(store, FakeHTTPClient()) }
    #expect(!store.items.isEmpty)
  }

  @Test func `a server's echo of a token is redacted`() async throws {
    let long = "refresh-token-of-some-length"
    let store = try MemoryStore(Sample.session { $0.tokens.refreshToken = Secret(long) })
    let http = FakeHTTPClient(
      exchange(long, .error("no_such", description: "unknown \(long)")), exchange("access-1"))
    let said = ServerError(status: 400, code: "no_such", description: "unknown [redacted]")
    #expect(try await revoke(store, http) == .refused(said))
  }
}

/// What a new login does with the tokens that it replaces.
struct RevokeReplacedTests {
  private let new = Sample.session { session in
    session.tokens.accessToken = Secret("access-2")
    session.tokens.refreshToken = Secret("refresh-2")
  }

  private func old(cascades: Bool?) -> Session {
    var style = RevocationStyle()
    style.cascades = cascades
    return Sample.session(provider: Sample.provider(quirks: { $0.revocation = style }))
  }

  private func run(_ old: Session, by new: Session, _ http: FakeHTTPClient) async {
    await RevokeSession(store: MemoryStore(), lock: FakeLock(), network: Sample.network(http)).revokeReplaced(
      old, by: new)
  }

  @Test func `they are revoked where that leaves the new ones alone, whatever the server says`() async {
    let http = FakeHTTPClient(
      .post(Sample.revocationURL, form: ["token": "refresh-1"], .text("", status: 500)),
      .post(Sample.revocationURL, form: ["token": "access-1"], .text("")))
    await run(old(cascades: false), by: new, http)
  }

  @Test(arguments: [nil, true]) func `they are left where their end might be the new ones' too`(_ cascades: Bool?) async
  {
    await run(old(cascades: cascades), by: new, FakeHTTPClient())
  }

  @Test func `tokens that the new login brought again, or of another client, are left`() async {
    let old = old(cascades: false)
    await run(old, by: Sample.session(), FakeHTTPClient())
    var sameRefresh = new
    sameRefresh.tokens.refreshToken = Secret("refresh-1")
    await run(old, by: sameRefresh, FakeHTTPClient())
    var sameAccess = new
    sameAccess.tokens.accessToken = Secret("access-1")
    await run(old, by: sameAccess, FakeHTTPClient())
    var otherClient = new
    otherClient.clientID = "other"
    await run(old, by: otherClient, FakeHTTPClient())
  }
}

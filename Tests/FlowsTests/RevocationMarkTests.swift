import Crypto
import Foundation
import OAuth
import TestSupport
import Testing

@testable import Flows

/// The mark of a logout: what could not be forgotten, or was cut short, does not look alive.
struct RevocationMarkTests {
  private let full = StoreError.failed(detail: "No space left on device")

  private func revoke(_ store: MemoryStore, _ http: FakeHTTPClient) async throws -> RevokeSession.Outcome {
    try await RevokeSession(store: store, lock: FakeLock(), network: Sample.network(http)).revoke(
      Sample.account, isLocal: false)
  }

  private func exchange(_ token: String, _ response: HTTPResponse = .text("")) -> Exchange {
    .post(Sample.revocationURL, form: ["token": token], response)
  }

  @Test func `a keyring that takes no write has nothing revoked`() async throws {
    let store = try MemoryStore(Sample.session())
    store.failAlways(.save, with: full)
    let error = await #expect(throws: FlowError.self) { try await revoke(store, FakeHTTPClient()) }
    guard case .notMarked(Sample.account, full) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try store.session() == Sample.session())
  }

  @Test func `where the server could not be asked the mark comes off, through a keyring that fails for a moment`()
    async throws
  {
    let store = try MemoryStore(Sample.session())
    let silent = Exchange(.post, Sample.revocationURL) { _ in
      store.fail(.save, calls: 1, 2, with: full)
      return .text("", status: 503)
    }
    await #expect(throws: TokenFailure.self) { try await revoke(store, FakeHTTPClient(silent)) }
    #expect(try store.session()?.refused == nil && store.session()?.tokens == Sample.session().tokens)
  }

  @Test func `a mark that the keyring did not take back stays and is told, and another try ends it`() async throws {
    let store = try MemoryStore(Sample.session())
    let silent = Exchange(.post, Sample.revocationURL) { _ in
      store.failAlways(.save, with: .locked)
      return .text("", status: 503)
    }
    let error = await #expect(throws: FlowError.self) { try await revoke(store, FakeHTTPClient(silent)) }
    guard case .stillMarked(Sample.account, .locked) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try store.session()?.refused?.isRevocation == true)
    store.failAlways(.save, with: nil)
    #expect(try await revoke(store, FakeHTTPClient(exchange("refresh-1"), exchange("access-1"))) == .revoked)
  }

  static let kinds: [Named<Session>] = [
    Named("with a refresh token", Sample.session()),
    Named("without one", Sample.session(tokens: Sample.tokens { $0.refreshToken = nil })),
    Named("of unknown expiry", Sample.session(tokens: Sample.tokens { ($0.refreshToken, $0.expiresAt) = (nil, nil) })),
    Named(
      "a grant that stands",
      Sample.session(tokens: Sample.tokens { $0.refreshToken = nil }) {
        $0.grant = StandingGrant(id: "g", kind: .clientCredentials)
      }),
    Named(
      "with variants",
      Sample.session { $0.take(Sample.tokens { $0.accessToken = Secret("v") }, for: .init(scopes: ["read"])) }),
  ]

  @Test(arguments: kinds) func `what was revoked and not forgotten is not handed out, nor renewed`(
    _ row: Named<Session>
  ) async throws {
    let store = try MemoryStore(row.value)
    store.failAlways(.delete, with: full)
    let tokens = [row.value.tokens.refreshToken, row.value.tokens.accessToken].compactMap(\.self)
    let others = (row.value.variants ?? []).map(\.tokens.accessToken)
    let answers = RevocationAnswers(tokens + others)
    let error = await #expect(throws: FlowError.self) {
      try await RevokeSession(store: store, lock: FakeLock(), network: Sample.network(answers)).revoke(
        Sample.account, isLocal: false)
    }
    guard case .notForgotten(Sample.account, full) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    let left = try #require(try store.session())
    let read = try #require(try SessionStore(store).loadToken(Sample.account))
    // For longer than a refusal of a grant that stands is believed.
    let later = Sample.now.addingTimeInterval(3000)
    for now in [Sample.now, later] {
      #expect(read.state(at: now) == .refused && !read.isUsable(at: now, for: 0))
      #expect(left.variants?.contains { left.isUsable($0.tokens, at: now, for: 0) } != true)
      #expect(throws: FlowError.self) {
        try RefreshSession.refuseKnownRefusal(of: read, Sample.account, now: now)
      }
    }
    // Everything is there for another try.
    store.failAlways(.delete, with: nil)
    let again = RevocationAnswers(tokens + others)
    let outcome = try await RevokeSession(store: store, lock: FakeLock(), network: Sample.network(again)).revoke(
      Sample.account, isLocal: false)
    #expect(outcome == .revoked)
    #expect(try store.session() == nil)
  }

  @Test func `a process that is killed after the server said yes leaves the mark`() async throws {
    let store = try MemoryStore(Sample.session())
    let asked = Exchange(.post, Sample.revocationURL, form: ["token": "refresh-1"]) { _ in
      let stored = try #require(try store.session())
      #expect(stored.state(at: Sample.now) == .refused && stored.refused?.isRevocation == true)
      #expect(!stored.isUsable(at: Sample.now, for: 0))
      return .text("")
    }
    #expect(try await revoke(store, FakeHTTPClient(asked, exchange("access-1"))) == .revoked)
  }

  @Test func `what is not revoked is not marked`() async throws {
    let store = try MemoryStore(Sample.session { $0.provider.endpoints?.revocation = nil })
    store.failAlways(.delete, with: full)
    await #expect(throws: full) { try await revoke(store, FakeHTTPClient()) }
    #expect(store.saves.isEmpty)
  }
}

/// Says yes to whatever is revoked, and wants to be asked for just these tokens.
private final class RevocationAnswers: HTTPClient {
  private let tokens: Set<String>

  init(_ tokens: [Secret]) { self.tokens = Set(tokens.map { $0.reveal() }) }

  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    #expect(tokens.contains(request.form["token"] ?? ""))
    return .text("")
  }
}

import Crypto
import Foundation
import OAuth
import TestSupport
import Testing

@testable import Flows

/// No failure erases a login.
struct RefreshFailureTests {
  @Test func `a refused grant is marked by its refresh token, not erased`() async throws {
    let harness = RefreshHarness(
      try MemoryStore(Sample.expired()),
      FakeHTTPClient(RefreshHarness.exchange(.error("invalid_grant", description: "refresh-1 was revoked"))))
    let error = await #expect(throws: FlowError.self) { try await harness.run() }
    guard case .grantRefused(Sample.account, let server, interrupted: nil) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(server.code == "invalid_grant" && server.status == 400)
    let stored = try harness.stored()
    #expect(stored.tokens == Sample.expired().tokens && stored.isRefused && stored.pendingRefresh == nil)
    #expect(stored.refused?.fingerprint == Secret("refresh-1").fingerprint && stored.refused?.at == Sample.now)
    #expect(stored.refused?.status == 400 && stored.refused?.error == "invalid_grant")
  }

  @Test func `a server's echo of the token is seen neither in the error nor in the keyring`() async throws {
    let long = "refresh-token-of-some-length"
    let session = Sample.expired { $0.tokens.refreshToken = Secret(long) }
    let reply = Exchange.post(Sample.tokenURL, .error("invalid_grant", description: "unknown \(long)"))
    let harness = RefreshHarness(try MemoryStore(session), FakeHTTPClient(reply))
    let error = await #expect(throws: FlowError.self) { try await harness.run() }
    #expect(error.map { !"\($0)".contains(long) } == true)
    #expect(try harness.stored().refused?.description == "unknown [redacted]")
  }

  @Test func `a grant that was refused is not sent again`() async throws {
    let mark = RefusedGrant(fingerprint: Secret("refresh-1").fingerprint, at: Sample.now, error: "invalid_grant")
    let harness = RefreshHarness(try MemoryStore(Sample.expired { $0.refused = mark }), FakeHTTPClient())
    let error = await #expect(throws: FlowError.self) { try await harness.run() }
    guard case .alreadyRefused(Sample.account, mark) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(harness.store.saves.isEmpty)
  }

  @Test func `a mark that was said of an older token does not matter, and goes`() async throws {
    let mark = RefusedGrant(fingerprint: "00000000", at: Sample.now)
    let harness = RefreshHarness(
      try MemoryStore(Sample.expired { $0.refused = mark }), FakeHTTPClient(RefreshHarness.exchange(Sample.rotated)))
    _ = try await harness.run()
    #expect(try harness.stored().refused == nil)
  }

  @Test func `a refused token makes way for a newer one that was stored meanwhile`() async throws {
    let store = try MemoryStore(Sample.expired())
    let newer = Sample.session { session in
      session.generation = 2
      session.tokens.accessToken = Secret("access-9")
      session.tokens.refreshToken = Secret("refresh-9")
    }
    let exchange = Exchange(.post, Sample.tokenURL) { _ in
      try store.put(newer)
      return .error("invalid_grant")
    }
    let harness = RefreshHarness(store, FakeHTTPClient(exchange))
    #expect(try await harness.run() == newer)
    #expect(try harness.stored() == newer)
  }

  @Test func `a newer login that has ended too is left unmarked, and renewed`() async throws {
    let store = try MemoryStore(Sample.expired())
    let newer = Sample.expired {
      $0.tokens.refreshToken = Secret("refresh-9")
      $0.generation = 2
    }
    let refused = Exchange(.post, Sample.tokenURL) { _ in
      try store.put(newer)
      return .error("invalid_grant")
    }
    let renewed = Exchange(.post, Sample.tokenURL, form: ["refresh_token": "refresh-9"]) { _ in
      let stored = try store.session()
      #expect(stored?.refused == nil)
      return Sample.rotated
    }
    let harness = RefreshHarness(store, FakeHTTPClient(refused, renewed))
    #expect(try await harness.run().tokens.refreshToken == Secret("refresh-2"))
  }

  @Test func `a refusal after an interrupted refresh says so`() async throws {
    let mark = PendingRefresh(
      fingerprint: Secret("refresh-1").fingerprint, startedAt: Sample.now.addingTimeInterval(-99))
    let harness = RefreshHarness(
      try MemoryStore(Sample.expired { $0.pendingRefresh = mark }),
      FakeHTTPClient(RefreshHarness.exchange(.error("invalid_grant"))))
    let error = await #expect(throws: FlowError.self) { try await harness.run() }
    guard case .grantRefused(_, _, interrupted: mark) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  static let transients: [Named<(HTTPResponse, Double)>] = [
    Named("503", (.text("", status: 503), 60)), Named("a page", (.text("<html>", status: 403), 60)),
    Named("429 with a wait", (.json("{}", status: 429, headers: [HTTPHeader("Retry-After", "7200")]), 7200)),
    Named("503 with a short wait", (.json("{}", status: 503, headers: [HTTPHeader("Retry-After", "5")]), 60)),
  ]

  @Test(arguments: transients) func `a server that cannot answer is left alone for a while, and the login stays`(
    _ row: Named<(HTTPResponse, Double)>
  ) async throws {
    let harness = RefreshHarness(
      try MemoryStore(Sample.expired()), FakeHTTPClient(RefreshHarness.exchange(row.value.0)))
    let error = await #expect(throws: TokenFailure.self) { try await harness.run() }
    guard case .transient = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    let stored = try harness.stored()
    #expect(stored.backoff?.failures == 1)
    #expect(stored.backoff?.notBefore == Sample.now.addingTimeInterval(row.value.1))
    #expect(stored.tokens == Sample.expired().tokens && stored.refused == nil)
  }

  @Test func `failures in a row add up, and a success ends them`() async throws {
    let before = Backoff(failures: 2, notBefore: Sample.now)
    let store = try MemoryStore(Sample.expired { $0.backoff = before })
    await #expect(throws: TokenFailure.self) {
      try await RefreshHarness(store, FakeHTTPClient(RefreshHarness.exchange(.text("", status: 500)))).run()
    }
    #expect(try store.session()?.backoff == Backoff(failures: 3, notBefore: Sample.now.addingTimeInterval(240)))
    _ = try await RefreshHarness(store, FakeHTTPClient(RefreshHarness.exchange(Sample.rotated))).run()
    #expect(try store.session()?.backoff == nil)
  }

  @Test(arguments: [
    ("invalid_client", 401), ("unauthorized_client", 400), ("unsupported_grant_type", 400), ("invalid_scope", 400),
  ]) func `a client at fault changes nothing`(_ code: String, _ status: Int) async throws {
    let harness = RefreshHarness(
      try MemoryStore(Sample.expired()), FakeHTTPClient(RefreshHarness.exchange(.error(code, status: status))))
    await #expect(throws: TokenFailure.clientRefused(ServerError(status: status, code: code))) {
      try await harness.run()
    }
    let stored = try harness.stored()
    #expect(stored.tokens == Sample.expired().tokens && stored.refused == nil && stored.backoff == nil)
    #expect(stored.pendingRefresh == nil)
  }

  @Test func `what is no token reply changes nothing`() async throws {
    let harness = RefreshHarness(
      try MemoryStore(Sample.expired()), FakeHTTPClient(RefreshHarness.exchange(.json("{}"))))
    await #expect(throws: TokenFailure.self) { try await harness.run() }
    let stored = try harness.stored()
    #expect(stored.tokens == Sample.expired().tokens && stored.refused == nil && stored.backoff == nil)
  }

  @Test(arguments: [true, false]) func `where the server may have spent the token the mark stays`(
    _ mayHaveArrived: Bool
  ) async throws {
    let failure = TransportError(kind: .timedOut, host: "id.acme.example", message: "m", mayHaveArrived: mayHaveArrived)
    let harness = RefreshHarness(
      try MemoryStore(Sample.expired()), FakeHTTPClient(.failing(.post, Sample.tokenURL, with: failure)))
    await #expect(throws: failure) { try await harness.run() }
    let stored = try harness.stored()
    #expect((stored.pendingRefresh != nil) == mayHaveArrived)
    #expect(stored.backoff?.failures == 1 && stored.tokens == Sample.expired().tokens)
  }

  @Test func `a keyring that fails twice when the new tokens come is asked a third time`() async throws {
    let harness = RefreshHarness(
      try MemoryStore(Sample.expired()), FakeHTTPClient(RefreshHarness.exchange(Sample.rotated)))
    harness.store.fail(.save, calls: 2, 3, with: .timedOut(seconds: 5))
    #expect(try await harness.run().tokens.refreshToken == Secret("refresh-2"))
    #expect(try harness.stored().tokens.refreshToken == Secret("refresh-2"))
    #expect(harness.time.sleeps == [.milliseconds(200), .milliseconds(500)])
  }

  @Test func `a keyring that fails for good loses the new tokens, says so, and keeps the old`() async throws {
    let harness = RefreshHarness(
      try MemoryStore(Sample.expired()), FakeHTTPClient(RefreshHarness.exchange(Sample.rotated)))
    harness.store.fail(.save, calls: 2, 3, 4, 5, 6, 7, 8, with: .locked)
    let error = await #expect(throws: FlowError.self) { try await harness.run() }
    guard case .tokensNotSaved(Sample.account, .locked) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    let stored = try harness.stored()
    #expect(stored.tokens == Sample.expired().tokens && stored.pendingRefresh != nil)
    #expect(harness.store.count(.save) == 8)
  }

  @Test func `a failure that cannot be noted down is the one that is told`() async throws {
    let harness = RefreshHarness(
      try MemoryStore(Sample.expired()), FakeHTTPClient(RefreshHarness.exchange(.text("", status: 503))))
    harness.store.fail(.save, calls: 2, with: .locked)
    await #expect(throws: TokenFailure.transient(ServerError(status: 503), retryAfter: nil)) { try await harness.run() }
  }
}

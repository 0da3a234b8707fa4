import Crypto
import OAuth
import TestSupport
import Testing

@testable import Flows

/// A refresh of the sample account, on fakes.
struct RefreshHarness: Sendable {
  let store: MemoryStore
  let lock: FakeLock
  let time: FakeTime
  let http: FakeHTTPClient

  init(
    _ store: MemoryStore, _ http: FakeHTTPClient, lock: FakeLock = FakeLock(), time: FakeTime = FakeTime()
  ) {
    (self.store, self.lock, self.time, self.http) = (store, lock, time, http)
  }

  /// Refreshes, as a caller that has seen the first access token.
  func run(seen: String = "access-1", secret: Secret? = nil) async throws -> Session {
    try await RefreshSession(store: store, lock: lock, network: Sample.network(http, time)).refresh(
      Sample.account, seen: Secret(seen).fingerprint, secret: secret)
  }

  /// What is stored now.
  func stored() throws -> Session { try #require(try store.session()) }

  /// The request of a refresh, as the public sample client sends it.
  static func exchange(_ response: HTTPResponse) -> Exchange {
    .post(
      Sample.tokenURL, form: ["grant_type": "refresh_token", "refresh_token": "refresh-1", "client_id": "app"], response
    )
  }
}

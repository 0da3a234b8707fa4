import Crypto
import OAuth
import TestSupport
import Testing

@testable import Flows

struct RevokeRedactionTests {
  @Test func `a server's echo of the keyring's client secret is redacted`() async throws {
    let secret = "client-secret-of-some-length"
    let store = try MemoryStore(Sample.session { $0.clientAuth = .post })
    try store.put(ClientRegistration(id: "app", secret: Secret(secret)))
    let reply = HTTPResponse.error("no_such", description: "unknown client_secret='\(secret)' or \(secret)")
    let http = FakeHTTPClient(.post(Sample.revocationURL, reply), .post(Sample.revocationURL, reply))
    let outcome = try await RevokeSession(store: store, lock: FakeLock(), network: Sample.network(http)).revoke(
      Sample.account, isLocal: false)
    #expect(!"\(outcome)".contains(secret))
  }
}

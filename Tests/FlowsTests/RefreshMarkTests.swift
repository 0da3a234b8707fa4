import Crypto
import Foundation
import OAuth
import TestSupport
import Testing

@testable import Flows

/// A server that answered with success has spent the refresh token, whatever is wrong with its answer.
struct RefreshMarkTests {
  static let answers: [Named<HTTPResponse>] = [
    Named("no token in it", .json("{}")), Named("neither JSON nor a form", .text("ok")),
    Named(
      "another person's ID token", .json(#"{"access_token":"a","id_token":"\#(Sample.idToken(sub: "eve").reveal())"}"#)),
  ]

  /// What answers for a server may not know what the server did.
  static let outages: [Named<(HTTPResponse, Bool)>] = [
    Named("500", (.text("", status: 500), true)), Named("502", (.text("<html>", status: 502), true)),
    Named("503", (.json("{}", status: 503), true)), Named("504", (.text("", status: 504), true)),
    Named("408", (.text("", status: 408), true)), Named("429", (.text("", status: 429), false)),
    Named("425", (.text("", status: 425), false)), Named("a page that forbids", (.text("<html>", status: 403), false)),
    Named("the server's own word", (.error("temporarily_unavailable", status: 503), false)),
  ]

  @Test(arguments: outages) func `after an outage the mark stays where the request may have got through`(
    _ row: Named<(HTTPResponse, Bool)>
  ) async throws {
    let harness = RefreshHarness(
      try MemoryStore(Sample.expired()), FakeHTTPClient(RefreshHarness.exchange(row.value.0)))
    await #expect(throws: TokenFailure.self) { try await harness.run() }
    #expect((try harness.stored().pendingRefresh != nil) == row.value.1)
  }

  @Test(arguments: answers) func `the mark stays, so that a refusal to come can be explained`(
    _ row: Named<HTTPResponse>
  ) async throws {
    let session = Sample.expired { $0.tokens.idToken = Sample.idToken() }
    let harness = RefreshHarness(try MemoryStore(session), FakeHTTPClient(RefreshHarness.exchange(row.value)))
    await #expect(throws: (any Error).self) { try await harness.run() }
    #expect(try harness.stored().pendingRefresh?.fingerprint == Secret("refresh-1").fingerprint)
  }

  @Test func `no mark stays where nothing was sent, for want of a client secret or an endpoint`() async throws {
    let confidential = Sample.expired { $0.clientAuth = .basic }
    let nowhere = Sample.expired { $0.provider.endpoints?.token = nil }
    for session in [confidential, nowhere] {
      let harness = RefreshHarness(try MemoryStore(session), FakeHTTPClient())
      await #expect(throws: FlowError.self) { try await harness.run() }
      #expect(try harness.stored().pendingRefresh == nil)
    }
  }

  @Test func `the mark of an earlier refresh outlasts one that did not reach the server`() async throws {
    let earlier = PendingRefresh(
      fingerprint: Secret("refresh-1").fingerprint, startedAt: Sample.now.addingTimeInterval(-60))
    let offline = TransportError(kind: .cannotResolve, host: "h", message: "m", mayHaveArrived: false)
    let harness = RefreshHarness(
      try MemoryStore(Sample.expired { $0.pendingRefresh = earlier }),
      FakeHTTPClient(.failing(.post, Sample.tokenURL, with: offline)))
    await #expect(throws: TransportError.self) { try await harness.run() }
    #expect(try harness.stored().pendingRefresh == earlier)
  }

  private func marked(lock: String?, age: Double = 1) -> Session {
    Sample.expired {
      $0.pendingRefresh = PendingRefresh(
        fingerprint: Secret("refresh-1").fingerprint, startedAt: Sample.now - age, lock: lock)
    }
  }

  @Test func `a mark that was left under other locks is of a process that may be at it, and is waited for`()
    async throws
  {
    let store = try MemoryStore(marked(lock: "elsewhere"))
    let newer = Sample.session {
      $0.tokens.accessToken = Secret("access-9")
      $0.generation = 9
    }
    // Its own, the client's it does not need, and three looks a second apart.
    store.before(.load) { if $0 == 4 { try? store.put(newer) } }
    let harness = RefreshHarness(store, FakeHTTPClient())
    #expect(try await harness.run().tokens.accessToken == Secret("access-9"))
    #expect(harness.time.sleeps == [.seconds(1), .seconds(1), .seconds(1)])
  }

  static let marks: [Named<(lock: String?, age: Double, waits: Int)>] = [
    Named("our own lock, which we hold", ("fake locks", 1, 0)), Named("an older program's", (nil, 1, 0)),
    Named("of long ago", ("elsewhere", 45, 0)), Named("from the future", ("elsewhere", -1, 0)),
    Named("one that never goes", ("elsewhere", 1, 45)),
  ]

  @Test(arguments: marks) func `no longer than a refresh can take, and not for one that is over`(
    _ row: Named<(lock: String?, age: Double, waits: Int)>
  ) async throws {
    let harness = RefreshHarness(
      try MemoryStore(marked(lock: row.value.lock, age: row.value.age)),
      FakeHTTPClient(RefreshHarness.exchange(Sample.rotated)))
    #expect(try await harness.run().tokens.refreshToken == Secret("refresh-2"))
    #expect(harness.time.sleeps.count == row.value.waits)
  }
}

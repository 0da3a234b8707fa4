import Crypto
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

  @Test(arguments: answers) func `the mark stays, so that a refusal to come can be explained`(
    _ row: Named<HTTPResponse>
  ) async throws {
    let session = Sample.expired { $0.tokens.idToken = Sample.idToken() }
    let harness = RefreshHarness(try MemoryStore(session), FakeHTTPClient(RefreshHarness.exchange(row.value)))
    await #expect(throws: (any Error).self) { try await harness.run() }
    #expect(try harness.stored().pendingRefresh?.fingerprint == Secret("refresh-1").fingerprint)
  }
}

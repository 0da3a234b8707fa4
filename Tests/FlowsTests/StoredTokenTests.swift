import Crypto
import Foundation
import OAuth
import TestSupport
import Testing

@testable import Flows

/// The two readings of a session: all of it, and the part that handing out its token needs.
struct StoredTokenTests {
  @Test func `what handing out a token reads by hand is what the whole session says`() throws {
    let refused = RefusedGrant(
      fingerprint: Secret("refresh-1").fingerprint, at: Sample.now, status: 400, error: "invalid_grant",
      description: "gone")
    let sessions = [
      Sample.session(), Sample.session { $0.refused = refused },
      Sample.session(tokens: Sample.tokens { $0.fields = ["a": .object(["b": .array([.number(0.5), .null])])] }),
      Sample.session(
        tokens: Sample.tokens { ($0.expiresAt, $0.refreshToken, $0.scope, $0.idToken) = (nil, nil, nil, nil) }),
      Sample.session(provider: Sample.provider(quirks: { $0.assumeUnexpired = false })),
    ]
    for session in sessions {
      let store = SessionStore(try MemoryStore(session))
      let whole = try #require(try store.load(Sample.account))
      let light = try #require(try store.loadToken(Sample.account))
      var tokens = light.tokens
      tokens.fields = light.fields
      #expect(tokens == whole.tokens)
      #expect(light.requestedScopes == whole.requestedScopes && light.refused == whole.refused)
      #expect(light.assumesUnexpired == whole.assumesUnexpired)
    }
  }

  @Test(arguments: [
    (#""expires_at":1800003600"#, #""expires_at":1800003600.75"#),
    (#""expires_at":1800003600"#, #""expires_at":1e30"#),
    (#""scope":["read"]"#, #""scope":["other"],"scope":["read"]"#),
    (#""requested_scopes""#, #""refused":{"fingerprint":"f","at":1.5},"requested_scopes""#),
  ]) func `what somebody else wrote otherwise than this program is read whole`(_ was: String, _ by: String) throws {
    let memory = try MemoryStore(Sample.session())
    let text = try #require(memory.items[Sample.key]).reveal()
    let other = text.replacingOccurrences(of: was, with: by)
    #expect(other != text)
    memory.items[Sample.key] = Secret(other)
    let store = SessionStore(memory)
    let whole = try #require(try store.load(Sample.account))
    let light = try #require(try store.loadToken(Sample.account))
    #expect(light.tokens == whole.tokens && light.refused == whole.refused)
  }
}

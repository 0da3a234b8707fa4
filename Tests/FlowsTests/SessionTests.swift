import Crypto
import Foundation
import OAuth
import TestSupport
import Testing

@testable import Flows

struct SessionTests {
  @Test func `the granted scopes hold, else those asked for`() {
    #expect(Sample.session().scope == ["read"])
    #expect(Sample.session(tokens: Sample.tokens { $0.scope = nil }).scope == ["read", "write"])
  }

  @Test func `a refusal holds for the refresh token it was said of`() {
    let mark = RefusedGrant(fingerprint: Secret("refresh-1").fingerprint, at: Sample.now)
    #expect(Sample.session { $0.refused = mark }.isRefused && !Sample.session().isRefused)
    #expect(
      !Sample.session(tokens: Sample.tokens { $0.refreshToken = Secret("refresh-2") }) { $0.refused = mark }.isRefused)
    #expect(!Sample.session(tokens: Sample.tokens { $0.refreshToken = nil }) { $0.refused = mark }.isRefused)
  }

  @Test func `a state is told from the tokens`() {
    let mark = RefusedGrant(fingerprint: Secret("refresh-1").fingerprint, at: Sample.now)
    #expect(Sample.session().state(at: Sample.now) == .valid)
    #expect(Sample.expired().state(at: Sample.now) == .expired)
    #expect(Sample.session(tokens: Sample.tokens { $0.expiresAt = Sample.now }).state(at: Sample.now) == .expired)
    #expect(Sample.session(tokens: Sample.tokens { $0.expiresAt = nil }).state(at: Sample.now) == .unknownExpiry)
    #expect(Sample.session { $0.refused = mark }.state(at: Sample.now) == .refused)
  }

  @Test func `a token of unknown expiry is used, unless the provider knows better and it can be renewed`() {
    let open = Sample.tokens { $0.expiresAt = nil }
    #expect(Sample.session(tokens: open).isUsable(at: Sample.now, for: 60))
    let strict = Sample.provider(quirks: { $0.assumeUnexpired = false })
    #expect(!Sample.session(provider: strict, tokens: open).isUsable(at: Sample.now, for: 0))
    let last = Sample.tokens { ($0.expiresAt, $0.refreshToken) = (nil, nil) }
    #expect(Sample.session(provider: strict, tokens: last).isUsable(at: Sample.now, for: 0))
    #expect(!Sample.expired().isUsable(at: Sample.now, for: 0))
  }
}

import Crypto
import Foundation
import OAuth
import TestSupport
import Testing

struct TokenSetTests {
  @Test(arguments: [
    (nil, "Bearer"), ("Bearer", "Bearer"), ("bearer", "Bearer"), ("BEARER", "Bearer"), ("dpop", "DPoP"),
    ("DPoP", "DPoP"), ("user", "Bearer"),
  ]) func `a header gets the scheme in the one spelling that all resources take`(_ type: String?, _ scheme: String) {
    #expect(Sample.tokens { $0.tokenType = type }.authorizationScheme == scheme)
  }

  static let margins: [(left: Double?, margin: Int, isValid: Bool?)] = [
    (nil, 60, nil), (61, 60, true), (60, 60, true), (59.9, 60, false),
    (0.1, 0, true), (0, 0, false), (-1, 0, false), (3600, 7200, false),
  ]

  @Test(arguments: margins) func `it is valid where it lasts for the margin`(
    _ row: (left: Double?, margin: Int, isValid: Bool?)
  ) {
    let tokens = Sample.tokens { $0.expiresAt = row.left.map { Sample.now.addingTimeInterval($0) } }
    #expect(tokens.isValid(at: Sample.now, for: row.margin) == row.isValid)
  }

  static let skews: [(ahead: Double, refreshToken: String?, isValid: Bool?)] = [
    (300, "refresh-1", true), (301, "refresh-1", false), (86400, "refresh-1", false), (86400, nil, nil),
    (-86400, "refresh-1", true),
  ]

  @Test(arguments: skews) func `one that was stored under a clock that was ahead is not trusted to last`(
    _ row: (ahead: Double, refreshToken: String?, isValid: Bool?)
  ) {
    let tokens = Sample.tokens { tokens in
      tokens.obtainedAt = Sample.now.addingTimeInterval(row.ahead)
      tokens.expiresAt = Sample.now.addingTimeInterval(max(row.ahead, 0) + 3600)
      tokens.refreshToken = row.refreshToken.map { Secret($0) }
    }
    #expect(tokens.isValid(at: Sample.now, for: 60) == row.isValid)
  }

  private let old = Sample.tokens { tokens in
    tokens.idToken = Secret("id-1")
    tokens.refreshExpiresAt = Sample.now.addingTimeInterval(86400)
    tokens.fields = ["tenant": .string("t"), "n": .integer(1)]
  }

  @Test func `what a refresh leaves out is kept`() {
    let reply = TokenSet(accessToken: Secret("access-2"), obtainedAt: Sample.now.addingTimeInterval(5))
    let next = old.updated(by: reply)
    #expect(next.accessToken == Secret("access-2") && next.obtainedAt == Sample.now.addingTimeInterval(5))
    #expect(next.refreshToken == Secret("refresh-1") && next.idToken == Secret("id-1") && next.scope == ["read"])
    #expect(next.refreshExpiresAt == Sample.now.addingTimeInterval(86400) && next.fields == old.fields)
    // The old access token's end says nothing of the new one's.
    #expect(next.expiresAt == nil && next.tokenType == nil)
  }

  @Test func `what a refresh brings replaces what was there`() {
    var reply = Sample.tokens { $0.refreshToken = Secret("refresh-2") }
    reply.accessToken = Secret("access-2")
    reply.idToken = Secret("id-2")
    reply.scope = ["read", "write"]
    reply.fields = ["n": .integer(2), "m": .null]
    let next = old.updated(by: reply)
    #expect(
      next.refreshToken == Secret("refresh-2") && next.idToken == Secret("id-2") && next.scope == ["read", "write"])
    #expect(next.fields == ["tenant": .string("t"), "n": .integer(2), "m": .null])
    // A new refresh token does not end when the old one would have.
    #expect(next.refreshExpiresAt == nil)
  }

  @Test func `a new end of a refresh token that stays is taken`() {
    var reply = Sample.tokens { $0.refreshToken = nil }
    reply.refreshExpiresAt = Sample.now.addingTimeInterval(99)
    #expect(old.updated(by: reply).refreshExpiresAt == Sample.now.addingTimeInterval(99))
    #expect(old.updated(by: reply).refreshToken == Secret("refresh-1"))
  }
}

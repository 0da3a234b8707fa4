import Crypto
import Foundation
import OAuth
import TestSupport
import Testing

struct SignedMetadataTests {
  private static let issuer = "https://id.example"
  private static let now = Int64(Sample.now.timeIntervalSince1970)

  private static func sign(_ changed: [String: JSONValue?], by key: String = RFCKeys.p256) throws -> Secret {
    var claims: [String: JSONValue?] = [
      "iss": .string(issuer), "issuer": .string(issuer), "token_endpoint": .string("https://id.example/token"),
      "iat": .integer(now), "signed_metadata": .string("x"),
    ]
    claims.merge(changed) { _, new in new }
    return try JWT.sign(
      header: [:], claims: claims.compactMapValues(\.self), key: RFCKeys.signingKey(key, keyID: "k"))
  }

  @Test func `what is signed is given without the token's own claims`() throws {
    let claims = try SignedMetadata.verify(
      Self.sign(["exp": .integer(Self.now + 1)]), issuer: Self.issuer, keys: RFCKeys.set([("k", RFCKeys.p256)]),
      now: Sample.now)
    #expect(claims == ["issuer": .string(Self.issuer), "token_endpoint": .string("https://id.example/token")])
  }

  static let broken: [Named<([String: JSONValue?], String)>] = [
    Named("another vouches", (["iss": .string("https://other.example")], "iss")),
    Named("nobody vouches", (["iss": nil], "iss")),
    Named("of another", (["issuer": .string("https://other.example")], "issuer")),
    Named("ended", (["exp": .integer(now - 60)], "exp")), Named("an end in words", (["exp": .string("x")], "exp")),
    Named("not good yet", (["nbf": .integer(now + 61)], "nbf")),
    Named("made to come", (["iat": .integer(now + 61)], "iat")),
  ]

  @Test(arguments: broken) func `metadata is taken claim by claim`(_ row: Named<([String: JSONValue?], String)>) throws
  {
    let (changed, claim) = row.value
    let keys = try RFCKeys.set([("k", RFCKeys.p256)])
    let token = try Self.sign(changed)
    let error = #expect(throws: JWT.Mismatch.self) {
      try SignedMetadata.verify(token, issuer: Self.issuer, keys: keys, now: Sample.now)
    }
    #expect(error?.claim == claim)
  }

  @Test func `metadata that the issuer did not sign is not taken`() throws {
    let keys = try RFCKeys.set([("k", RFCKeys.p256), ("2", RFCKeys.rsa)])
    for (token, claim) in [
      (try Self.sign([:], by: RFCKeys.rsa), "kid"), (Secret("e30.e30."), "iss"), (Secret("{}"), "signed_metadata"),
      (Secret("eyJhbGciOiJub25lIn0." + Base64URL.encode(#"{"iss":"\#(Self.issuer)"}"#.utf8) + "."), "alg"),
    ] {
      let error = #expect(throws: JWT.Mismatch.self) {
        try SignedMetadata.verify(token, issuer: Self.issuer, keys: keys, now: Sample.now)
      }
      #expect(error?.claim == claim)
    }
  }

  private static let resource = "https://api.example/mcp"

  private static func verify(_ changed: [String: JSONValue?], by signer: String = issuer) throws -> [String: JSONValue]
  {
    let own: [String: JSONValue?] = [
      "iss": .string(signer), "issuer": nil, "token_endpoint": nil, "resource": .string(resource),
      "scopes_supported": .array([.string("a")]),
    ]
    let token = try sign(own.merging(changed) { _, new in new })
    return try SignedMetadata.verify(
      token, resource: resource, signer: SignedMetadata.signer(of: token), keys: RFCKeys.set([("k", RFCKeys.p256)]),
      now: Sample.now)
  }

  @Test func `a resource's metadata is taken from whoever vouches for it`() throws {
    for signer in [Self.issuer, Self.resource] {
      #expect(
        try Self.verify([:], by: signer) == [
          "resource": .string(Self.resource), "scopes_supported": .array([.string("a")]),
        ])
    }
    #expect(try Self.verify(["resource": nil]).keys.sorted() == ["scopes_supported"])
  }

  static let brokenResources: [Named<([String: JSONValue?], String)>] = [
    Named("of another", (["resource": .string("https://api.example/other")], "resource")),
    Named("nobody vouches", (["iss": nil], "iss")), Named("a number vouches", (["iss": .integer(1)], "iss")),
    Named("ended", (["exp": .integer(now - 60)], "exp")),
  ]

  @Test(arguments: brokenResources) func `a resource's metadata is taken claim by claim`(
    _ row: Named<([String: JSONValue?], String)>
  ) {
    let error = #expect(throws: JWT.Mismatch.self) { try Self.verify(row.value.0) }
    #expect(error?.claim == row.value.1 && error?.subject == .resourceMetadata)
  }

  @Test func `what is no signed token names nobody`() {
    for (text, isEncrypted) in [("", false), ("a.b", false), ("eyJh.b.c.d.e", true)] {
      let error = #expect(throws: JWT.Mismatch.self) { try SignedMetadata.signer(of: Secret(text)) }
      #expect(error?.claim == "signed_metadata" && error?.isEncrypted == isEncrypted)
    }
  }
}

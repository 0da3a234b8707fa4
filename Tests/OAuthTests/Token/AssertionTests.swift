import Crypto
import Foundation
import OAuth
import TestSupport
import Testing

/// The assertions that are signed for a server: of the client, of a grant, of a request.
struct AssertionTests {
  private static let now = Int64(Sample.now.timeIntervalSince1970)

  @Test func `a client's assertion says who, for whom, when, and is used once`() throws {
    let assertion = try ClientAssertion.build(
      clientID: "app", audience: "https://id.example", key: RFCKeys.signingKey(RFCKeys.p256, keyID: "k"),
      now: Sample.now.addingTimeInterval(0.75), jti: "j-1")
    let jwt = try #require(JWT.Parsed(assertion))
    #expect(jwt.header == ["alg": .string("ES256"), "kid": .string("k"), "typ": .string("JWT")])
    #expect(
      jwt.claims == [
        "iss": .string("app"), "sub": .string("app"), "aud": .string("https://id.example"), "jti": .string("j-1"),
        "iat": .integer(Self.now), "exp": .integer(Self.now + 60),
      ])
    try jwt.checkSignature(keys: RFCKeys.set([("k", RFCKeys.p256)]))
  }

  @Test func `a client's secret signs as well as its key, by the algorithm that is asked for`() throws {
    for algorithm in [SignatureAlgorithm.hs256, .hs384, .hs512] {
      let assertion = try ClientAssertion.build(
        clientID: "app", audience: "a", key: .secret(Secret("secret")), algorithm: algorithm, now: Sample.now, jti: "j")
      let jwt = try #require(JWT.Parsed(assertion))
      #expect(jwt.header == ["alg": .string(algorithm.rawValue), "typ": .string("JWT")])
      try jwt.checkSignature(keys: JSONWebKeySet(keys: []), secret: Secret("secret"))
    }
    let assertion = try ClientAssertion.build(
      clientID: "app", audience: "a", key: RFCKeys.signingKey(RFCKeys.rsa), algorithm: .ps256, now: Sample.now, jti: "j"
    )
    #expect(JWT.Parsed(assertion)?.algorithm == .ps256)
  }

  @Test func `a grant's assertion has its subject, its scopes and what else is asked for`() throws {
    let key = try RFCKeys.signingKey(RFCKeys.rsa, keyID: "1")
    let bare = try JWTBearerAssertion.build(issuer: "i", audience: "a", key: key, now: Sample.now, jti: "j")
    #expect(
      JWT.Parsed(bare)?.claims == [
        "iss": .string("i"), "aud": .string("a"), "jti": .string("j"), "iat": .integer(Self.now),
        "exp": .integer(Self.now + 60),
      ])
    let whole = try JWTBearerAssertion.build(
      issuer: "i", subject: "s", audience: "a", scopes: ["x", "y"], key: key, now: Sample.now, jti: "j", lifetime: 3600,
      extra: ["box_sub_type": .string("user"), "jti": .string("other")])
    let claims = try #require(JWT.Parsed(whole)?.claims)
    #expect(claims["sub"] == .string("s") && claims["scope"] == .string("x y"))
    #expect(claims["box_sub_type"] == .string("user") && claims["jti"] == .string("other"))
    #expect(claims["exp"] == .integer(Self.now + 3600))
  }

  @Test func `a request object holds the request, JSON as JSON, and nothing of an assertion`() throws {
    let token = try RequestObject.build(
      parameters: [
        Parameter("response_type", "code"), Parameter("resource", "https://a/"), Parameter("resource", "https://b/"),
        Parameter("max_age", "60"), Parameter("claims", #"{"id_token":{"acr":null}}"#), Parameter("state", "7"),
        Parameter("authorization_details", #"[{"type":"t"}]"#), Parameter("request", "x"), Parameter("sub", "x"),
        Parameter("request_uri", "x"), Parameter("aud", "other"), Parameter("client_id", "other"),
      ], clientID: "app", audience: "https://id.example", key: RFCKeys.signingKey(RFCKeys.ed25519, keyID: "k"),
      now: Sample.now, jti: "j")
    let jwt = try #require(JWT.Parsed(token))
    #expect(jwt.header == ["alg": .string("EdDSA"), "kid": .string("k"), "typ": .string("oauth-authz-req+jwt")])
    #expect(
      jwt.claims == [
        "response_type": .string("code"), "resource": .array([.string("https://a/"), .string("https://b/")]),
        "max_age": .integer(60), "claims": .object(["id_token": .object(["acr": .null])]), "state": .string("7"),
        "authorization_details": .array([.object(["type": .string("t")])]), "iss": .string("app"),
        "client_id": .string("app"), "aud": .string("https://id.example"), "jti": .string("j"),
        "iat": .integer(Self.now), "nbf": .integer(Self.now), "exp": .integer(Self.now + 300),
      ])
    try jwt.checkSignature(keys: RFCKeys.set([("k", RFCKeys.ed25519)]))
  }

  @Test func `a list that a parameter is stays one where the parameter is there once`() throws {
    let token = try RequestObject.build(
      parameters: [Parameter("authorization_details", "[1]"), Parameter("authorization_details", "[2]")],
      clientID: "app",
      audience: "a", key: .secret(Secret("s")), now: Sample.now, jti: "j")
    #expect(JWT.Parsed(token)?.claims["authorization_details"] == .array([.integer(1), .array([.integer(2)])]))
  }
}

import Crypto
import Foundation
import OAuth
import TestSupport
import Testing

struct UserinfoTests {
  private static let endpoint = "https://server.example.com/userinfo"
  private static let stamp = RequestStamp(now: Sample.now, id: "jti-1")

  private static func client(_ change: (inout Quirks) -> Void = { _ in }) -> RequestingClient {
    RequestingClient(provider: Sample.provider(quirks: change), registration: ClientRegistration(id: "app"))
  }

  /// The response of OpenID Connect Core section 5.3.2.
  private static let example = HTTPResponse.json(
    #"{"sub":"248289761001","name":"Jane Doe","given_name":"Jane","family_name":"Doe","preferred_username":"j.doe","email":"janedoe@example.com","picture":"http://example.com/janedoe/me.jpg"}"#
  )

  @Test func `the access token asks, as a bearer's`() throws {
    let request = try Userinfo.request(
      Sample.tokens(), endpoint: Self.endpoint, as: Self.client(), stamp: Self.stamp)
    #expect(request.method == .get && request.url == Self.endpoint && request.body == nil)
    #expect(
      request.headers == [
        HTTPHeader("Accept", "application/json"), HTTPHeader("Authorization", "Bearer access-1"),
      ])
  }

  @Test func `a provider's own way is taken`() throws {
    let client = Self.client { quirks in
      var style = UserinfoStyle()
      style.method = .post
      style.scheme = "token"
      style.headers = ["X-Version": "2", "accept": "application/vnd.x+json"]
      quirks.userinfo = style
    }
    let request = try Userinfo.request(Sample.tokens(), endpoint: Self.endpoint, as: client, stamp: Self.stamp)
    #expect(request.method == .post && request.body == Secret(""))
    #expect(
      request.headers == [
        HTTPHeader("Authorization", "token access-1"), HTTPHeader("X-Version", "2"),
        HTTPHeader("accept", "application/vnd.x+json"),
      ])
  }

  @Test func `a token that is bound to a key brings a proof of it`() throws {
    var client = Self.client()
    client.binding = DPoPBinding(
      key: try PrivateKey.generate().pem(), nonces: ["https://server.example.com": "nonce-1"])
    let tokens = Sample.tokens { $0.tokenType = "DPoP" }
    let request = try Userinfo.request(tokens, endpoint: Self.endpoint, as: client, stamp: Self.stamp)
    #expect(request.headers("Authorization") == ["DPoP access-1"])
    let proof = try #require(request.headers("DPoP").first.flatMap { JWT.Parsed(Secret($0)) })
    #expect(proof.claims["htm"] == .string("GET") && proof.claims["htu"] == .string(Self.endpoint))
    #expect(proof.claims["ath"] == .string(Base64URL.encode(SHA256.digest("access-1".utf8))))
    #expect(proof.claims["nonce"] == .string("nonce-1"))
    let bare = try Userinfo.request(Sample.tokens(), endpoint: Self.endpoint, as: client, stamp: Self.stamp)
    #expect(bare.headers("DPoP").isEmpty)
  }

  @Test func `the example of OpenID Connect Core section 5-3-2 is read`() throws {
    let claims = try Userinfo.validate(Self.example, subject: "248289761001", now: Sample.now)
    #expect(claims["given_name"] == .string("Jane") && Userinfo.identity(in: claims) == "janedoe@example.com")
  }

  @Test(
    arguments: [
      (#"{"sub":"eve"}"#, "eve"), ("{}", nil), (#"{"sub":""}"#, ""), (#"{"sub":"Ada"}"#, "Ada"),
      (#"{"sub":null}"#, "null"),
    ] as [(String, String?)])
  func `an answer about somebody else is not taken`(_ reply: String, _ got: String?) {
    let mismatch = JWT.Mismatch(of: .userinfo, claim: "sub", expected: "ada", got: got)
    #expect(throws: Userinfo.Failure.mismatch(mismatch)) {
      try Userinfo.validate(.json(reply), subject: "ada", now: Sample.now)
    }
  }

  @Test func `without an ID token there is nobody that it must be`() throws {
    #expect(try Userinfo.validate(.json(#"{"login":"x","id":7}"#), subject: nil, now: Sample.now).count == 2)
  }

  static let failures: [Named<(HTTPResponse, Userinfo.Failure)>] = [
    Named(
      "RFC 6750 section 3",
      (
        HTTPResponse(
          status: 401,
          headers: [
            HTTPHeader("WWW-Authenticate", #"Bearer error="invalid_token", error_description="it has expired""#)
          ]),
        .refused(ServerError(status: 401, code: "invalid_token", description: "it has expired"))
      )),
    Named(
      "403", (.error("insufficient_scope", status: 403), .refused(ServerError(status: 403, code: "insufficient_scope")))
    ),
    Named("503", (.text("", status: 503), .transient(ServerError(status: 503), retryAfter: nil))),
    Named("an answer with 404", (.json(#"{"sub":"1"}"#, status: 404), .refused(ServerError(status: 404)))),
    Named("an error with 200", (.error("no", status: 200), .refused(ServerError(status: 200, code: "no")))),
    Named("a page", (.text("<html>"), .unreadable(ServerError(status: 200), reason: "it is no JSON object"))),
    Named(
      "a page with 403", (.text("<html>", status: 403), .unreadable(ServerError(status: 403), reason: "a web page"))),
    Named(
      "four parts", (.text("eyJh.b.c.d"), .unreadable(ServerError(status: 200), reason: "it is no JSON object"))),
    Named("a list", (.json("[]"), .unreadable(ServerError(status: 200), reason: "it is no JSON object"))),
    Named(
      "302", (.text("", status: 302), .unreadable(ServerError(status: 302), reason: "a redirect instead of a reply"))),
    Named(
      "a JWT without keys",
      (
        .text(Sample.idToken().reveal()),
        .unreadable(ServerError(status: 200), reason: "it is signed, and the issuer's keys are not known")
      )),
    Named(
      "half a JWT", (.text("eyJh.b.c"), .unreadable(ServerError(status: 200), reason: "it is no whole JWT"))),
    Named(
      "an encrypted one",
      (
        .text("eyJh.b.c.d.e"),
        .mismatch(
          JWT.Mismatch(of: .userinfo, claim: "userinfo", expected: "a signed JWT", got: "an encrypted one"))
      )),
  ]

  @Test(arguments: failures) func `what is no answer is told apart`(_ row: Named<(HTTPResponse, Userinfo.Failure)>) {
    #expect(throws: row.value.1) { try Userinfo.validate(row.value.0, subject: nil, now: Sample.now) }
  }

  struct Signed {
    let key: PrivateKey
    let expected: Userinfo.Signature

    init() throws {
      key = try PrivateKey.generate()
      let keys = JSONWebKeySet(keys: [JSONWebKey(key.publicKey, keyID: "k")])
      expected = Userinfo.Signature(issuer: "https://a", clientID: "app", keys: keys)
    }

    func reply(_ claims: [String: JSONValue]) throws -> HTTPResponse {
      .text(
        try JWT.sign(header: [:], claims: claims, key: .privateKey(key, keyID: "k")).reveal() + "\n",
        type: "application/jwt")
    }
  }

  @Test func `a signed answer is taken where the signature holds`() throws {
    let signed = try Signed()
    let reply = try signed.reply(["sub": .string("ada"), "iss": .string("https://a"), "aud": .string("app")])
    #expect(
      try Userinfo.validate(reply, subject: "ada", signature: signed.expected, now: Sample.now)["sub"]
        == .string("ada"))
    let sparse = try signed.reply(["sub": .string("ada")])
    #expect(
      try Userinfo.validate(sparse, subject: "ada", signature: signed.expected, now: Sample.now).count == 1)
  }

  @Test(
    arguments: [
      ("iss", ["iss": .string("https://b")]), ("aud", ["aud": .string("other")]), ("sub", ["sub": .string("eve")]),
    ] as [(String, [String: JSONValue])])
  func `a signed answer of somebody else is not`(_ claim: String, _ changed: [String: JSONValue]) throws {
    let signed = try Signed()
    let reply = try signed.reply(["sub": .string("ada")].merging(changed) { _, new in new })
    let failure = #expect(throws: Userinfo.Failure.self) {
      try Userinfo.validate(reply, subject: "ada", signature: signed.expected, now: Sample.now)
    }
    guard case .mismatch(let mismatch) = failure else {
      Issue.record("another failure: \(failure as Any)")
      return
    }
    #expect(mismatch.claim == claim)
  }

  @Test func `a signature of another key is not`() throws {
    let (signed, other) = (try Signed(), try Signed())
    let reply = try other.reply(["sub": .string("ada")])
    #expect(throws: Userinfo.Failure.self) {
      try Userinfo.validate(reply, subject: "ada", signature: signed.expected, now: Sample.now)
    }
  }

  @Test(arguments: [
    ("data.email", "a@x"), ("list.0.name", "first"), ("list.2.name", "fallback"), ("number", "7"),
    ("empty", "fallback"),
    ("data", "fallback"), ("nothing.at.all", "fallback"), ("", "fallback"), ("email.x", "fallback"),
  ]) func `a person's name stands where the provider's data says`(_ path: String, _ name: String) throws {
    let claims = try #require(
      JSONValue(
        parsing:
          #"{"data":{"email":"a@x"},"list":[{"name":"first"}],"number":7,"empty":"","email":"fallback"}"#.utf8)?
        .members)
    #expect(Userinfo.identity(in: claims, path: path) == name)
  }
}

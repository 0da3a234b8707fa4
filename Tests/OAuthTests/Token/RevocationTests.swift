import Crypto
import OAuth
import TestSupport
import Testing

struct RevocationTests {
  private func build(
    secret: String? = nil, tokens: TokenSet = Sample.tokens(), basicRaw: Bool? = nil,
    endpoint: String = Sample.revocationURL, _ style: (inout RevocationStyle) -> Void = { _ in }
  ) -> [HTTPRequest] {
    var own = RevocationStyle()
    style(&own)
    let provider = Sample.provider(quirks: { quirks in
      quirks.revocation = own
      quirks.basicRaw = basicRaw
    })
    let client = Sample.client(ClientRegistration(id: "app:1", secret: secret.map { Secret($0) }), at: provider)
    return Revocation.targets(tokens, provider: provider).compactMap { target in
      try? Revocation.request(
        target, scheme: tokens.authorizationScheme, endpoint: endpoint, as: client, stamp: Sample.stamp)
    }
  }

  @Test func `the refresh token goes first, then the access token`() {
    let requests = build()
    #expect(
      requests.map(\.text) == [
        "token=refresh-1&token_type_hint=refresh_token&client_id=app%3A1",
        "token=access-1&token_type_hint=access_token&client_id=app%3A1",
      ])
    #expect(requests.allSatisfy { $0.method == .post && $0.url == Sample.revocationURL })
    #expect(requests[0].headers("Content-Type") == ["application/x-www-form-urlencoded"])
    #expect(requests[0].headers("Accept") == ["application/json"] && requests[0].headers("Authorization").isEmpty)
  }

  @Test func `without a refresh token the access token is left`() {
    let tokens = Sample.tokens { $0.refreshToken = nil }
    #expect(build(tokens: tokens).map(\.form["token"]) == ["access-1"])
    #expect(build(tokens: tokens) { $0.tokens = [.refresh] }.isEmpty)
  }

  @Test func `a provider says which tokens, and in which order`() {
    #expect(build { $0.tokens = [.access, .refresh] }.map(\.form["token"]) == ["access-1", "refresh-1"])
    #expect(build { $0.tokens = [.access] }.map(\.form["token"]) == ["access-1"])
    #expect(build { $0.tokens = [] }.isEmpty)
  }

  @Test func `a client with a secret authenticates as at the token endpoint`() {
    let request = build(secret: "s e")[0]
    #expect(request.headers("Authorization") == ["Basic " + Base64URL.encodeClassic("app%3A1:s+e".utf8)])
    #expect(request.text == "token=refresh-1&token_type_hint=refresh_token")
  }

  @Test func `plain Basic, with the id in the path and the token in JSON`() {
    let requests = build(secret: "s", basicRaw: true, endpoint: "https://api.h/applications/{client_id}/grant") {
      style in
      (style.method, style.auth, style.body, style.tokenParam, style.tokens) = (
        .delete, .basic, .json, "access_token", [.access]
      )
    }
    #expect(requests.count == 1 && requests[0].method == .delete)
    #expect(requests[0].url == "https://api.h/applications/app%3A1/grant")
    #expect(requests[0].text == #"{"access_token":"access-1"}"#)
    #expect(requests[0].headers("Authorization") == ["Basic " + Base64URL.encodeClassic("app:1:s".utf8)])
    #expect(requests[0].headers("Content-Type") == ["application/json"])
    #expect(build { $0.auth = .basic }[0].headers("Authorization").isEmpty)
  }

  @Test func `the token itself authenticates, with nothing in the body`() {
    let request = build(secret: "s") { ($0.auth, $0.body, $0.tokens) = (.bearer, .some(.none), [.access]) }[0]
    #expect(request.headers("Authorization") == ["Bearer access-1"])
    #expect(request.body == Secret("") && request.headers("Content-Type").isEmpty)
  }

  @Test func `nothing authenticates, the token alone is sent`() {
    let request = build(secret: "s") {
      ($0.auth, $0.tokenParam, $0.tokens) = (RevocationStyle.Authentication.none, "t", [.refresh])
    }[0]
    #expect(request.text == "t=refresh-1" && request.headers("Authorization").isEmpty)
  }

  enum Meaning: Sendable { case revoked, refused, transient }

  static let replies: [Named<(HTTPResponse, Meaning)>] = [
    Named("200, empty", (.text(""), .revoked)), Named("200, empty object", (.json("{}"), .revoked)),
    Named("204", (.text("", status: 204), .revoked)), Named("200, words", (.text("revoked"), .revoked)),
    Named("200, null", (.json("null"), .revoked)), Named("200, page", (.text("<html>", type: "text/html"), .transient)),
    Named("200, error", (.error("invalid_client", status: 200), .refused)),
    Named("400, unknown token", (.error("invalid_token"), .revoked)),
    Named("400, no grant", (.error("invalid_grant"), .revoked)),
    Named("401, unknown token", (.error("invalid_token", status: 401), .revoked)),
    Named("400, unsupported", (.error("unsupported_token_type"), .refused)),
    Named("400, empty", (.text("", status: 400), .refused)),
    Named("401, client", (.error("invalid_client", status: 401), .refused)),
    Named("401, empty", (.text("", status: 401), .refused)),
    Named("403, empty", (.text("", status: 403), .refused)), Named("404, empty", (.text("", status: 404), .refused)),
    Named("403, page", (.text("<html>", status: 403), .transient)), Named("302", (.text("", status: 302), .transient)),
    Named("408", (.text("", status: 408), .transient)), Named("425", (.text("", status: 425), .transient)),
    Named("429", (.error("rate_limited", status: 429), .transient)), Named("500", (.text("", status: 500), .transient)),
    Named("503", (.json("{}", status: 503), .transient)),
    Named("400, outage", (.error("temporarily_unavailable"), .transient)),
    Named("400, server error", (.error("server_error"), .transient)),
  ]

  @Test(arguments: replies) func `a reply means revoked, refused or unknown`(_ row: Named<(HTTPResponse, Meaning)>) {
    let outcome = Revocation.validate(row.value.0, provider: Sample.provider())
    let (meaning, error): (Meaning, ServerError?) =
      switch outcome {
      case .revoked: (.revoked, nil)
      case .refused(let error): (.refused, error)
      case .transient(let error): (.transient, error)
      }
    #expect(meaning == row.value.1)
    if let error { #expect(error.status == row.value.0.status) }
  }

  @Test func `a bound token that authorizes its own revocation is in the proof`() throws {
    for (auth, hasHash) in [(RevocationStyle.Authentication.bearer, true), (.client, false)] {
      var style = RevocationStyle()
      style.auth = auth
      var client = Sample.client(at: Sample.provider(quirks: { $0.revocation = style }))
      client.binding = DPoPBinding(key: try PrivateKey.generate().pem())
      let target = try #require(Revocation.targets(Sample.tokens(), provider: client.provider).last)
      let request = try Revocation.request(
        target, scheme: "DPoP", endpoint: Sample.revocationURL, as: client, stamp: Sample.stamp)
      let proof = try #require(request.headers("DPoP").first.flatMap { JWT.Parsed(Secret($0)) })
      #expect((proof.claims["ath"] != nil) == hasHash && proof.claims["htu"] == .string(Sample.revocationURL))
    }
  }
}

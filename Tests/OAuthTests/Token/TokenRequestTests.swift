import Crypto
import OAuth
import TestSupport
import Testing

struct TokenRequestTests {
  private let redirect = "redirect_uri=http%3A%2F%2F127.0.0.1%3A4711%2Fcall+back"
  private let verifier = "code_verifier=QEFCQ0RFRkdISUpLTE1OT1BRUlNUVVZXWFlaW1xdXl8"

  @Test func `a code is redeemed by a public client`() throws {
    let request = try code()
    #expect(request.method == .post && request.url == Sample.tokenURL)
    #expect(request.text == "grant_type=authorization_code&code=c-1&\(redirect)&\(verifier)&client_id=app")
    #expect(
      request.headers == [
        HTTPHeader("Accept", "application/json"), HTTPHeader("Content-Type", "application/x-www-form-urlencoded"),
      ])
  }

  @Test func `a code without PKCE has no verifier`() throws {
    let request = try code(SampleCode.make(method: .none))
    #expect(request.text == "grant_type=authorization_code&code=c-1&\(redirect)&client_id=app")
  }

  @Test func `a refresh sends the refresh token and no scope`() throws {
    #expect(try refresh().text == "grant_type=refresh_token&refresh_token=r-1%2B%2F&client_id=app")
  }

  @Test func `the provider's parameters and headers come sorted, each at its step`() throws {
    let provider = Sample.provider { provider in
      provider.tokenParams = ["b": "2", "a": "1 &"]
      provider.refreshParams = ["c": "3"]
      provider.headers = ["X-B": "2", "X-A": "1"]
    }
    #expect(try code(provider: provider).text.hasSuffix("&client_id=app&a=1+%26&b=2"))
    #expect(try refresh(provider).text.hasSuffix("&client_id=app&c=3"))
    #expect(try refresh(provider).headers.map(\.name) == ["Accept", "X-A", "X-B", "Content-Type"])
    #expect(try refresh(provider).headers("x-b") == ["2"])
  }

  @Test func `the user's parameters win over the provider's of the same name`() throws {
    let provider = Sample.provider { $0.tokenParams = ["audience": "theirs", "x": "1"] }
    let request = try code(provider: provider, extra: [Parameter("audience", "mine"), Parameter("audience", "too")])
    #expect(request.text.hasSuffix("&client_id=app&x=1&audience=mine&audience=too"))
  }

  @Test func `JSON holds the same members, the body alone`() throws {
    let provider = Sample.provider(quirks: { $0.tokenRequest = .json })
    let request = try refresh(provider, secret: "s\"3", method: .post)
    #expect(request.headers("Content-Type") == ["application/json"] && request.headers("Authorization").isEmpty)
    let members = try #require(JSONValue(parsing: Array(request.text.utf8))?.members)
    #expect(
      members == [
        "grant_type": .string("refresh_token"), "refresh_token": .string("r-1+/"), "client_id": .string("app"),
        "client_secret": .string("s\"3"),
      ])
  }

  @Test func `a query holds them where the provider wants that, with an empty body`() throws {
    let request = try refresh(Sample.provider(quirks: { $0.tokenRequest = .query }))
    #expect(request.url == "\(Sample.tokenURL)?grant_type=refresh_token&refresh_token=r-1%2B%2F&client_id=app")
    #expect(request.body == Secret("") && request.method == .post)
  }

  struct Choice: CustomTestStringConvertible, Sendable {
    let id: String
    var own: ClientAuthMethod?
    var providers: ClientAuthMethod?
    var hasSecret = true
    let method: ClientAuthMethod

    var testDescription: String { id }
  }

  static let choices = [
    Choice(id: "a secret means Basic", method: .basic),
    Choice(id: "no secret means none", hasSecret: false, method: .none),
    Choice(id: "the provider decides", providers: .post, method: .post),
    Choice(id: "the provider decides without a secret", providers: .post, hasSecret: false, method: .post),
    Choice(id: "the client wins", own: .post, providers: .basic, method: .post),
    Choice(id: "the client may be public", own: ClientAuthMethod.none, providers: .basic, method: .none),
  ]

  @Test(arguments: choices) func `how a client authenticates is chosen`(_ choice: Choice) throws {
    let provider = Sample.provider { $0.clientAuth = choice.providers }
    let client = ClientRegistration(id: "app", secret: choice.hasSecret ? Secret("s") : nil, method: choice.own)
    #expect(ClientAuthentication.method(for: client, provider: provider) == choice.method)
    let request = try TokenRequest.build(
      .refreshToken(Secret("r")), endpoint: "https://h", as: Sample.client(client, at: provider), stamp: Sample.stamp)
    let sendsSecret = choice.hasSecret && choice.method != .none
    #expect(request.headers("Authorization").isEmpty == !(sendsSecret && choice.method == .basic))
    #expect(request.form["client_secret"] == (sendsSecret && choice.method == .post ? "s" : nil))
    // With Basic the id is in the header alone.
    #expect(request.form["client_id"] == (sendsSecret && choice.method == .basic ? nil : "app"))
  }

  @Test(arguments: [
    (false, "app", "secret", "app:secret"),
    (false, "cli odd+id", "s3cr+t /%:&=?é", "cli+odd%2Bid:s3cr%2Bt+%2F%25%3A%26%3D%3F%C3%A9"),
    (true, "cli odd+id", "s3cr+t /%:&=?é", "cli odd+id:s3cr+t /%:&=?é"),
    (false, "a:b", "c~d_e-f.g", "a%3Ab:c~d_e-f.g"),
  ]) func `HTTP Basic encodes id and secret as a form, unless the provider wants them raw`(
    _ isRaw: Bool, _ id: String, _ secret: String, _ pair: String
  ) throws {
    let provider = Sample.provider(quirks: { $0.basicRaw = isRaw })
    let request = try TokenRequest.build(
      .refreshToken(Secret("r")), endpoint: "https://h",
      as: Sample.client(ClientRegistration(id: id, secret: Secret(secret)), at: provider), stamp: Sample.stamp)
    #expect(request.headers("Authorization") == ["Basic " + Base64URL.encodeClassic(pair.utf8)])
    #expect(!request.text.contains("client_"))
  }

  @Test(
    arguments: [
      (nil, true, true), ([.code], true, false), ([.refresh], false, true), ([.code, .refresh], true, true),
      ([], false, false), ([.device], false, false),
    ] as [([SecretStep]?, Bool, Bool)])
  func `the secret goes along at the steps that the provider names`(
    _ steps: [SecretStep]?, _ atCode: Bool, _ atRefresh: Bool
  ) throws {
    let provider = Sample.provider(quirks: { $0.secretOn = steps })
    for method in [ClientAuthMethod.basic, .post] {
      let client = ClientRegistration(id: "app", secret: Secret("s"), method: method)
      for (grant, isSent) in [
        (Grant.authorizationCode(try SampleCode.make()), atCode), (.refreshToken(Secret("r")), atRefresh),
      ] {
        let request = try TokenRequest.build(
          grant, endpoint: "https://h", as: Sample.client(client, at: provider), stamp: Sample.stamp)
        #expect(
          (request.headers("Authorization") + [request.form["client_secret"] ?? ""]).contains { !$0.isEmpty } == isSent)
        // Whoever sends no secret says who it is all the same.
        if !isSent { #expect(request.form["client_id"] == "app") }
      }
    }
  }

  @Test func `what is secret in a grant is known`() throws {
    #expect(Grant.refreshToken(Secret("r")).secrets == [Secret("r")])
    let code = try SampleCode.make()
    #expect(
      Grant.authorizationCode(code).secrets == [Secret("c-1"), Secret("QEFCQ0RFRkdISUpLTE1OT1BRUlNUVVZXWFlaW1xdXl8")])
    #expect(Grant.authorizationCode(try SampleCode.make(method: .none)).secrets == [Secret("c-1")])
  }

  private func code(
    _ code: AuthorizationCode? = nil, provider: Provider = Sample.provider(), extra: [Parameter] = []
  ) throws -> HTTPRequest {
    try TokenRequest.build(
      .authorizationCode(try code ?? SampleCode.make()), endpoint: Sample.tokenURL,
      as: Sample.client(ClientRegistration(id: "app"), at: provider), extra: extra, stamp: Sample.stamp)
  }

  private func refresh(
    _ provider: Provider = Sample.provider(), secret: String? = nil, method: ClientAuthMethod? = nil
  ) throws -> HTTPRequest {
    try TokenRequest.build(
      .refreshToken(Secret("r-1+/")), endpoint: Sample.tokenURL,
      as: Sample.client(ClientRegistration(id: "app", secret: secret.map { Secret($0) }, method: method), at: provider),
      stamp: Sample.stamp)
  }
}

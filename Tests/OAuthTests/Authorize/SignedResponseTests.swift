import Crypto
import Foundation
import OAuth
import TestSupport
import Testing

/// Answers that the authorization server has signed (JARM).
@Suite struct SignedResponseTests {
  private static let issuer = "https://id.example"
  private static let state = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
  private static let now = Int64(Sample.now.timeIntervalSince1970)

  static func pending(isImplicit: Bool = false) -> PendingAuthorization {
    PendingAuthorization(
      random: Sample.random(96), method: .s256, usesOpenID: false, redirectURI: "http://127.0.0.1:4711/callback",
      issuer: issuer, requiresIssuer: true, isImplicit: isImplicit, responseMode: .jwt)
  }

  private static func claims(_ changes: [String: JSONValue?]) -> [String: JSONValue] {
    var claims: [String: JSONValue?] = [
      "iss": .string(issuer), "aud": .string("app"), "exp": .integer(now + 300), "state": .string(state),
      "code": .string("c-1"),
    ]
    claims.merge(changes) { _, new in new }
    return claims.compactMapValues(\.self)
  }

  private static func sign(
    _ changes: [String: JSONValue?] = [:], by key: String = RFCKeys.p256, algorithm: SignatureAlgorithm? = nil
  ) throws -> Secret {
    try JWT.sign(
      header: [:], claims: claims(changes), key: RFCKeys.signingKey(key, keyID: "k"), algorithm: algorithm)
  }

  private static func verify(_ token: Secret) throws -> [Parameter] {
    try SignedResponse.verify(
      token, issuer: issuer, clientID: "app", keys: RFCKeys.set([("k", RFCKeys.p256)]), now: Sample.now)
  }

  @Test(arguments: ["response=TOKEN", "x=1&response=TOKEN", "response=TOKEN&state=other"])
  func `the answer's own state makes it this login's, and its parameters come out of the JWT`(_ form: String) throws {
    let token = try Self.sign()
    let text = form.replacingOccurrences(of: "TOKEN", with: token.reveal())
    #expect(SignedResponse.open(text, pending: Self.pending()) == .response(token, unverifiedRefusal: nil))
    let parameters = try Self.verify(token)
    #expect(parameters.map(\.name) == ["code", "iss", "state"])
    guard case .code = AuthorizationResponse.validate(verified: parameters, pending: Self.pending()) else {
      Issue.record("no code")
      return
    }
  }

  @Test func `a refusal is told, and is nobody's word yet`() throws {
    let token = try Self.sign(["code": nil, "error": .string("access_denied")])
    let refusal = CallbackFailure.server(ServerError(code: "access_denied"))
    #expect(
      SignedResponse.open("response=\(token.reveal())", pending: Self.pending())
        == .response(token, unverifiedRefusal: refusal))
    guard
      case .failure(refusal) = AuthorizationResponse.validate(
        verified: try Self.verify(token), pending: Self.pending())
    else {
      Issue.record("no refusal")
      return
    }
  }

  @Test func `numbers among the tokens are read`() throws {
    let token = try Self.sign(["code": nil, "access_token": .string("t"), "expires_in": .integer(60)])
    let outcome = ImplicitResponse.validate(
      try Self.verify(token), pending: Self.pending(isImplicit: true), provider: Provider(name: "acme"),
      now: Sample.now)
    guard case .tokens(let tokens) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(tokens.accessToken == Secret("t") && tokens.expiresAt == Sample.now.addingTimeInterval(60))
  }

  static let strays: [Named<[String: JSONValue?]>] = [
    Named("another login's", ["state": .string("x")]), Named("nobody's", ["state": nil]),
    Named("a state of no text", ["state": .integer(1)]),
  ]

  @Test(arguments: strays) func `an answer with another state has no effect`(_ row: Named<[String: JSONValue?]>) throws
  {
    let token = try Self.sign(row.value).reveal()
    #expect(SignedResponse.open("response=\(token)", pending: Self.pending()) == .stray)
    #expect(SignedResponse.open("response=\(token)&state=\(Self.state)", pending: Self.pending()) == .stray)
  }

  @Test(arguments: [
    "", "response=", "response=x", "response=e30.e30.", "code=c", "response=a.b.c.d", "error=access_denied",
  ])
  func `what is nobody's answer has no effect`(_ text: String) {
    #expect(SignedResponse.open(text, pending: Self.pending()) == .stray)
  }

  @Test(arguments: [("code=c", "a plain answer"), ("error=server_error", "the plain error 'server_error'")])
  func `a plain answer to this login ends it`(_ text: String, _ got: String) {
    let failure = CallbackFailure.unusable(parameter: "response", expected: "a signed JWT", got: got)
    #expect(SignedResponse.open("\(text)&state=\(Self.state)", pending: Self.pending()) == .failure(failure))
  }

  @Test func `two answers in one are none`() throws {
    let token = try Self.sign().reveal()
    #expect(SignedResponse.open("response=\(token)&response=\(token)", pending: Self.pending()) == .stray)
  }

  @Test func `an encrypted answer is known as one`() {
    #expect(SignedResponse.open("response=a.b.c.d.e", pending: Self.pending()) == .encrypted)
    #expect(SignedResponse.open(pasted: "a.b.c.d.e", pending: Self.pending()) == .encrypted)
  }

  @Test(arguments: [
    "TOKEN", " TOKEN\n", "response=TOKEN", "http://127.0.0.1:4711/callback?response=TOKEN", "#response=TOKEN",
    "https://app.example/cb?own=1#response=TOKEN",
  ])
  func `what a person pastes is found`(_ text: String) throws {
    let token = try Self.sign()
    let pasted = text.replacingOccurrences(of: "TOKEN", with: token.reveal())
    #expect(SignedResponse.open(pasted: pasted, pending: Self.pending()) == .response(token, unverifiedRefusal: nil))
  }

  @Test(arguments: ["", "c-1", "http://127.0.0.1:4711/callback", "hello world."])
  func `what a person pastes instead is not taken: a bare code is nobody's word`(_ text: String) {
    #expect(SignedResponse.open(pasted: text, pending: Self.pending()) == .stray)
  }

  static let broken: [Named<([String: JSONValue?], String)>] = [
    Named("another issuer", (["iss": .string("https://id.example/")], "iss")),
    Named("no issuer", (["iss": nil], "iss")),
    Named("another client", (["aud": .string("other")], "aud")), Named("no client", (["aud": nil], "aud")),
    Named("without an end", (["exp": nil], "exp")), Named("ended", (["exp": .integer(now - 60)], "exp")),
    Named("an end in words", (["exp": .string("x")], "exp")),
    Named("not good yet", (["nbf": .integer(now + 61)], "nbf")),
    Named("made to come", (["iat": .integer(now + 61)], "iat")),
  ]

  @Test(arguments: broken) func `an answer is taken claim by claim`(_ row: Named<([String: JSONValue?], String)>) throws
  {
    let token = try Self.sign(row.value.0)
    let error = #expect(throws: JWT.Mismatch.self) { try Self.verify(token) }
    #expect(error?.claim == row.value.1)
  }

  @Test func `one of several clients is meant, too`() throws {
    let token = try Self.sign(["aud": .array([.string("other"), .string("app")])])
    #expect(try Self.verify(token).contains(Parameter("code", "c-1")))
  }

  @Test func `an answer that the issuer did not sign is not taken, nor one by a secret`() throws {
    let body = Base64URL.encode(JSONValue.object(Self.claims([:])).plainText.utf8)
    let unsigned = Secret("\(Base64URL.encode(#"{"alg":"none"}"#.utf8)).\(body).")
    let bySecret = try JWT.sign(
      header: [:], claims: Self.claims([:]), key: .secret(Secret("a client's secret, long enough")))
    for (token, claim) in [
      (unsigned, "alg"), (bySecret, "alg"), (try Self.sign(by: RFCKeys.rsa), "kid"), (Secret("e30"), "response"),
    ] {
      let error = #expect(throws: JWT.Mismatch.self) { try Self.verify(token) }
      #expect(error?.claim == claim)
    }
    let (one, other) = (try Self.sign().reveal(), try Self.sign(["code": .string("c-2")]).reveal())
    let mixed = one.split(separator: ".")[0...1].joined(separator: ".") + "." + (other.split(separator: ".").last ?? "")
    let error = #expect(throws: JWT.Mismatch.self) { try Self.verify(Secret(mixed)) }
    #expect(error?.claim == "signature")
  }
}

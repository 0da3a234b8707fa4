import Crypto
import Foundation
import Testing

@testable import OAuth

/// A token for another one (RFC 8693).
@Suite struct TokenExchangeTests {
  static let now = Date(timeIntervalSince1970: 1_700_000_000)
  private static let accessToken = "urn:ietf:params:oauth:token-type:access_token"

  /// RFC 8693 section 2.3.
  @Test func `the example of an impersonation is made`() {
    let exchange = TokenExchange(
      subjectToken: Secret("accVkjcJyb4BWCxGsndESCJQbdFMogUC5PbRDqceLTC"), subjectTokenType: Self.accessToken,
      resources: ["https://backend.example.com/api"])
    #expect(
      FormEncoding.encode(exchange.parameters())
        == "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange"
        + "&resource=https%3A%2F%2Fbackend.example.com%2Fapi"
        + "&subject_token=accVkjcJyb4BWCxGsndESCJQbdFMogUC5PbRDqceLTC"
        + "&subject_token_type=urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Aaccess_token")
  }

  /// RFC 8693 appendices A.1.1 and A.2.1: the subject's token, the actor's.
  static let exchanged: [(String, String?)] = [
    (
      """
      eyJhbGciOiJFUzI1NiIsImtpZCI6IjE2In0.eyJhdWQiOiJodHRwczovL2FzLmV4YW1wbGUuY29tIiwiaXNzIjoiaHR0cHM6Ly9vcmlnaW5hbC1p\
      c3N1ZXIuZXhhbXBsZS5uZXQiLCJleHAiOjE0NDE5MTA2MDAsIm5iZiI6MTQ0MTkwOTAwMCwic3ViIjoiYmRjQGV4YW1wbGUubmV0Iiwic2NvcGUi\
      OiJvcmRlcnMgcHJvZmlsZSBoaXN0b3J5In0.PRBg-jXn4cJuj1gmYXFiGkZzRuzbXZ_sDxdE98ddW44ufsbWLKd3JJ1VZhF64pbTtfjy4VXFVBDa\
      QpKjn5JzAw
      """, nil
    ),
    (
      """
      eyJhbGciOiJFUzI1NiIsImtpZCI6IjE2In0.eyJhdWQiOiJodHRwczovL2FzLmV4YW1wbGUuY29tIiwiaXNzIjoiaHR0cHM6Ly9vcmlnaW5hbC1p\
      c3N1ZXIuZXhhbXBsZS5uZXQiLCJleHAiOjE0NDE5MTAwNjAsInNjb3BlIjoic3RhdHVzIGZlZWQiLCJzdWIiOiJ1c2VyQGV4YW1wbGUubmV0Iiwi\
      bWF5X2FjdCI6eyJzdWIiOiJhZG1pbkBleGFtcGxlLm5ldCJ9fQ.4rPRSWihQbpMIgAmAoqaJojAxj-p2X8_fAtAGTXrvMxU-eEZHnXqY0_AOZgLd\
      xw5DyLzua8H_I10MCcckF-Q_g
      """,
      """
      eyJhbGciOiJFUzI1NiIsImtpZCI6IjE2In0.eyJhdWQiOiJodHRwczovL2FzLmV4YW1wbGUuY29tIiwiaXNzIjoiaHR0cHM6Ly9vcmlnaW5hbC1p\
      c3N1ZXIuZXhhbXBsZS5uZXQiLCJleHAiOjE0NDE5MTAwNjAsInN1YiI6ImFkbWluQGV4YW1wbGUubmV0In0.7YQ-3zPfhUvzje5oqw8COCvN5uP6\
      NsKik9CVV6cAOf4QKgM-tKfiOwcgZoUuDL2tEs6tqPlcBlMjiSzEjm3yBg
      """
    ),
  ]

  @Test(arguments: exchanged) func `the examples with whole tokens are made`(_ subject: String, _ actor: String?) {
    let jwt = "urn:ietf:params:oauth:token-type:jwt"
    let exchange = TokenExchange(
      subjectToken: Secret(subject), subjectTokenType: jwt, actorToken: actor.map { Secret($0) },
      actorTokenType: actor.map { _ in jwt }, audiences: ["urn:example:cooperation-context"])
    let type = "urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Ajwt"
    #expect(
      FormEncoding.encode(exchange.parameters())
        == "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange"
        + "&audience=urn%3Aexample%3Acooperation-context&subject_token=\(subject)&subject_token_type=\(type)"
        + (actor.map { "&actor_token=\($0)&actor_token_type=\(type)" } ?? ""))
    #expect(exchange.secrets == [Secret(subject)] + (actor.map { [Secret($0)] } ?? []))
    let claims = JWT.Parsed(Secret(subject))?.claims
    #expect(claims?["may_act"] == actor.flatMap { JWT.Parsed(Secret($0))?.claims["sub"] }.map { .object(["sub": $0]) })
  }

  @Test func `what is asked for may be there more than once, and a type without a token is not sent`() {
    let exchange = TokenExchange(
      subjectToken: Secret("s"), subjectTokenType: "t", actorTokenType: "unused", requestedTokenType: "r",
      audiences: ["a", "b"], resources: ["https://c", "https://d"], scopes: ["e", "f"])
    #expect(
      FormEncoding.encode(exchange.parameters(scopeSeparator: ",").dropFirst(1).map { $0 })
        == "resource=https%3A%2F%2Fc&resource=https%3A%2F%2Fd&audience=a&audience=b&scope=e%2Cf"
        + "&requested_token_type=r&subject_token=s&subject_token_type=t")
    let acting = TokenExchange(subjectToken: Secret("s"), subjectTokenType: "t", actorToken: Secret("a"))
    #expect(acting.parameters().last == Parameter("actor_token_type", Self.accessToken))
  }

  @Test(
    arguments: [
      ("access_token", accessToken), ("Access-Token", accessToken), ("jwt", "urn:ietf:params:oauth:token-type:jwt"),
      ("saml2", "urn:ietf:params:oauth:token-type:saml2"), (accessToken, accessToken),
      ("https://a.example/types/t", "https://a.example/types/t"), ("token", nil), ("", nil), ("a b:c", nil),
      (":x", nil),
    ] as [(String, String?)])
  func `a type is named by its last word or as a URI`(_ text: String, _ wanted: String?) {
    #expect(TokenExchange.type(named: text) == wanted)
  }

  private static func read(_ body: String, wanted: String? = nil) throws(TokenFailure) -> TokenSet {
    let exchange = TokenExchange(subjectToken: Secret("s"), subjectTokenType: accessToken, requestedTokenType: wanted)
    return try exchange.validate(
      HTTPResponse(status: 200, body: Array(body.utf8)), provider: Provider(name: "acme"), now: now)
  }

  /// RFC 8693 section 2.3.
  @Test func `the example of a reply is read, its type kept`() throws {
    let tokens = try Self.read(
      #"""
      {
       "access_token":"eyJhbGciOiJFUzI1NiIsImtpZCI6IjllciJ9.eyJhdWQiOiJodHRwczovL2JhY2tlbmQuZXhhbXBsZS5jb20ifQ.MXgn",
       "issued_token_type":"urn:ietf:params:oauth:token-type:access_token",
       "token_type":"Bearer",
       "expires_in":60
      }
      """#)
    #expect(tokens.issuedTokenType == Self.accessToken && tokens.expiresAt == Self.now.addingTimeInterval(60))
    #expect(tokens.isForAccess && tokens.authorizationScheme == "Bearer")
  }

  @Test(arguments: ["N_A", "n_a"]) func `what is no access token is told from one`(_ type: String) throws {
    let saml = "urn:ietf:params:oauth:token-type:saml2"
    let tokens = try Self.read(
      #"{"access_token": "PHNhbWw-", "issued_token_type": "\#(saml)", "token_type": "\#(type)"}"#, wanted: saml)
    #expect(!tokens.isForAccess && tokens.issuedTokenType == saml && tokens.accessToken == Secret("PHNhbWw-"))
    #expect(try Self.read(#"{"access_token": "t"}"#).isForAccess)
  }

  @Test func `another type than was wanted is refused, and a JWT is an access token`() throws {
    let jwt = "urn:ietf:params:oauth:token-type:jwt"
    let reply = #"{"access_token": "t", "issued_token_type": "\#(Self.accessToken)", "token_type": "Bearer"}"#
    #expect(try Self.read(reply, wanted: jwt).issuedTokenType == Self.accessToken)
    #expect(try Self.read(reply, wanted: Self.accessToken).issuedTokenType == Self.accessToken)
    #expect(try Self.read(#"{"access_token": "t"}"#, wanted: jwt).issuedTokenType == nil)
    let idToken = "urn:ietf:params:oauth:token-type:id_token"
    let error = #expect(throws: TokenFailure.self) { try Self.read(reply, wanted: idToken) }
    #expect(
      error
        == .notATokenReply(
          ServerError(), reason: "issued_token_type is '\(Self.accessToken)', expected '\(idToken)'"))
  }
}

import Crypto
import Foundation
import OAuth
import TestSupport
import Testing

struct ServiceAccountKeyTests {
  /// A key file as a cloud console hands it out.
  private static func file(_ changed: [String: JSONValue?] = [:]) throws -> Secret {
    var members: [String: JSONValue?] = [
      "type": .string("service_account"), "project_id": .string("p"), "private_key_id": .string("k-1"),
      "private_key": .string(try RFCKeys.privateKey(RFCKeys.rsa).pem().reveal()),
      "client_email": .string("robot@p.example"), "client_id": .string("1"),
      "token_uri": .string("https://id.example/token"), "universe_domain": .string("example"),
    ]
    members.merge(changed) { _, new in new }
    return Secret(JSONValue.object(members.compactMapValues(\.self)).plainText)
  }

  @Test func `a key file says whose key it is and where tokens are asked for with it`() throws {
    let key = try ServiceAccountKey(reading: Self.file())
    #expect(key.email == "robot@p.example" && key.keyID == "k-1" && key.tokenURI == "https://id.example/token")
    let signingKey = try key.signingKey()
    #expect(signingKey.keyID == "k-1" && signingKey.usualAlgorithm == .rs256)
    let assertion = try JWTBearerAssertion.build(
      issuer: key.email, audience: try #require(key.tokenURI), scopes: ["s"], key: signingKey, now: Sample.now, jti: "j"
    )
    try #require(JWT.Parsed(assertion)).checkSignature(keys: RFCKeys.set([("k-1", RFCKeys.rsa)]))
  }

  static let broken: [Named<([String: JSONValue?], ServiceAccountKey.Problem)>] = [
    Named("of a person", (["type": .string("authorized_user")], .otherType("authorized_user"))),
    Named("of nothing", (["type": nil], .otherType(nil))),
    Named("no account", (["client_email": nil], .missing("client_email"))),
    Named("an empty account", (["client_email": .string("")], .missing("client_email"))),
    Named("no key", (["private_key": nil], .missing("private_key"))),
    Named("a key of a number", (["private_key": .integer(1)], .missing("private_key"))),
    Named(
      "a token URL in the clear",
      (["token_uri": .string("http://id.example/token")], .badTokenURI("http://id.example/token"))),
  ]

  @Test(arguments: broken) func `what a file lacks is named`(
    _ row: Named<([String: JSONValue?], ServiceAccountKey.Problem)>
  ) throws {
    let (changed, problem) = row.value
    let file = try Self.file(changed)
    #expect(throws: problem) { try ServiceAccountKey(reading: file) }
  }

  @Test(arguments: ["", "[]", "-----BEGIN PRIVATE KEY-----", #"{"type":"#, "eyJ.eyJ.sig"])
  func `what is no JSON object is no key file`(_ text: String) {
    #expect(throws: ServiceAccountKey.Problem.notJSON) { try ServiceAccountKey(reading: Secret(text)) }
  }

  @Test func `name and token URL may be left to others, the key must be one`() throws {
    let key = try ServiceAccountKey(reading: Self.file(["private_key_id": nil, "token_uri": nil]))
    #expect(key.keyID == nil && key.tokenURI == nil)
    let broken = try ServiceAccountKey(
      reading: Self.file(["private_key": .string("-----BEGIN PRIVATE KEY-----\nAA==\n")]))
    #expect(throws: KeyError.self) { try broken.signingKey() }
    #expect(!"\(broken)".contains("BEGIN"), "the key shows")
  }

  @Test(arguments: [("{}", true), (" \n{", true), ("eyJ.eyJ.sig", false), ("", false), ("-----BEGIN", false)])
  func `an assertion is told from a key file`(_ text: String, _ isKey: Bool) {
    #expect(ServiceAccountKey.isLikely(Array(text.utf8)) == isKey)
  }
}

import Crypto
import Foundation
import OAuth
import TestSupport
import Testing

struct IDTokenTests {
  private static let now = Int(Sample.now.timeIntervalSince1970)

  struct Claims: CustomTestStringConvertible, Sendable {
    let id: String
    let changed: [String: String?]
    /// The claim that does not hold; nil where all do.
    let fault: String?

    init(_ id: String, _ changed: [String: String?], _ fault: String?) {
      (self.id, self.changed, self.fault) = (id, changed, fault)
    }

    /// The claims of a good token, some replaced or taken away.
    var token: Secret {
      var claims: [String: String?] = [
        "iss": #""https://a""#, "sub": #""ada""#, "aud": #""app""#, "exp": "\(IDTokenTests.now + 60)",
        "iat": "\(IDTokenTests.now)", "nonce": #""n-1""#,
      ]
      claims.merge(changed) { _, new in new }
      let members = claims.compactMap { name, value in value.map { "\"\(name)\":\($0)" } }
      return Sample.jwt("{\(members.joined(separator: ","))}")
    }

    var testDescription: String { id }
  }

  static let rows = [
    Claims("good", [:], nil),
    Claims("the issuer's other name", ["iss": #""a""#], nil),
    Claims("another issuer", ["iss": #""https://b""#], "iss"), Claims("a slash more", ["iss": #""https://a/""#], "iss"),
    Claims("no issuer", ["iss": nil], "iss"), Claims("an issuer of a number", ["iss": "1"], "iss"),
    Claims("a list with us in it", ["aud": #"["x","app"]"#, "azp": #""app""#], nil),
    Claims("a list, and nobody that it was made for", ["aud": #"["x","app"]"#], "azp"),
    Claims("another client", ["aud": #""x""#], "aud"),
    Claims("a list without us", ["aud": #"["x","y"]"#], "aud"), Claims("no audience", ["aud": nil], "aud"),
    Claims("an empty list", ["aud": "[]"], "aud"), Claims("an audience like ours", ["aud": #""app2""#], "aud"),
    Claims("made for us", ["azp": #""app""#], nil),
    Claims("made for another", ["azp": #""x""#, "aud": #"["app","x"]"#], "azp"),
    Claims("nobody", ["sub": nil], "sub"), Claims("an empty name", ["sub": #""""#], "sub"),
    Claims("a number", ["sub": "7"], "sub"),
    Claims("ended just now", ["exp": "\(now - 59)"], nil), Claims("ended", ["exp": "\(now - 60)"], "exp"),
    Claims("no end", ["exp": nil], "exp"), Claims("an end in words", ["exp": #""soon""#], "exp"),
    Claims("an end with a fraction", ["exp": "\(now + 1).250909"], nil),
    Claims("an absurd end", ["exp": "1e300"], "exp"),
    Claims("the least end", ["exp": "-9223372036854775808"], "exp"),
    Claims("the last end", ["exp": "9223372036854775807"], nil),
    Claims("issued within the leeway", ["iat": "\(now + 60)"], nil),
    Claims("issued to come", ["iat": "\(now + 61)"], "iat"),
    Claims("not said when", ["iat": nil], "iat"), Claims("a time of words", ["iat": #""x""#], "iat"),
    Claims("another nonce", ["nonce": #""n-2""#], "nonce"), Claims("no nonce", ["nonce": nil], "nonce"),
    Claims("an empty nonce", ["nonce": #""""#], "nonce"),
    Claims("other claims", ["auth_time": "1795998927.050189", "x": "{}"], nil),
  ]

  /// What the TLS of the token endpoint vouches for: no keys are known.
  private static func expectation(issuers: [String] = [], nonce: Secret? = nil) -> IDToken.Expectation {
    IDToken.Expectation(issuers: issuers, clientID: "app", nonce: nonce)
  }

  @Test(arguments: rows) func `a token holds claim by claim`(_ row: Claims) {
    do throws(JWT.Mismatch) {
      _ = try IDToken.verify(
        row.token, expecting: Self.expectation(issuers: ["https://a", "a"], nonce: Secret("n-1")), now: Sample.now)
      #expect(row.fault == nil)
    } catch {
      #expect(error.claim == row.fault)
    }
  }

  @Test func `a mismatch says what was expected, and never the nonce`() {
    let error = #expect(throws: JWT.Mismatch.self) {
      try IDToken.verify(
        Claims("", ["aud": #"["x","y"]"#], nil).token, expecting: Self.expectation(issuers: ["https://a"]),
        now: Sample.now)
    }
    #expect(error == JWT.Mismatch(of: .idToken, claim: "aud", expected: "app", got: "x y"))
    let nonce = #expect(throws: JWT.Mismatch.self) {
      try IDToken.verify(
        Claims("", ["nonce": #""theirs""#], nil).token, expecting: Self.expectation(nonce: Secret("ours")),
        now: Sample.now)
    }
    #expect(nonce.map { !"\($0)".contains("theirs") && !"\($0)".contains("\"ours\"") } == true)
  }

  @Test func `without a fixed issuer, or a nonce, neither is compared`() throws {
    let token = Claims("", ["iss": #""https://tenant""#, "nonce": nil], nil).token
    let idToken = try IDToken.verify(token, expecting: Self.expectation(), now: Sample.now)
    #expect(idToken.claims["sub"] == .string("ada"))
  }

  @Test(arguments: ["", "a", "a.b", "a.b.c", "a.e30", "a.e30.c.d", "..", "a.W10.c", "a.bnVsbA.c", "a.e3.c", "ä.e30.c"])
  func `what is no JWT has no claims`(_ text: String) {
    // Of these only one whose middle is an object and which has three parts is one.
    let isJWT = text == "ä.e30.c"
    #expect((IDToken(unverified: Secret(text)) != nil) == isJWT)
    #expect(throws: JWT.Mismatch.self) {
      try IDToken.verify(Secret(text), expecting: Self.expectation(), now: Sample.now)
    }
  }

  @Test(arguments: [
    (#"{"sub":"1","email":"e","name":"n"}"#, "e"), (#"{"sub":"1","email":"","preferred_username":"p"}"#, "p"),
    (#"{"sub":"1","upn":"u","name":"n"}"#, "u"), (#"{"sub":"1","name":"n"}"#, "n"), (#"{"sub":"1"}"#, "1"),
    (#"{"sub":1,"email":null}"#, nil), ("{}", nil),
  ]) func `a person is called by the first of the claims that say it`(_ claims: String, _ name: String?) {
    #expect(IDToken(unverified: Sample.jwt(claims))?.identity == name)
  }

  @Test func `a refresh must bring the same person`() throws {
    let first = try #require(IDToken(unverified: Sample.idToken()))
    try first.validateSuccessor(try #require(IDToken(unverified: Sample.idToken(aud: "other"))))
    for (token, got) in [(Sample.idToken(sub: "eve"), "eve" as String?), (Sample.jwt("{}"), nil)] {
      let next = try #require(IDToken(unverified: token))
      let error = #expect(throws: JWT.Mismatch.self) { try first.validateSuccessor(next) }
      #expect(error?.claim == "sub" && error?.got == got)
    }
    // What the first did not say cannot be compared.
    try #require(IDToken(unverified: Sample.jwt("{}"))).validateSuccessor(first)
  }

  @Test func `an issuer is the same under each of its names`() throws {
    func isSame(_ first: Secret, _ next: Secret, _ aliases: [String] = []) throws -> Bool {
      try #require(IDToken(unverified: first)).hasIssuer(
        of: try #require(IDToken(unverified: next)), aliases: aliases)
    }
    let (short, long) = (Sample.idToken(iss: "acme.example"), Sample.idToken(iss: "https://acme.example"))
    let names = ["https://acme.example", "acme.example"]
    #expect(try isSame(short, short) && isSame(short, long, names) && isSame(long, short, names))
    #expect(try !isSame(short, long) && !isSame(short, long, ["acme.example"]) && !isSame(short, long, [names[0]]))
    #expect(try !isSame(short, Sample.jwt("{}"), names) && isSame(Sample.jwt("{}"), short))
  }

  @Test func `no text traps it`() {
    var generator = SystemRandomNumberGenerator()
    let seed = Array(Sample.idToken(nonce: "n").reveal().utf8)
    for _ in 0..<2000 {
      var bytes = seed
      for _ in 0..<3 {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
      }
      _ = try? IDToken.verify(Secret(bytes: bytes), expecting: Self.expectation(), now: Sample.now)
    }
  }
}

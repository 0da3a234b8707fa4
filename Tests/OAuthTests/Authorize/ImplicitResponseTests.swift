import Crypto
import Foundation
import Testing

@testable import OAuth

/// Tokens that come with the callback itself (RFC 6749 section 4.2.2).
@Suite struct ImplicitResponseTests {
  static let now = Date(timeIntervalSince1970: 1_700_000_000)
  static let state = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"

  /// What an answer is to come to, in words that a table can hold.
  enum Wanted: Sendable, Equatable {
    case token(String)
    case failure(CallbackFailure)
    case stray
  }

  struct Answer: CustomTestStringConvertible, Sendable {
    let id: String
    let text: String
    let wanted: Wanted

    init(_ id: String, _ text: String, _ wanted: Wanted) { (self.id, self.text, self.wanted) = (id, text, wanted) }

    var testDescription: String { id }
  }

  private static func pending(
    issuer: String? = nil, requiresIssuer: Bool = false, usesOpenID: Bool = false
  ) -> PendingAuthorization {
    PendingAuthorization(
      random: (0..<96).map { UInt8($0) }, method: .s256, usesOpenID: usesOpenID,
      redirectURI: "http://127.0.0.1:4711/callback?own=1", issuer: issuer, requiresIssuer: requiresIssuer,
      isImplicit: true)
  }

  private static func wanted(_ outcome: ImplicitOutcome) -> Wanted {
    switch outcome {
    case .tokens(let tokens): .token(tokens.accessToken.reveal())
    case .failure(let failure): .failure(failure)
    case .stray: .stray
    }
  }

  private static func judge(_ text: String, pending: PendingAuthorization = pending()) -> Wanted {
    wanted(ImplicitResponse.validate(text, pending: pending, provider: Provider(name: "acme"), now: now))
  }

  static let answers = [
    Answer("a token", "access_token=t&token_type=bearer&state=\(state)", .token("t")),
    Answer("with the mark of a fragment", "#access_token=t&state=\(state)", .token("t")),
    Answer("with the mark of a query", "?access_token=t&state=\(state)", .token("t")),
    Answer("the order does not matter", "state=\(state)&token_type=Bearer&access_token=t", .token("t")),
    Answer("an escaped token", "access_token=a%2Fb%2Bc%3D&state=\(state)", .token("a/b+c=")),
    Answer("no state", "access_token=t&token_type=bearer", .stray),
    Answer("another state", "access_token=t&state=\(state)x", .stray),
    Answer("the state twice", "access_token=t&state=\(state)&state=\(state)", .stray),
    Answer("an error without state", "error=access_denied", .stray),
    Answer(
      "denied", "error=access_denied&error_description=No%21&state=\(state)",
      .failure(.server(ServerError(code: "access_denied", description: "No!")))),
    Answer(
      "an error beside a token", "access_token=t&error=access_denied&state=\(state)",
      .failure(.server(ServerError(code: "access_denied")))),
    Answer("a code instead", "code=c&state=\(state)", .failure(.incomplete)),
    Answer("an empty token", "access_token=&state=\(state)", .failure(.incomplete)),
    Answer("nothing but an ID token", "id_token=a.b.c&state=\(state)", .failure(.incomplete)),
    Answer(
      "a token that no header holds", "access_token=a%0Ab&state=\(state)",
      .failure(.unusable(parameter: "access_token", expected: "printable ASCII", got: nil))),
    Answer(
      "a type that is used in another way", "access_token=t&token_type=mac&state=\(state)",
      .failure(.unusable(parameter: "token_type", expected: "Bearer", got: "mac"))),
    Answer(
      "two tokens", "access_token=t&access_token=u&state=\(state)", .failure(.repeated(parameter: "access_token"))),
    Answer(
      "two ID tokens", "access_token=t&id_token=a&id_token=b&state=\(state)",
      .failure(.repeated(parameter: "id_token"))),
  ]

  @Test(arguments: answers) func `an answer is judged`(_ answer: Answer) {
    #expect(Self.judge(answer.text) == answer.wanted)
  }

  @Test(arguments: [
    ("&iss=https%3A%2F%2Fa", true, Wanted.token("t")), ("", false, .token("t")),
    ("", true, .failure(.issuerMismatch(expected: "https://a", got: nil))),
    ("&iss=https%3A%2F%2Fb", false, .failure(.issuerMismatch(expected: "https://a", got: "https://b"))),
    ("&iss=https%3A%2F%2Fa&iss=https%3A%2F%2Fb", false, .failure(.repeated(parameter: "iss"))),
  ])
  func `an issuer is compared whenever it is named`(_ parameter: String, _ isRequired: Bool, _ wanted: Wanted) {
    let pending = Self.pending(issuer: "https://a", requiresIssuer: isRequired)
    #expect(Self.judge("access_token=t&state=\(Self.state)\(parameter)", pending: pending) == wanted)
  }

  @Test func `an error that names no issuer is what it says`() {
    let pending = Self.pending(issuer: "https://a", requiresIssuer: true)
    let denied = "error=access_denied&access_token=t"
    let said = Wanted.failure(.server(ServerError(code: "access_denied")))
    #expect(Self.judge("\(denied)&state=\(Self.state)", pending: pending) == said)
    #expect(Self.judge("\(denied)&state=x", pending: pending) == .stray)
    #expect(
      Self.judge("\(denied)&iss=https%3A%2F%2Fb&state=\(Self.state)", pending: pending)
        == .failure(.issuerMismatch(expected: "https://a", got: "https://b")))
  }

  static let pasted = [
    Answer(
      "the whole address", "http://127.0.0.1:4711/callback?own=1#access_token=t&state=\(state)\n", .token("t")),
    Answer("an address with a query", "http://127.0.0.1:4711/callback?access_token=t&state=\(state)", .token("t")),
    Answer(
      "an address with both", "http://a/?access_token=q&state=\(state)#access_token=f&state=\(state)", .token("f")),
    Answer("broken into lines", "http://127.0.0.1/callback#access_\n  token=t&state=\(state)", .token("t")),
    Answer("the fragment alone", "#access_token=t&state=\(state)", .token("t")),
    Answer("without its mark", "access_token=t&state=\(state)", .token("t")),
    Answer("an address with an anchor after its query", "http://a/?access_token=t&state=\(state)#_=_", .token("t")),
    Answer("a bare token", "t", .stray), Answer("nothing", " \n", .stray), Answer("marks", "#?#", .stray),
    Answer("an address without an answer", "http://127.0.0.1:4711/callback", .stray),
    Answer("another login's", "http://127.0.0.1:4711/callback#access_token=t&state=x", .stray),
  ]

  @Test(arguments: pasted) func `what was pasted is judged`(_ answer: Answer) {
    let outcome = ImplicitResponse.validate(
      pasted: answer.text, pending: Self.pending(), provider: Provider(name: "acme"), now: Self.now)
    #expect(Self.wanted(outcome) == answer.wanted)
  }

  @Test func `a login with OpenID Connect needs its ID token`() {
    let pending = Self.pending(usesOpenID: true)
    #expect(
      Self.judge("access_token=t&state=\(Self.state)", pending: pending)
        == .failure(.unusable(parameter: "id_token", expected: "a JWT", got: "none")))
    #expect(Self.judge("access_token=t&id_token=a.b.c&state=\(Self.state)", pending: pending) == .token("t"))
  }

  /// RFC 6749 section 4.2.2, with a state of ours.
  @Test func `the example of RFC 6749 is read, its lifetime a text`() throws {
    let text = "access_token=2YotnFZFEjr1zCsicMWpAA&state=\(Self.state)&token_type=example&expires_in=3600"
    let outcome = ImplicitResponse.validate(
      text, pending: Self.pending(), provider: Provider(name: "acme"), now: Self.now)
    guard case .tokens(let tokens) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(tokens.accessToken == Secret("2YotnFZFEjr1zCsicMWpAA") && tokens.tokenType == "example")
    #expect(tokens.expiresAt == Self.now.addingTimeInterval(3600) && tokens.obtainedAt == Self.now)
    #expect(tokens.fields.isEmpty && tokens.refreshToken == nil && tokens.scope == nil)
  }

  @Test func `what belongs to the callback is no field of the token, and a refresh token is not taken`() throws {
    let text =
      "access_token=t&id_token=a.b.c&scope=x%20y&refresh_token=r&session_state=s&iss=i&code=c&extra=e&state=\(Self.state)"
    let outcome = ImplicitResponse.validate(
      text, pending: Self.pending(), provider: Provider(name: "acme"), now: Self.now)
    guard case .tokens(let tokens) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(tokens.fields == ["extra": .string("e")] && tokens.refreshToken == nil)
    #expect(tokens.idToken == Secret("a.b.c") && tokens.scope == ["x", "y"] && tokens.expiresAt == nil)
  }
}

import Crypto
import TestSupport
import Testing

@testable import OAuth

struct AuthorizationResponseTests {
  static let state = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"

  /// What an answer is to come to, in words that a table can hold.
  enum Wanted: Sendable, Equatable {
    case code(String)
    case server(String, String?)
    case otherIssuer(String?)
    case incomplete, stray
  }

  struct Answer: CustomTestStringConvertible, Sendable {
    let id: String
    let text: String
    let wanted: Wanted

    init(_ id: String, _ text: String, _ wanted: Wanted) { (self.id, self.text, self.wanted) = (id, text, wanted) }

    var testDescription: String { id }
  }

  static let queries = [
    Answer("code", "code=abc&state=\(state)", .code("abc")),
    Answer("order does not matter", "state=\(state)&code=abc", .code("abc")),
    Answer("more comes along", "session_state=x&code=abc&scope=a+b&state=\(state)", .code("abc")),
    Answer("code is decoded", "code=4%2F0A%2Bb+c&state=\(state)", .code("4/0A+b c")),
    Answer("no state", "code=abc", .stray), Answer("empty state", "code=abc&state=", .stray),
    Answer("wrong state", "code=abc&state=\(state)x", .stray), Answer("state cut", "code=abc&state=AAEC", .stray),
    Answer("state in another case", "code=abc&state=\(state.lowercased())", .stray),
    Answer("state twice, both right", "code=abc&state=\(state)&state=\(state)", .stray),
    Answer("state twice, the second right", "code=abc&state=x&state=\(state)", .stray),
    Answer("state of another name", "code=abc&State=\(state)", .stray),
    Answer("nothing", "", .stray), Answer("junk", "%&=&&?", .stray),
    Answer("error without state", "error=access_denied", .stray),
    Answer("error with a wrong state", "error=access_denied&state=x", .stray),
    Answer("denied", "error=access_denied&state=\(state)", .server("access_denied", nil)),
    Answer(
      "denied, in words", "error=access_denied&error_description=No+way%21&state=\(state)",
      .server("access_denied", "No way!")),
    Answer("error beats code", "code=abc&error=server_error&state=\(state)", .server("server_error", nil)),
    Answer("empty error is none", "code=abc&error=&state=\(state)", .code("abc")),
    Answer("neither code nor error", "state=\(state)", .incomplete),
    Answer("empty code", "code=&state=\(state)", .incomplete),
  ]

  @Test(arguments: queries) func `a callback is judged`(_ answer: Answer) {
    #expect(read(AuthorizationResponse.validate(query: answer.text, pending: pending())) == answer.wanted)
  }

  @Test(arguments: queries.filter { !$0.text.isEmpty && $0.wanted != .stray })
  func `the same, pasted as a whole URL, wrapped and with a fragment`(_ answer: Answer) {
    let url = "  http://127.0.0.1:4711/callback?\(answer.text)#_=_\n"
    #expect(read(AuthorizationResponse.validate(pasted: url, pending: pending())) == answer.wanted)
    let middle = url.index(url.startIndex, offsetBy: 40)
    let wrapped = url[..<middle] + "\r\n  " + url[middle...]
    #expect(read(AuthorizationResponse.validate(pasted: String(wrapped), pending: pending())) == answer.wanted)
  }

  static let pasted = [
    Answer("query alone", "code=abc&state=\(state)", .code("abc")),
    Answer("query, state first", "state=\(state)&code=abc", .code("abc")),
    Answer("query with its mark", "?code=abc&state=\(state)", .code("abc")),
    Answer("code of a URL without state", "http://127.0.0.1/callback?code=abc", .stray),
    Answer("code of a query without state", "code=abc", .stray),
    Answer("error of a query without state", "error=access_denied", .stray),
    Answer("code of another login", "http://127.0.0.1/callback?code=abc&state=other", .stray),
    Answer("the login page itself", "https://id.acme.example/authorize", .stray),
    Answer("bare code", " 4/0AbC-d_e~f \n", .code("4/0AbC-d_e~f")),
    Answer("bare code with padding", "YWJj==", .code("YWJj==")),
    Answer("blank", " \t\n", .stray), Answer("nothing", "", .stray),
    Answer("a book", String(repeating: "x", count: 8193), .stray),
    Answer("a word with a control character", "ab\u{1B}c", .stray), Answer("a word of another script", "åbc", .stray),
  ]

  @Test(arguments: pasted) func `what was pasted is judged`(_ answer: Answer) {
    #expect(read(AuthorizationResponse.validate(pasted: answer.text, pending: pending())) == answer.wanted)
  }

  struct Issuer: CustomTestStringConvertible, Sendable {
    let id: String
    let parameter: String
    let expected: String?
    let isRequired: Bool
    let wanted: Wanted

    var testDescription: String { id }
  }

  static let issuers = [
    Issuer(id: "same", parameter: "&iss=https%3A%2F%2Fa", expected: "https://a", isRequired: false, wanted: .code("c")),
    Issuer(
      id: "same, promised", parameter: "&iss=https%3A%2F%2Fa", expected: "https://a", isRequired: true,
      wanted: .code("c")),
    Issuer(
      id: "other", parameter: "&iss=https%3A%2F%2Fb", expected: "https://a", isRequired: false,
      wanted: .otherIssuer("https://b")),
    Issuer(
      id: "slash more", parameter: "&iss=https%3A%2F%2Fa%2F", expected: "https://a", isRequired: false,
      wanted: .otherIssuer("https://a/")),
    Issuer(id: "empty", parameter: "&iss=", expected: "https://a", isRequired: false, wanted: .otherIssuer("")),
    Issuer(id: "missing, not promised", parameter: "", expected: "https://a", isRequired: false, wanted: .code("c")),
    Issuer(id: "missing, promised", parameter: "", expected: "https://a", isRequired: true, wanted: .otherIssuer(nil)),
    Issuer(id: "unknown here", parameter: "&iss=https%3A%2F%2Fb", expected: nil, isRequired: false, wanted: .code("c")),
  ]

  @Test(arguments: issuers) func `an issuer is compared whenever it is named, byte for byte`(_ row: Issuer) {
    let pending = pending(issuer: row.expected, requiresIssuer: row.isRequired)
    for answer in ["code=c", "error=access_denied&code=c"] {
      let outcome = read(
        AuthorizationResponse.validate(query: "\(answer)&state=\(Self.state)\(row.parameter)", pending: pending))
      if case .otherIssuer(let named) = row.wanted, answer == "code=c" || named != nil {
        #expect(outcome == row.wanted)
      } else if answer == "code=c" {
        #expect(outcome == row.wanted)
      } else {
        #expect(outcome == .server("access_denied", nil))
      }
    }
  }

  @Test func `an error that names no issuer is what it says, and ends nothing without the state`() {
    let pending = pending(issuer: "https://a", requiresIssuer: true)
    func judge(_ query: String) -> Wanted { read(AuthorizationResponse.validate(query: query, pending: pending)) }
    func judge(pasted text: String) -> Wanted { read(AuthorizationResponse.validate(pasted: text, pending: pending)) }
    let denied = "error=access_denied&error_description=no"
    #expect(judge("\(denied)&state=\(Self.state)") == .server("access_denied", "no"))
    #expect(judge(pasted: "http://127.0.0.1/callback?\(denied)&state=\(Self.state)") == .server("access_denied", "no"))
    for stray in [denied, "\(denied)&state=", "\(denied)&state=x", "\(denied)&state=x&state=\(Self.state)"] {
      #expect(judge(stray) == .stray && judge(pasted: stray) == .stray)
    }
    #expect(judge("\(denied)&iss=https%3A%2F%2Fb&state=\(Self.state)") == .otherIssuer("https://b"))
    #expect(judge("error=&state=\(Self.state)") == .otherIssuer(nil), "no error, and no issuer")
    #expect(judge("state=\(Self.state)") == .otherIssuer(nil))
    #expect(judge("error=&code=c&state=\(Self.state)") == .otherIssuer(nil))
  }

  @Test func `a code carries the verifier and the redirect URI of its login`() {
    guard case .code(let code) = AuthorizationResponse.validate(query: "code=c&state=\(Self.state)", pending: pending())
    else {
      Issue.record("no code")
      return
    }
    #expect(code.verifier == Secret("QEFCQ0RFRkdISUpLTE1OT1BRUlNUVVZXWFlaW1xdXl8"))
    #expect(code.redirectURI == "http://127.0.0.1:4711/callback")
    guard
      case .code(let bare) = AuthorizationResponse.validate(
        query: "code=c&state=\(Self.state)", pending: pending(method: .none))
    else {
      Issue.record("no code")
      return
    }
    #expect(bare.verifier == nil)
  }

  private func pending(
    issuer: String? = nil, requiresIssuer: Bool = false, method: CodeChallengeMethod = .s256
  ) -> PendingAuthorization {
    PendingAuthorization(
      random: Sample.random(96), method: method, usesOpenID: false, redirectURI: "http://127.0.0.1:4711/callback",
      issuer: issuer, requiresIssuer: requiresIssuer)
  }

  private func read(_ outcome: CallbackOutcome) -> Wanted {
    switch outcome {
    case .code(let code): .code(code.code.reveal())
    case .failure(.server(let error)): .server(error.code ?? "", error.description)
    case .failure(.issuerMismatch(_, let got)): .otherIssuer(got)
    case .failure(.incomplete), .failure(.repeated), .failure(.unusable): .incomplete
    case .stray: .stray
    }
  }
}

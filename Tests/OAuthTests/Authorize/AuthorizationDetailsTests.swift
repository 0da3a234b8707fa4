import Testing

@testable import OAuth

/// What is asked for in more words than a scope has (RFC 9396).
@Suite struct AuthorizationDetailsTests {
  /// RFC 9396 section 2.
  static let example = #"""
    [
       {
          "type": "payment_initiation",
          "actions": [
             "initiate",
             "status",
             "cancel"
          ],
          "locations": [
             "https://example.com/payments"
          ],
          "instructedAmount": {
             "currency": "EUR",
             "amount": "123.50"
          },
          "creditorName": "Merchant A",
          "creditorAccount": {
             "iban": "DE02100100109307118603"
          },
          "remittanceInformationUnstructured": "Ref Number Merchant"
       }
    ]
    """#

  @Test func `the example of RFC 9396 loses its white space and nothing else`() throws {
    let details = try AuthorizationDetails(parsing: Self.example)
    #expect(details.types == ["payment_initiation"])
    #expect(
      details.text
        == #"[{"type":"payment_initiation","actions":["initiate","status","cancel"],"#
        + #""locations":["https://example.com/payments"],"#
        + #""instructedAmount":{"currency":"EUR","amount":"123.50"},"creditorName":"Merchant A","#
        + #""creditorAccount":{"iban":"DE02100100109307118603"},"#
        + #""remittanceInformationUnstructured":"Ref Number Merchant"}]"#)
    #expect(try AuthorizationDetails(parsing: details.text) == details)
  }

  @Test func `numbers, escapes and the order of members stay as they are written`() throws {
    let text = #"[ {"type" : "a", "z": 1.50, "a": 1e2, "big": 12345678901234567890, "t": " \" \\ é\u00e9 "} ]"#
    let details = try AuthorizationDetails(parsing: "\u{FEFF}" + text)
    #expect(details.text == #"[{"type":"a","z":1.50,"a":1e2,"big":12345678901234567890,"t":" \" \\ é\u00e9 "}]"#)
  }

  @Test func `several objects have their types in order`() throws {
    let details = try AuthorizationDetails(
      parsing: #"[{"type": "b", "identifier": "x", "privileges": [], "datatypes": ["d"]}, {"type": "a"}]"#)
    #expect(details.types == ["b", "a"])
  }

  struct Wrong: CustomTestStringConvertible, Sendable {
    let text: String
    let problem: AuthorizationDetails.Problem
    let sentence: String
    var testDescription: String { text }

    init(_ text: String, _ problem: AuthorizationDetails.Problem, _ sentence: String) {
      (self.text, self.problem, self.sentence) = (text, problem, sentence)
    }
  }

  private static func object(_ index: Int, _ line: Int, _ problem: String, _ text: String) -> Wrong {
    Wrong(
      text, .object(index, line: line, problem: problem), "are wrong in object \(index), line \(line): it \(problem)")
  }

  static let wrong = [
    Wrong("{}", .notAnArray, "must be a JSON array of objects"),
    Wrong("[]", .notAnArray, "must be a JSON array of objects"),
    Wrong(#"["a"]"#, .notAnArray, "must be a JSON array of objects"),
    Wrong(#"[{"type": "a"}, 1]"#, .notAnArray, "must be a JSON array of objects"),
    Wrong(
      "[\n{,", .syntax(detail: "a name in double quotes expected, not ,", line: 2),
      "are no JSON, line 2: a name in double quotes expected, not ,"),
    Wrong(
      "[{\"type\": \"a\",\n\"type\": \"b\"}]", .syntax(detail: "type is there twice", line: 2),
      "are no JSON, line 2: type is there twice"),
    object(1, 1, "needs a type, which is a string", "[{}]"),
    object(1, 1, "needs a type, which is a string", #"[{"type": ""}]"#),
    object(2, 2, "needs a type, which is a string", "[{\"type\": \"a\"},\n{\"type\": 1}]"),
    object(1, 1, "has actions that are no list of strings", #"[{"type": "a", "actions": "read"}]"#),
    object(1, 1, "has locations that are no list of strings", #"[{"type": "a", "locations": [1]}]"#),
    object(1, 1, "has an identifier that is no string", #"[{"type": "a", "identifier": 1}]"#),
  ]

  @Test(arguments: wrong) func `what is wrong is said with its place`(_ row: Wrong) {
    let error = #expect(throws: AuthorizationDetails.Problem.self) { try AuthorizationDetails(parsing: row.text) }
    #expect(error == row.problem && error?.sentence == row.sentence)
  }

  @Test func `a text that no request bears is refused`() {
    let text = #"[{"type": "\#(String(repeating: "a", count: 32 * 1024))"}]"#
    let error = #expect(throws: AuthorizationDetails.Problem.self) { try AuthorizationDetails(parsing: text) }
    #expect(error == .tooLong(limit: 32768) && error?.sentence == "are longer than 32 KiB")
  }
}

import Foundation
import OAuth
import Testing

struct JSONValueTests {
  static let texts: [(text: String, value: JSONValue)] = [
    ("null", .null), ("true", .bool(true)), ("false", .bool(false)), ("0", .integer(0)), ("1", .integer(1)),
    ("-7", .integer(-7)), ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
    ("1.5", .number(1.5)), ("99999999999999999999", .number(1e20)), (#""1""#, .string("1")), (#""""#, .string("")),
    (#""é\u0000😀""#, .string("é\u{0}😀")), ("[]", .array([])), ("{}", .object([:])),
    (#"[1,[null],{"a":"b"}]"#, .array([.integer(1), .array([.null]), .object(["a": .string("b")])])),
  ]

  @Test(arguments: texts) func `a value keeps its type, there and back`(_ row: (text: String, value: JSONValue)) throws
  {
    #expect(JSONValue(parsing: Array(row.text.utf8)) == row.value)
    #expect(try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(row.value)) == row.value)
  }

  @Test(arguments: ["", " ", "{", "nul", "1 2", "'a'", "NaN", "[1 2]", "\u{FEFF}\u{FEFF}1"])
  func `what is no JSON is nothing`(_ text: String) {
    #expect(JSONValue(parsing: Array(text.utf8)) == nil)
  }

  @Test func `a string is plain text, anything else is JSON with sorted keys and bare slashes`() {
    #expect(JSONValue.string("a\"b").plainText == "a\"b")
    #expect(JSONValue.integer(5).plainText == "5" && JSONValue.bool(true).plainText == "true")
    #expect(JSONValue.object(["b": .string("https://h/"), "a": .null]).plainText == #"{"a":null,"b":"https://h/"}"#)
    #expect(JSONValue.number(.nan).plainText == "null")
    #expect(JSONValue(parsing: Array("[1e400,-1e400]".utf8)) == .array([.string("1e400"), .string("-1e400")]))
  }

  @Test func `text and members are given of what has them`() {
    #expect(JSONValue.string("a").text == "a" && JSONValue.integer(1).text == nil && JSONValue.null.text == nil)
    #expect(JSONValue.object(["a": .null]).members == ["a": .null] && JSONValue.array([]).members == nil)
  }
}

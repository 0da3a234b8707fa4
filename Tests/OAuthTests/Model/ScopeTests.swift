import Testing

@testable import OAuth

struct ScopeTests {
  @Test(arguments: [
    ("", []), (" , ,", []), ("a", ["a"]), ("a b", ["a", "b"]), ("a,b", ["a", "b"]), ("a, b", ["a", "b"]),
    ("  a   b ", ["a", "b"]), ("a\tb\nc\r\nd", ["a", "b", "c", "d"]), ("b a b", ["b", "a"]),
    ("https://h/auth/x.read openid", ["https://h/auth/x.read", "openid"]), ("a+b a:b", ["a+b", "a:b"]),
  ]) func `a list is split at blanks and commas, repeats dropped`(_ text: String, _ scopes: [String]) {
    #expect(Scope.split(text) == scopes)
  }

  static let replies: [(value: JSONValue?, scopes: [String]?)] = [
    (nil, nil), (.null, nil), (.string(""), nil), (.string(" "), nil), (.string("a b"), ["a", "b"]),
    (.string("repo,user"), ["repo", "user"]), (.array([.string("a"), .string("b")]), ["a", "b"]),
    (.array([.string("a b"), .string("b,c")]), ["a", "b", "c"]), (.array([]), nil), (.array([.integer(1)]), nil),
    (.array([.null, .string("a")]), ["a"]), (.integer(1), nil), (.object(["a": .bool(true)]), nil),
  ]

  @Test(arguments: replies) func `a reply says it as text or as a list, or not at all`(
    _ row: (value: JSONValue?, scopes: [String]?)
  ) {
    #expect(Scope.read(row.value) == row.scopes)
  }
}

import OAuth
import Testing

struct FormEncodingTests {
  @Test func `the example of RFC 6749 appendix B`() {
    // A space, a percent sign, an ampersand, a plus, a pound sign and a euro sign.
    #expect(FormEncoding.encode(" %&+£€") == "+%25%26%2B%C2%A3%E2%82%AC")
    #expect(FormEncoding.encodeForQuery(" %&+£€") == "%20%25%26%2B%C2%A3%E2%82%AC")
    #expect(FormEncoding.decode("a=+%25%26%2B%C2%A3%E2%82%AC") == [Parameter("a", " %&+£€")])
  }

  @Test func `what is unreserved stays bare, all else is encoded`() {
    let bare = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
    #expect(FormEncoding.encode(bare) == bare)
    for byte in UInt8(0)..<0x80 where !bare.utf8.contains(byte) && byte != 0x20 {
      let encoded = FormEncoding.encode(String(Unicode.Scalar(byte)))
      #expect(encoded.utf8.count == 3 && encoded.hasPrefix("%"))
    }
    #expect(FormEncoding.encode("\n") == "%0A" && FormEncoding.encode("\u{0}") == "%00")
  }

  @Test func `an accent after a separator does not hide it`() {
    let decoded = FormEncoding.decode("a=\u{301}b&\u{301}c=d")
    #expect(decoded == [Parameter("a", "\u{301}b"), Parameter("\u{301}c", "d")])
  }

  @Test func `names and values are encoded, order and repeats kept`() {
    let parameters = [
      Parameter("a b", "=&"), Parameter("resource", "x"), Parameter("resource", "y"), Parameter("e", ""),
    ]
    #expect(FormEncoding.encode(parameters) == "a+b=%3D%26&resource=x&resource=y&e=")
    #expect(FormEncoding.decode(FormEncoding.encode(parameters)) == parameters)
    #expect(FormEncoding.encode([Parameter]()) == "")
  }

  @Test func `any text comes back from both encodings`() {
    let alphabet = Array("aZ0-._~ +%&=?#/:;é€😀\u{0}\n\"'<>\\")
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<500 {
      let text = { (length: Int) in
        String((0..<length).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &generator)] })
      }
      // A part without a name would be no part.
      let parameters = (1...4).map { _ in Parameter("n" + text(3), text(8)) }
      #expect(FormEncoding.decode(FormEncoding.encode(parameters)) == parameters)
      let url = FormEncoding.url("https://h/p", adding: parameters)
      #expect(FormEncoding.decode(url.dropFirst("https://h/p?".count)) == parameters)
    }
  }

  @Test(arguments: [
    ("", []), ("&&", []), ("a", [Parameter("a", "")]), ("a=", [Parameter("a", "")]), ("=b", [Parameter("", "b")]),
    ("a=b=c", [Parameter("a", "b=c")]), ("a=%4", [Parameter("a", "%4")]), ("a=%", [Parameter("a", "%")]),
    ("a=%zz%41", [Parameter("a", "%zzA")]), ("a=%E9", [Parameter("a", "\u{FFFD}")]),
    ("a=%c3%a9", [Parameter("a", "é")]),
    ("a+b=c+d", [Parameter("a b", "c d")]), ("a=1&a=2", [Parameter("a", "1"), Parameter("a", "2")]),
  ]) func `a query is decoded as it stands`(_ text: String, _ parameters: [Parameter]) {
    #expect(FormEncoding.decode(text) == parameters)
  }

  @Test(arguments: [
    ("https://h/p", "https://h/p?a=b%20c"), ("https://h/p?", "https://h/p?a=b%20c"),
    ("https://h/p?x=1", "https://h/p?x=1&a=b%20c"), ("https://h/p?x=1&", "https://h/p?x=1&a=b%20c"),
    ("https://h/p#top", "https://h/p?a=b%20c#top"), ("https://h/p?x=1#top", "https://h/p?x=1&a=b%20c#top"),
    ("https://h/p#?x", "https://h/p?a=b%20c#?x"), ("https://h", "https://h?a=b%20c"), ("", "?a=b%20c"),
  ]) func `parameters join the query that a URL has, before its fragment`(_ base: String, _ url: String) {
    #expect(FormEncoding.url(base, adding: [Parameter("a", "b c")]) == url)
    #expect(FormEncoding.url(base, adding: []) == base)
  }
}

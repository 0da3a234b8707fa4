import Crypto
import OAuth
import Testing

/// What a person may not see, in every dress that it comes in.
struct RedactorTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let id: String
    let text: String
    let redacted: String

    init(_ id: String, _ text: String, _ redacted: String) {
      (self.id, self.text, self.redacted) = (id, text, redacted)
    }

    var testDescription: String { id }
  }

  static let known: [Case] = [
    Case("form", "grant_type=authorization_code&code=a%26b&x=1", "grant_type=authorization_code&code=[redacted]&x=1"),
    Case("form at the end", "username=me&password=hunter2", "username=me&password=[redacted]"),
    Case("form, empty value", "code=&x=1", "code=&x=1"),
    Case(
      "query and fragment", "https://h/cb?code=abc&state=s#access_token=t",
      "https://h/cb?code=[redacted]&state=[redacted]#access_token=[redacted]"),
    Case(
      "query in a query", "u=https%3A%2F%2Fh%2Fcb%3Fcode%3Dabc%26ok%3D1",
      "u=https%3A%2F%2Fh%2Fcb%3Fcode%3D[redacted]%26ok%3D1"),
    Case("query twice encoded", "u=x%253Fcode%253Dabc%2526ok", "u=x%253Fcode%253D[redacted]%2526ok"),
    Case("html", "<a href=\"/cb?code=abc&amp;state=s\">", "<a href=\"/cb?code=[redacted]&amp;state=[redacted]\">"),
    Case(
      "json", #"{"access_token":"abc","token_type":"Bearer","expires_in":3600}"#,
      #"{"access_token":"[redacted]","token_type":"Bearer","expires_in":3600}"#),
    Case("json with blanks", "{ \"refresh_token\" :\n \"abc\" }", "{ \"refresh_token\" :\n \"[redacted]\" }"),
    Case("json, escaped quote", #"{"password":"a\"b\\","x":"y"}"#, #"{"password":"[redacted]","x":"y"}"#),
    Case("json, escaped name", #"{"access\u005ftoken":"abc"}"#, #"{"access\u005ftoken":"[redacted]"}"#),
    Case(
      "json, nested", #"{"authed_user":{"id":"U1","access_token":"abc"}}"#,
      #"{"authed_user":{"id":"U1","access_token":"[redacted]"}}"#),
    Case(
      "json in a string", #"{"body":"{\"id_token\":\"abc\",\"n\":1}"}"#,
      #"{"body":"{\"id_token\":\"[redacted]\",\"n\":1}"}"#),
    Case(
      "json in a query", "claims=%7B%22client_secret%22%3A%22a%5C%22b%22%7D",
      "claims=%7B%22client_secret%22%3A%22[redacted]%22%7D"),
    Case("json list", #"{"tokens":["a","]b"],"n":1}"#, #"{"tokens":[redacted],"n":1}"#),
    Case("json number", #"{"otp":123456,"code":400,"n":1}"#, #"{"otp":[redacted],"code":400,"n":1}"#),
    Case("json null", #"{"refresh_token":null}"#, #"{"refresh_token":null}"#),
    Case("json broken off", #"{"access_token":"abc"#, #"{"access_token":"[redacted]"#),
    Case(
      "camel case", #"{"accessToken":"a","clientSecret":"b"}"#,
      #"{"accessToken":"[redacted]","clientSecret":"[redacted]"}"#),
    Case("python", "{'access_token': 'abc'}", "{'access_token': '[redacted]'}"),
    Case(
      "any _token", #"{"page_token":"abc","x_secret":"def"}"#, #"{"page_token":"[redacted]","x_secret":"[redacted]"}"#),
    Case("authorization", "> Authorization: Bearer abc def", "> Authorization: Bearer [redacted]"),
    Case("authorization, raw", "authorization: abcdef", "authorization: [redacted]"),
    Case("cookie", "< Set-Cookie: a=b; Path=/", "< Set-Cookie: [redacted]"),
    Case("lines", "DPoP: abc\r\nHost: h", "DPoP: [redacted]\r\nHost: h"),
    Case("own header", "X-Auth-Token: abc", "X-Auth-Token: [redacted]"),
    Case("bearer in a sentence", "got Bearer abcdef0123456789 here", "got Bearer [redacted] here"),
    Case("jwt of any name", #"{"x":"eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.c2ln"}"#, #"{"x":"[redacted]"}"#),
    Case("user in a url", "via http://me:pw@proxy:80/ now", "via http://[redacted]@proxy:80/ now"),
    Case("setting", "oauth.client_secret = abc", "oauth.client_secret = [redacted]"),
    Case("a name at a value's end", "token=password: hunter2 ok", "token=[redacted] [redacted] ok"),
    Case("signature", "code_challenge=x&signature=abc", "code_challenge=x&signature=[redacted]"),
    Case("subscription", "Ocp-Apim-Subscription-Key: abc", "Ocp-Apim-Subscription-Key: [redacted]"),
    Case("html, numbers", "code&#61;abc&#x26;state=s", "code&#61;[redacted]&#x26;state=[redacted]"),
    Case("done before", "access_token=[redacted]&code=[redacted]", "access_token=[redacted]&code=[redacted]"),
  ]

  static let markup: [Case] = [
    Case(
      "elements", "<r><access_token>abc</access_token><scope>a b</scope></r>",
      "<r><access_token>[redacted]</access_token><scope>a b</scope></r>"),
    Case(
      "prefix, attributes, lines", "<o:RefreshToken xmlns:o='x' type=\"a\">\n  abc\n</o:RefreshToken> ok",
      "<o:RefreshToken xmlns:o='x' type=\"a\">\n  [redacted]\n</o:RefreshToken> ok"),
    Case("cdata", "<token><![CDATA[a<b]]></token><n>1</n>", "<token><![CDATA[[redacted]]]></token><n>1</n>"),
    Case(
      "element in an element", "<password><value>abc</value></password>",
      "<password><value>[redacted]</value></password>"),
    Case(
      "empty element", "<token></token><n>1</n><token/>x<token><n/></token>y",
      "<token></token><n>1</n><token/>x<token><n/></token>y"),
    Case("attribute", #"<login session-token = 'abc' n="1"/>"#, #"<login session-token = '[redacted]' n="1"/>"#),
    Case("value", #"<access_token n="1" value="abc"/>"#, #"<access_token n="1" value="[redacted]"/>"#),
    Case(
      "hidden input", #"<input type="hidden" value="abc" name="access_token"> ok <input value=abc name=code>"#,
      #"<input type="hidden" value="[redacted]" name="access_token"> ok <input value=[redacted] name=code>"#),
    Case("meta", #"<meta content="abc" name="csrf-token">"#, #"<meta content="[redacted]" name="csrf-token">"#),
    Case("param", #"<param name="client_secret">abc</param>"#, #"<param name="client_secret">[redacted]</param>"#),
    Case(
      "property list", "<key>access_token</key>\n<string>abc</string><key>n</key><string>1</string>",
      "<key>access_token</key>\n<string>[redacted]</string><key>n</key><string>1</string>"),
    Case("table", "<tr><td>token</td><td>abc</td></tr>", "<tr><td>token</td><td>[redacted]</td></tr>"),
    Case(
      "escaped", "&lt;access_token&gt;abc&lt;/access_token&gt;", "&lt;access_token&gt;[redacted]&lt;/access_token&gt;"),
    Case(
      "in json", #"{"x":"<access_token>abc<\/access_token>"}"#, #"{"x":"<access_token>[redacted]<\/access_token>"}"#),
    Case("broken off", "<r><access_token>abc", "<r><access_token>[redacted]"),
    Case("authorization code", "<code>4/0AX4XfWh</code>", "<code>[redacted]</code>"),
  ]

  static let repeated: [Case] = [
    Case("behind json", #"{"access_token":"at-abc1"} at-abc1"#, #"{"access_token":"[redacted]"} [redacted]"#),
    Case("before json", #"at-abc1 {"access_token":"at-abc1"}"#, #"[redacted] {"access_token":"[redacted]"}"#),
    Case("other name", "a=at%2Fabc1 token=at/abc1", "a=[redacted] token=[redacted]"),
    Case("escaped where it is named", #"<at/abc"1> {"token":"at\/abc\"1"}"#, #"<[redacted]> {"token":"[redacted]"}"#),
    Case("markup", "<a>at-abc1</a><token>at-abc1</token>", "<a>[redacted]</a><token>[redacted]</token>"),
    Case("hexadecimal", "token=at-abc1 61742d61626331 0061742D61626331", "token=[redacted] [redacted] 00[redacted]"),
    Case("hexadecimal, capitals", "token=joklmn? x6A6F6B6C6D6E3F", "token=[redacted] x[redacted]"),
    Case("base64", "token=at-abc1 YXQtYWJjMQ==", "token=[redacted] [redacted]=="),
    Case("list", #"{"tokens":["at-abc1","at-abc2"]} at-abc2"#, #"{"tokens":[redacted]} [redacted]"#),
    Case(
      "words stay", "state=expired: it has expired, code=invalid_grant invalid_grant",
      "state=[redacted] it has expired, code=[redacted] invalid_grant"),
  ]

  static let harmless: [Case] = [
    Case("error in xml", "<Error><Code>AccessDenied</Code><Message>No</Message></Error><code>404</code>", ""),
    Case(
      "page", "<h1>Code</h1><p>Sign in <a href=\"/token\">here</a> 1 < 2</p><label for=\"password\">Word</label>", ""),
    Case("sentence", "the code is invalid: bad state: mismatch", ""),
    Case("names as values", "response_type=code&scope=token", ""),
    Case(
      "lists of names", #"{"grant_types_supported":["authorization_code","refresh_token"],"x":["code","token"]}"#, ""),
    Case("challenge", "code_challenge_method=S256&token_type=Bearer", ""),
    Case("endpoints", #"{"token_endpoint":"https://h/token","id_token_signing_alg_values_supported":["ES256"]}"#, ""),
    Case("bearer authentication", "WWW-Authenticate: Bearer realm=\"x\", bearer authentication", ""),
    Case("address", "write to me@example.org about https://example.org/@me", ""),
    Case("umlauts", "schöne Grüße 🙂 %zz \\", ""),
    Case("empty", "", ""),
  ]

  @Test(arguments: known + markup)
  func `the value of a known name is taken out`(_ example: Case) {
    #expect(Redactor().redact(example.text) == example.redacted)
  }

  @Test(arguments: known + markup + repeated)
  func `redacting twice changes nothing more`(_ example: Case) {
    #expect(Redactor().redact(example.redacted) == example.redacted)
  }

  @Test(arguments: repeated)
  func `what is found by its name is taken out everywhere in the text`(_ example: Case) {
    #expect(Redactor().redact(example.text) == example.redacted)
  }

  @Test func `what is found by its name in a text is taken out of later ones`() {
    let redactor = Redactor()
    _ = redactor.redact("<access_token>at-abc1</access_token>")
    redactor.learn(from: "refresh_token=rt-abc1")
    #expect(redactor.redact("at-abc1, rt-abc1") == "[redacted], [redacted]")
  }

  @Test(.timeLimit(.minutes(1)))
  func `of a text with more secrets than can be looked for nothing is shown`() {
    let many = (0..<4000).map { "token=a\($0)aaaaaa" }.joined(separator: "&")
    #expect(Redactor().redact(many) == "[redacted]")
    let alike = (1...300).map { "token=" + String(repeating: "a", count: 100 + $0) }.joined(separator: "&")
    #expect(Redactor().redact(alike) == "[redacted]")
  }

  @Test(arguments: harmless)
  func `what is no secret stays`(_ example: Case) {
    #expect(Redactor().redact(example.text) == example.text)
  }

  static let value = #"s3cr+t /"ü🙂%41\end"#
  static let dresses: [Case] = [
    Case("raw", value, ""),
    Case("form", "s3cr%2Bt+%2F%22%C3%BC%F0%9F%99%82%2541%5Cend", ""),
    Case("percent, lower case", "s3cr%2bt%20%2f%22%c3%bc%f0%9f%99%82%2541%5cend", ""),
    Case("percent, twice", "s3cr%252Bt%2520%252F%2522%25C3%25BC%25F0%259F%2599%2582%252541%255Cend", ""),
    Case("json", #"s3cr+t \/\"ü🙂%41\\end"#, ""),
    Case("json, ascii alone", #"s3cr+t /\"\u00fc\ud83d\ude42%41\\end"#, ""),
    Case("json in json", #"s3cr+t /\\\"ü🙂%41\\\\end"#, ""),
    Case("script", #"\x733cr+t /"ü🙂%41\\end"#, ""),
    Case("html", #"s3cr&#43;t &sol;&quot;&#xfc;&#128578;&percnt;41\end"#, ""),
    Case("html in json", #"s3cr+t \/&quot;ü🙂%41\\end"#, ""),
    Case("in lines", "s3cr+\r\n\tt /\"\nü🙂%4\n  1\\end", ""),
  ]

  @Test(arguments: dresses)
  func `a live value is found in every encoding`(_ dress: Case) {
    let redactor = Redactor()
    redactor.register(Secret(Self.value))
    #expect(redactor.redact("<\(dress.text)>") == "<[redacted]>")
  }

  @Test(arguments: ["", "a", "id:", "client:"], ["", "x", ":yz"])
  func `a live value is found inside base64`(before: String, after: String) {
    let redactor = Redactor()
    redactor.register(Secret("correct-horse\u{3F}battery"))
    let bytes = Array("\(before)correct-horse?battery\(after)".utf8)
    for text in [Base64URL.encode(bytes), Base64URL.encodeClassic(bytes)] {
      let shown = redactor.redact("x=\(text)")
      #expect(shown == "x=[redacted]" || shown == "x=[redacted]=" || shown == "x=[redacted]==")
    }
  }

  @Test(arguments: ["", "a", "ab"])
  func `the shortest live value is found inside base64`(before: String) {
    let redactor = Redactor()
    redactor.register(Secret("Jmmmmm"))
    #expect(redactor.redact(Base64URL.encode(Array("\(before)Jmmmmm".utf8))) == "[redacted]")
  }

  @Test func `a value too short to be told from other text is not looked for`() {
    let redactor = Redactor()
    redactor.register(Secret("12345"))
    redactor.register(Secret("123456"))
    #expect(redactor.redact("12345 123456 1234567") == "12345 [redacted] [redacted]7")
  }

  @Test func `values that touch or overlap are one`() {
    let redactor = Redactor()
    for value in ["abcdef", "defghi", "ghijkl"] { redactor.register(Secret(value)) }
    #expect(redactor.redact("abcdefghijkl-abcdefabcdef") == "[redacted]-[redacted]")
  }

  @Test func `a fingerprint is the same wherever the value stands`() {
    let token = "correct-horse+battery/staple=="
    let name = "[redacted](\(Secret(token).fingerprint))"
    let redactor = Redactor()
    let rows = [
      ("refresh_token=correct-horse%2Bbattery%2Fstaple%3D%3D&x=1", "refresh_token=\(name)&x=1"),
      (#"{"access_token":"correct-horse+battery\/staple=="}"#, #"{"access_token":"\#(name)"}"#),
      ("Authorization: Bearer \(token)", "Authorization: Bearer \(name)"),
    ]
    for row in rows { #expect(redactor.redact(row.0, fingerprints: true) == row.1) }
    redactor.register(Secret(token))
    for row in rows { #expect(redactor.redact(row.0, fingerprints: true) == row.1) }
    #expect(redactor.redact("bare \(token)", fingerprints: true) == "bare \(name)")
  }

  static let unnamed = [
    "code=short", "password=a-rather-long-passphrase", "user_code=ABCD-EFGH-IJKL-MNOP",
    "Cookie: id=0123456789abcdef0123",
    "http://me:a-rather-long-passphrase@proxy/",
  ]

  @Test(arguments: unnamed)
  func `what could be guessed gets no fingerprint`(_ text: String) {
    let shown = Redactor().redact(text, fingerprints: true)
    #expect(shown.contains("[redacted]") && !shown.contains("]("))
  }

  @Test func `what a request sends is known in whatever comes back`() {
    let body = "grant_type=refresh_token&refresh_token=rt-123456&password=hunter22&scope=unharmed"
    let request = HTTPRequest(
      method: .post, url: "https://h/t?client_secret=in%2Bquery",
      headers: [
        HTTPHeader("Authorization", "Basic " + Base64URL.encodeClassic("id:ba%2Bsic pass".utf8)),
        HTTPHeader("X-Api-Key", "key-123456"),
      ], body: Secret(body))
    let redactor = Redactor()
    redactor.learn(from: request)
    let shown = redactor.redact("rt-123456, hunter22, unharmed, in+query, ba%2Bsic pass, ba+sic pass, key-123456")
    #expect(shown == "[redacted], [redacted], unharmed, [redacted], [redacted], [redacted], [redacted]")
  }

  @Test(
    .timeLimit(.minutes(1)),
    arguments: [
      "token=", #"{"token":"#, "code=%26", "Bearer ", "://a@", "eyJ.", "\\\"'", "<token>", "<token a=\"",
      "<![CDATA[", "<token><![CDATA[", "<td>token", "<input name=token value=",
      "-----BEGIN PRIVATE KEY-----", "_eyJ", "Bearer a=",
    ])
  func `a hostile text takes no time that grows with its square`(_ piece: String) {
    let redactor = Redactor()
    redactor.register(Secret("a-live-value"))
    #expect(!redactor.redact(String(repeating: piece, count: (64 << 10) / piece.utf8.count)).contains("a-live-value"))
  }

  @Test func `no value of a thousand broken texts is seen`() {
    // Every prefix of a text that nests all the dresses: a cut may fall anywhere.
    let text = #"{"a":"code=VALUE1&b","b":"{\"c\":\"{\\\"token\\\":\\\"VALUE2\\\"}\"}","u":"x%3Fstate%3DVALUE3%26y"}"#
    for end in text.indices {
      let shown = Redactor().redact(String(text[..<end]))
      #expect(!["VALUE1", "VALUE2", "VALUE3"].contains { shown.contains($0) }, "\(shown)")
    }
  }
}

import Testing

@testable import OAuth

@Suite struct WebURLTests {
  struct Reading: Sendable, CustomTestStringConvertible {
    let id: String
    let text: String
    let host: String
    var port: Int?
    var rest = ""
    var isAcceptable = true
    var testDescription: String { id }
  }

  static let read: [Reading] = [
    .init(id: "plain", text: "https://example.com", host: "example.com"),
    .init(id: "path", text: "https://example.com/a/b?c=d#e", host: "example.com", rest: "/a/b?c=d#e"),
    .init(id: "query without path", text: "https://example.com?a@b:c", host: "example.com", rest: "?a@b:c"),
    .init(id: "fragment without path", text: "https://example.com#@evil.com", host: "example.com", rest: "#@evil.com"),
    .init(id: "at sign in the path", text: "https://example.com/users/@me", host: "example.com", rest: "/users/@me"),
    .init(id: "case", text: "HTTPS://Example.COM/A", host: "example.com", rest: "/A"),
    .init(id: "port", text: "https://example.com:8443/", host: "example.com", port: 8443, rest: "/"),
    .init(id: "highest port", text: "https://example.com:65535", host: "example.com", port: 65535),
    .init(id: "final dot", text: "https://example.com./", host: "example.com.", rest: "/"),
    .init(id: "underscore", text: "https://my_host.example.com", host: "my_host.example.com"),
    .init(id: "IPv6", text: "https://[2001:DB8::1]:443/", host: "[2001:db8::1]", port: 443, rest: "/"),
    .init(id: "http loopback", text: "http://127.0.0.1:8080/cb", host: "127.0.0.1", port: 8080, rest: "/cb"),
    .init(id: "http loopback by name", text: "http://LOCALHOST/", host: "localhost", rest: "/"),
    .init(id: "http loopback IPv6", text: "http://[::1]:3000", host: "[::1]", port: 3000),
    .init(id: "http last loopback", text: "http://127.255.255.255", host: "127.255.255.255"),
    .init(id: "http elsewhere", text: "http://example.com", host: "example.com", isAcceptable: false),
    .init(
      id: "http name of loopback", text: "http://localhost.example.com", host: "localhost.example.com",
      isAcceptable: false),
    .init(
      id: "http loopback as a label", text: "http://127.0.0.1.example.com", host: "127.0.0.1.example.com",
      isAcceptable: false),
    .init(id: "http localhost with a final dot", text: "http://localhost.", host: "localhost.", isAcceptable: false),
    .init(id: "http subdomain of localhost", text: "http://x.localhost", host: "x.localhost", isAcceptable: false),
    .init(id: "http short loopback", text: "http://127.1", host: "127.1", isAcceptable: false),
    .init(id: "http octal loopback", text: "http://0177.0.0.1", host: "0177.0.0.1", isAcceptable: false),
    .init(id: "http leading zero", text: "http://127.0.0.01", host: "127.0.0.01", isAcceptable: false),
    .init(id: "http minus zero", text: "http://127.0.0.-0", host: "127.0.0.-0", isAcceptable: false),
    .init(id: "http out of range", text: "http://127.0.0.256", host: "127.0.0.256", isAcceptable: false),
    .init(id: "http hexadecimal", text: "http://0x7f.0.0.1", host: "0x7f.0.0.1", isAcceptable: false),
    .init(id: "http one number", text: "http://2130706433", host: "2130706433", isAcceptable: false),
    .init(id: "http any address", text: "http://0.0.0.0", host: "0.0.0.0", isAcceptable: false),
    .init(
      id: "http mapped address", text: "http://[::ffff:127.0.0.1]", host: "[::ffff:127.0.0.1]", isAcceptable: false),
    .init(
      id: "http long IPv6 loopback", text: "http://[0:0:0:0:0:0:0:1]", host: "[0:0:0:0:0:0:0:1]", isAcceptable: false),
  ]

  @Test(arguments: read) func `a URL is read for what a browser and a library see in it`(_ reading: Reading) throws {
    let url = try #require(WebURL(reading.text))
    #expect(url.host == reading.host && url.port == reading.port && url.rest == reading.rest)
    #expect(WebURL.isAcceptable(reading.text) == reading.isAcceptable)
  }

  static let refused: [(id: String, text: String)] = [
    ("empty", ""), ("no scheme", "example.com"), ("scheme-relative", "//example.com"),
    ("other scheme", "ftp://example.com"),
    ("javascript", "javascript://example.com/%0aalert(1)"), ("file", "file:///etc/passwd"),
    ("scheme in front", "xhttps://a"),
    ("one slash", "https:/example.com"), ("no slash", "https:example.com"), ("three slashes", "https:///example.com"),
    ("no host", "https://"), ("port only", "https://:443"), ("query only", "https://?a"),
    ("user", "https://user@evil.com"), ("user and password", "https://example.com:x@evil.com"),
    ("empty user", "https://@evil.com"), ("host as user", "https://accounts.example.com%20@evil.com"),
    ("backslash", "https://evil.com\\@example.com"), ("backslashes", "https:\\\\example.com"),
    ("space", "https://exa mple.com"), ("leading space", " https://example.com"),
    ("trailing space", "https://example.com "),
    ("tab", "https://exam\tple.com"), ("line break", "https://example.com\n"),
    ("carriage return", "https://example.com\r\n/"),
    ("NUL", "https://example.com\0.evil.com"), ("delete", "https://example.com\u{7F}"),
    ("unicode host", "https://exämple.com"), ("fullwidth dot", "https://evil。com"),
    ("unicode path", "https://example.com/ä"),
    ("zero-width", "https://exam\u{200B}ple.com"), ("right to left", "https://\u{202E}moc.elpmaxe"),
    ("percent in host", "https://example.com%2f.evil.com"), ("encoded dot", "http://127.0.0.1%2eevil.com"),
    ("comma in host", "https://a,b"), ("semicolon in host", "https://a;b"), ("star", "https://*.example.com"),
    ("empty label", "https://example..com"), ("leading dot", "https://.example.com"), ("dots", "https://..."),
    ("dot", "https://."), ("empty port", "https://example.com:"), ("empty port and path", "https://example.com:/"),
    ("zero port", "https://example.com:0"), ("high port", "https://example.com:65536"),
    ("huge port", "https://example.com:99999999999999999999"), ("signed port", "https://example.com:+443"),
    ("negative port", "https://example.com:-1"), ("word port", "https://example.com:https"),
    ("two ports", "https://example.com:80:443"), ("bare IPv6", "https://::1"), ("open bracket", "https://[::1"),
    ("bracket without address", "https://[]"), ("name in brackets", "https://[example.com]"),
    ("text after bracket", "https://[::1]evil.com"), ("zone", "https://[fe80::1%25eth0]"),
    ("bracket in host", "https://a]b"), ("brace in host", "https://{host}"), ("second bracket", "https://[::1]]"),
  ]

  @Test(arguments: refused) func `what two readers could see two hosts in is no URL`(_ row: (id: String, text: String))
  {
    #expect(WebURL(row.text) == nil, "\(row.id)")
  }

  @Test func `a name of more than 253 characters is no host`() {
    let label = String(repeating: "a", count: 63)
    #expect(WebURL("https://" + [label, label, label, label].joined(separator: ".")) == nil)
    #expect(WebURL("https://" + [label, label, label].joined(separator: ".")) != nil)
  }

  @Test func `braces count as letters until they are filled`() {
    #expect(WebURL.isAcceptable("https://{host}/a") && WebURL.isAcceptable("https://example.com/{client_id}/token"))
    #expect(!WebURL.isAcceptable("http://{host}/a") && !WebURL.isAcceptable("http://127.0.0.{n}"))
  }
}

import TestSupport
import Testing

@testable import Flows

/// What a person pastes is held to the redirect URI, as a callback is.
struct PastedAddressTests {
  private static let loopback = "http://127.0.0.1:4711/callback"

  static let good: [(text: String, redirectURI: String)] = [
    ("http://127.0.0.1:4711/callback?code=c&state=s", loopback),
    ("HTTP://127.0.0.1:4711/callback?code=c&state=s", loopback), ("http://127.0.0.1:4711/call\n back?code=c", loopback),
    ("127.0.0.1:4711/callback?code=c&state=s", loopback), ("/callback?code=c&state=s", loopback),
    ("?code=c&state=s", loopback), ("#code=c&state=s", loopback), ("code=c&state=s", loopback), ("4/0Ab", loopback),
    ("4/0Ab#state", loopback), ("a:b/c", loopback),
    ("https://app.example/cb?x=1&code=c", "https://app.example/cb?x=1"),
    ("https://APP.example:443/cb#code=c", "https://app.example/cb"),
    ("http://localhost:80/?code=c", "http://localhost"), ("app.example:/cb?code=c", "app.example:/cb"),
    ("app.example://cb?code=c", "app.example://cb"),
    // It is shown on a page of the provider's own.
    ("https://id.acme.example/shown?code=c", "urn:ietf:wg:oauth:2.0:oob"),
  ]

  @Test(arguments: good) func `the redirect URI, and what has no address, can be the answer`(
    _ row: (text: String, redirectURI: String)
  ) {
    #expect(PastedAddress.fits(row.text, row.redirectURI))
  }

  static let bad: [(text: String, redirectURI: String)] = [
    ("http://evil.example/callback?code=c&state=s", loopback), ("https://127.0.0.1:4711/callback?code=c", loopback),
    ("http://127.0.0.1:4712/callback?code=c", loopback), ("http://127.0.0.1/callback?code=c", loopback),
    ("http://127.0.0.1:4711/other?code=c", loopback), ("http://127.0.0.1:4711/callback/?code=c", loopback),
    ("http://127.0.0.1:4711@evil.example/callback?code=c", loopback),
    ("http://127.0.0.1:4711.evil.example/callback?code=c", loopback), ("evil.example/callback?code=c", loopback),
    ("/other?code=c", loopback), ("http://localhost:4711/callback?code=c", loopback),
    ("http://evil.example/callback#code=c&state=s", loopback),
    ("https://app.example/Cb?code=c", "https://app.example/cb"),
    ("evil://cb?code=c", "app.example://cb"),
    ("https://evil.example/?code=c", "app.example:cb"), ("https://evil.example/cb?code=c", "app.example:/cb"),
  ]

  @Test(arguments: bad) func `another address is not`(_ row: (text: String, redirectURI: String)) {
    #expect(!PastedAddress.fits(row.text, row.redirectURI))
  }
}

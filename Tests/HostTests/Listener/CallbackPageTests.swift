import Crypto
import Foundation
import Testing

@testable import Host

/// What the browser shows, and what it may do.
struct CallbackPageTests {
  private let page = CallbackPage(appName: "oauthctl")
  static let outcomes: [CallbackPage.Outcome] = [.accepted, .ignored, .refused(message: "no <i>way</i>")]

  @Test(arguments: outcomes)
  func `a page is self-contained and may do nothing`(_ outcome: CallbackPage.Outcome) throws {
    let response = RawResponse(bytes: page.response(outcome))
    #expect(response.field("Content-Type") == "text/html; charset=utf-8")
    #expect(Int(response.field("Content-Length") ?? "") == response.body.utf8.count)
    #expect(response.field("Connection") == "close")
    #expect(response.field("Cache-Control") == "no-store")
    #expect(response.field("Referrer-Policy") == "no-referrer")
    #expect(response.field("X-Content-Type-Options") == "nosniff")
    #expect(response.field("X-Frame-Options") == "DENY")
    #expect(response.field("Cross-Origin-Opener-Policy") == "same-origin")
    #expect(response.field("Cross-Origin-Resource-Policy") == "same-origin")
    let policy = try #require(response.field("Content-Security-Policy"))
    #expect(policy.hasPrefix("default-src 'none'; style-src 'sha256-"))
    #expect(!policy.contains("unsafe") && !policy.contains("script"))
    for word in ["<script", "http://www.w3.org/1999", "https://", "//cdn", " style=", "onload", "<form", "<img"] {
      #expect(!response.body.contains(word), "\(word)")
    }
    #expect(response.body.hasPrefix("<!doctype html>\n<html lang=\"en\">"))
    #expect(response.body.contains("name=\"viewport\"") && response.body.contains("prefers-color-scheme: dark"))
  }

  @Test(arguments: outcomes)
  func `the policy names the digest of the very style sheet that is sent`(_ outcome: CallbackPage.Outcome) throws {
    let response = RawResponse(bytes: page.response(outcome))
    let start = try #require(response.body.range(of: "<style>"))
    let end = try #require(response.body.range(of: "</style>"))
    let sheet = response.body[start.upperBound..<end.lowerBound]
    let digest = Base64URL.encodeClassic(SHA256.digest(Array(sheet.utf8)))
    #expect(response.field("Content-Security-Policy")?.contains("style-src 'sha256-\(digest)';") == true)
  }

  @Test func `the server's words are escaped, shortened and freed of control characters`() {
    let words = "<script>\"'&\u{1B}[31m\r\n\u{202E}evil\u{200B}  end" + String(repeating: "x", count: 5000)
    let html = page.html(.refused(message: words))
    #expect(html.contains("&lt;script&gt;&quot;&#39;&amp; evil end"))
    #expect(!html.contains("\u{1B}") && !html.contains("\u{202E}"))
    #expect(html.utf8.count < 6000 && html.contains("xxx…</blockquote>") && !html.contains("[31m"))
    #expect(!page.html(.refused(message: " \n ")).contains("<blockquote"))
  }

  @Test func `the program's name is escaped`() {
    let html = CallbackPage(appName: "<b>&").html(.accepted)
    #expect(!html.contains("<b>") && html.contains("&lt;b&gt;&amp;"))
  }

  @Test(arguments: CallbackPage.Status.allCases)
  func `a plain response says how long it is`(_ status: CallbackPage.Status) {
    let response = RawResponse(bytes: page.plain(status))
    #expect(response.status == status.code)
    #expect(response.field("Connection") == "close")
    if status == .noContent {
      #expect(response.field("Content-Length") == nil && response.body.isEmpty)
    } else {
      #expect(Int(response.field("Content-Length") ?? "") == response.body.utf8.count)
    }
    #expect(RawResponse(bytes: page.plain(status, bodiless: true)).body.isEmpty)
    #expect((response.field("Allow") == "GET") == (status == .methodNotAllowed))
  }

  @Test func `text keeps a contrast of 4.5 to 1 on every ground, light and dark`() throws {
    let sheet = CallbackPageStyle.sheet
    let dark = try #require(sheet.range(of: "prefers-color-scheme: dark"))
    for half in [sheet[..<dark.lowerBound], sheet[dark.upperBound...]] {
      for text in ["text", "quiet", "good", "bad", "neutral"] {
        for ground in ["page", "card"] {
          let (light, other) = (try luminance(text, in: half), try luminance(ground, in: half))
          let contrast = (max(light, other) + 0.05) / (min(light, other) + 0.05)
          #expect(contrast >= 4.5, "\(text) on \(ground): \(contrast)")
        }
      }
    }
  }

  /// The relative luminance of a colour of the sheet (WCAG 2.2).
  private func luminance(_ name: String, in sheet: Substring) throws -> Double {
    let found = try #require(sheet.range(of: "--\(name): #"))
    var hex = String(sheet[found.upperBound...].prefix(while: \.isHexDigit))
    if hex.count == 3 { hex = hex.map { "\($0)\($0)" }.joined() }
    let value = try #require(Int(hex, radix: 16))
    let parts = [16, 8, 0].map { shift -> Double in
      let part = Double(value >> shift & 255) / 255
      return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
  }
}

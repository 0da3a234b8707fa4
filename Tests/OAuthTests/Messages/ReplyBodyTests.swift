import OAuth
import TestSupport
import Testing

struct ReplyBodyTests {
  static let token = ReplyBody.fields(["access_token": .string("a"), "n": .integer(1)])
  static let form = ReplyBody.fields(["access_token": .string("a"), "scope": .string("r w")])

  static let bodies: [Named<(HTTPResponse, ReplyBody)>] = [
    Named("nothing", (.text(""), .empty)), Named("white space", (.text(" \r\n\t"), .empty)),
    Named("json", (.json(#"{"access_token":"a","n":1}"#), token)),
    Named("json called html", (.text(#"{"access_token":"a","n":1}"#, type: "text/html"), token)),
    Named("json called nothing", (.text(#"{"access_token":"a","n":1}"#), token)),
    Named("json after a mark", (.text("\u{FEFF}" + #"{"access_token":"a","n":1}"#), token)),
    Named("json within space", (.text("\r\n\t {\"access_token\":\"a\",\"n\":1}\n\n"), token)),
    Named("json and more", (.json(#"{"a":1}{"b":2}"#), .unreadable)),
    Named("json cut off", (.json(#"{"access_token":"a"#), .unreadable)),
    Named("json with a comment", (.json(#"{"a":1 /* x */}"#), .unreadable)),
    Named("empty object", (.json("{}"), .fields([:]))),
    Named("list", (.json(#"[{"access_token":"a"}]"#), .unreadable)),
    Named("text in quotes", (.json(#""a=b""#), .unreadable)),
    Named("null", (.json("null"), .unreadable)), Named("number", (.json("42"), .unreadable)),
    Named("form", (.text("access_token=a&scope=r+w", type: "application/x-www-form-urlencoded"), form)),
    Named("form called json", (.json("access_token=a&scope=r%20w"), form)),
    Named("form called text", (.text("access_token=a&scope=r+w\n", type: "text/plain"), form)),
    Named("sentence", (.text("an error = a problem"), .unreadable)), Named("word", (.text("ok"), .unreadable)),
    Named("equals sign first", (.text("=a"), .unreadable)), Named("form with markup", (.text("a=<b>"), .unreadable)),
    Named("html", (.text("<!DOCTYPE html><p>503</p>", type: "text/html"), .html)),
    Named("html called json", (.json(" <html>access_token=a</html>"), .html)),
    Named("text called html", (.text("Bad Gateway", type: "Text/HTML; charset=utf-8"), .html)),
    Named("xml", (.text("<?xml version='1.0'?><error/>", type: "text/xml"), .html)),
  ]

  @Test(arguments: bodies) func `a body is told by its content`(_ row: Named<(HTTPResponse, ReplyBody)>) {
    #expect(ReplyBody(row.value.0) == row.value.1)
  }

  @Test(arguments: [
    (#"{"a":"caf\ud83d","t":"x"}"#, "caf\u{FFFD}"), (#"{"a":"\ude00\ud83d\ude00","t":"x"}"#, "\u{FFFD}😀"),
    (#"{"a":"\ud83d\u0041","t":"x"}"#, "\u{FFFD}A"), ("{\"a\":\"one\ntwo\",\"t\":\"x\"}", "one\ntwo"),
  ]) func `a text that is none costs nothing beside it`(_ body: String, _ text: String) {
    let read = ReplyBody(HTTPResponse(status: 200, body: Array(body.utf8)))
    #expect(read == .fields(["a": .string(text), "t": .string("x")]))
  }

  @Test func `nor do bytes that are no UTF-8, or words that are no values`() {
    let latin = Array(#"{"a":"Ren"#.utf8) + [0xE9] + Array(#"","t":"x"}"#.utf8)
    #expect(
      ReplyBody(HTTPResponse(status: 200, body: latin)) == .fields(["a": .string("Ren\u{FFFD}"), "t": .string("x")]))
    let words = Array(#"{"a":NaN,"b":-Infinity,"t":"x"}"#.utf8)
    #expect(
      ReplyBody(HTTPResponse(status: 200, body: words)) == .fields(["a": .null, "b": .null, "t": .string("x")]))
  }

  @Test func `bytes that are no text, and a bottomless list, are unreadable`() {
    let bad: [[UInt8]] = [
      [0xFF, 0xD8, 0xFF], [0, 0, 0],
      Array(String(repeating: #"{"a":"#, count: 50_000).utf8),
      Array((#"{"a":"# + String(repeating: "[", count: 50_000) + String(repeating: "]", count: 50_000) + "}").utf8),
    ]
    for body in bad { #expect(ReplyBody(HTTPResponse(status: 200, body: body)) == .unreadable) }
  }

  @Test func `no bytes at all trap it`() {
    let seeds = [
      #"{"access_token":"a","expires_in":3600,"x":[null,true,1e3,{"y":"z"}]}"#, "a=b&c=%41+d", "<html>", "[1]",
    ]
    var generator = SystemRandomNumberGenerator()
    for round in 0..<3000 {
      var bytes = Array(seeds[round % seeds.count].utf8)
      for _ in 0..<Int.random(in: 1...5, using: &generator) where !bytes.isEmpty {
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0...2, using: &generator) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
        case 1: bytes.remove(at: place)
        default: bytes.insert(contentsOf: bytes[place...], at: place)
        }
      }
      let response = HTTPResponse(status: 200, body: bytes)
      _ = ReplyBody(response)
      _ = try? TokenResponse.validate(response, provider: Sample.provider(), now: Sample.now)
      _ = Revocation.validate(response, provider: Sample.provider())
      _ = try? Discovery.validate(response, url: "u", issuer: "i")
    }
  }
}

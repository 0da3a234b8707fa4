import Foundation
import Testing

@testable import Host

/// The request parser alone, byte by byte and mutilated.
struct CallbackRequestTests {
  private let text =
    "GET /callback?code=a%20b&state=x?y HTTP/1.1\r\nHost: 127.0.0.1:4711\r\nAccept:  text/html \r\nX-Empty:\r\n\r\n"

  @Test func `a request is taken apart`() throws {
    guard case .request(let request) = CallbackRequest.parse(Array(text.utf8)) else {
      Issue.record("no request")
      return
    }
    #expect(request.method == "GET")
    #expect(request.target == "/callback?code=a%20b&state=x?y")
    #expect(request.path == "/callback")
    #expect(request.query == "code=a%20b&state=x?y")
    #expect(request.authority == nil)
    #expect(!request.isHTTP10)
    #expect(request.headers.map(\.name) == ["host", "accept", "x-empty"])
    #expect(request.headers.map(\.value) == ["127.0.0.1:4711", "text/html", ""])
  }

  @Test(arguments: [
    ("/callback", "/callback", ""), ("/callback?", "/callback", ""), ("/?/callback", "/", "/callback"),
    ("http://h:1/p?q", "/p", "q"), ("http://h:1?q=/", "/", "q=/"), ("http://h:1", "/", ""), ("*", "*", ""),
    ("HTTP://h/p", "/p", ""), ("https://h/p", "https://h/p", ""), ("h:443", "h:443", ""),
  ])
  func `a target is split at its first question mark`(target: String, path: String, query: String) {
    guard case .request(let request) = CallbackRequest.parse(Array("GET \(target) HTTP/1.1\r\n\r\n".utf8)) else {
      Issue.record("no request")
      return
    }
    #expect(request.path == path)
    #expect(request.query == query)
  }

  @Test func `every beginning of a request is incomplete, and every continuation is ignored`() {
    let bytes = Array(text.utf8)
    for count in 0..<bytes.count { #expect(CallbackRequest.parse(Array(bytes[..<count])) == .incomplete) }
    let whole = CallbackRequest.parse(bytes)
    #expect(CallbackRequest.parse(bytes + [0, 1, 2, 255]) == whole)
    #expect(CallbackRequest.parse(bytes + bytes) == whole)
  }

  @Test(arguments: [16 * 1024 - 1, 16 * 1024, 16 * 1024 + 1])
  func `a head is taken up to the limit`(size: Int) {
    let frame = "GET /callback HTTP/1.1\r\nCookie: \r\n\r\n"
    let cookie = String(repeating: "c", count: size - frame.utf8.count)
    switch CallbackRequest.parse(Array("GET /callback HTTP/1.1\r\nCookie: \(cookie)\r\n\r\n".utf8)) {
    case .request: #expect(size <= CallbackRequest.maximumHead)
    case .tooLarge: #expect(size > CallbackRequest.maximumHead)
    case .incomplete, .malformed: Issue.record("neither")
    }
  }

  @Test func `thousands of mutilated requests are survived, and read the same whole and in pieces`() {
    var random = SeededRandom(seed: 1)
    var seen: Set<String> = []
    for _ in 0..<6000 {
      let bytes = mutilated(Array(text.utf8), using: &random)
      let whole = CallbackRequest.parse(bytes)
      seen.insert("\(whole)".prefix { $0 != "(" }.description)
      if case .request(let request) = whole {
        #expect(!request.method.isEmpty && !request.target.isEmpty)
        #expect(request.query.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
      }
      // A verdict on a beginning holds for the whole: nothing that comes later can change it.
      let beginning = CallbackRequest.parse(Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random))))
      if beginning != .incomplete { #expect(beginning == whole) }
    }
    #expect(seen == ["request", "malformed", "incomplete"])
  }

  @Test func `random bytes are survived`() {
    var random = SeededRandom(seed: 2)
    for _ in 0..<5000 {
      let bytes = (0..<Int.random(in: 0...300, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      if case .request = CallbackRequest.parse(bytes) { Issue.record("a request out of noise") }
    }
  }

  private func mutilated(_ bytes: [UInt8], using random: inout SeededRandom) -> [UInt8] {
    var bytes = bytes
    let specials = Array("\r\n \t:?#/%\0\u{7F}".utf8) + [0xC3, 0xFF]
    for _ in 0..<Int.random(in: 0...4, using: &random) {
      let index = Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0..<5, using: &random) {
      case 0: bytes.remove(at: index)
      case 1: bytes.insert(specials[Int.random(in: 0..<specials.count, using: &random)], at: index)
      case 2: bytes[index] = UInt8.random(in: 0...255, using: &random)
      case 3: bytes[index] = specials[Int.random(in: 0..<specials.count, using: &random)]
      default: bytes.insert(contentsOf: bytes[index...].prefix(20), at: index)
      }
      if bytes.isEmpty { bytes = [0x47] }
    }
    return bytes
  }
}

import Crypto
import Foundation
import Testing

struct SecretTests {
  private struct Holder: Codable, Equatable {
    var name = "ada"
    var token = Secret("s3cr3t")
    var spare: Secret? = Secret("s3cr3t")
    var more = ["s": Secret("s3cr3t")]
  }

  private enum Case: Error { case some(Secret, String) }

  static let views: [(id: String, view: @Sendable (Any) -> String)] = [
    ("interpolated", { "\($0)" }), ("described", { String(describing: $0) }), ("reflected", { String(reflecting: $0) }),
    (
      "dumped",
      {
        var text = ""
        dump($0, to: &text)
        return text
      }
    ),
    (
      "printed",
      {
        var text = ""
        print($0, to: &text)
        return text
      }
    ),
    ("mirrored", { "\(Mirror(reflecting: $0).children.map { "\($0.value)" })" }),
  ]

  @Test(arguments: views) func `it is not seen, alone or inside something`(
    _ row: (id: String, view: @Sendable (Any) -> String)
  ) {
    let values: [Any] = [
      Secret("s3cr3t"), Holder(), [Secret("s3cr3t")], Optional(Secret("s3cr3t")) as Any,
      Case.some(Secret("s3cr3t"), "x"),
      ["key": Secret("s3cr3t")],
    ]
    for value in values { #expect(!row.view(value).contains("s3cr3t"), "\(row.id): \(type(of: value))") }
  }

  @Test func `it shows that something is there`() {
    #expect("\(Secret("s3cr3t"))" == "[redacted]")
    #expect(Secret("s3cr3t").debugDescription == "[redacted]")
    #expect("\(Holder())".contains("[redacted]"))
    #expect(Mirror(reflecting: Secret("s3cr3t")).children.isEmpty)
  }

  @Test(arguments: ["", "a", "s3cr3t", "käse 😀", "a\u{0}b", String(repeating: "long", count: 5000)])
  func `what goes in comes out by its visible word`(_ text: String) {
    let secret = Secret(text)
    #expect(secret.reveal() == text)
    #expect(secret.count == text.utf8.count && secret.isEmpty == text.isEmpty)
    #expect(secret.withBytes { Array($0) } == Array(text.utf8))
    #expect(Secret(bytes: Array(text.utf8)) == secret)
    #expect(Array(text.utf8).withUnsafeBytes { Secret(copying: $0) } == secret)
  }

  @Test func `its memory is overwritten when the last copy goes`() throws {
    let memory = try #require(FileHandle(forReadingAtPath: "/proc/self/mem"))
    let value = (0..<64).map { _ in UInt8.random(in: 1...255) }
    var holders = [Secret(bytes: value)]
    holders.append(holders[0])
    let address = try #require(holders[0].withBytes { $0.baseAddress.map { UInt64(UInt(bitPattern: $0)) } })
    func alike() throws -> Int {
      try memory.seek(toOffset: address)
      return try zip(memory.read(upToCount: value.count) ?? Data(), value).count { $0 == $1 }
    }
    holders.removeLast()
    #expect(try alike() == 64)
    holders.removeAll()
    // Another test may have the memory by now, and bytes can be alike by chance.
    #expect(try alike() < 16)
  }

  @Test func `bytes that are no text are kept, and repaired where text is asked for`() {
    let secret = Secret(bytes: [0x61, 0xFF, 0x62])
    #expect(secret.withBytes { Array($0) } == [0x61, 0xFF, 0x62])
    #expect(secret.reveal() == "a\u{FFFD}b")
  }

  @Test func `an error of the borrower is passed on`() {
    #expect(throws: Case.self) { try Secret("a").withBytes { _ throws(Case) in throw Case.some(Secret("x"), "y") } }
  }

  @Test func `secrets are equal by what they hold`() {
    #expect(Secret("a") == Secret("a") && Secret("") == Secret(""))
    #expect(Secret("a") != Secret("b") && Secret("a") != Secret("aa") && Secret("") != Secret("a"))
    // Text of another normal form is another secret: the bytes count.
    #expect(Secret("\u{E9}") != Secret("e\u{301}"))
    #expect(Secret(bytes: [0xFF]) != Secret(bytes: [0xFE]))
  }

  @Test func `a fingerprint is the head of the digest`() {
    #expect(Secret("abc").fingerprint == "ba7816bf")
    #expect(Secret("").fingerprint == "e3b0c442")
    #expect(Secret(bytes: [0]).fingerprint == "6e340b9c")
    // SHA-256 of "39" begins with a zero: it must not be lost.
    #expect(Secret("39").fingerprint == "0b918943")
  }

  @Test func `it is a string in JSON, there and back`() throws {
    let data = try JSONEncoder().encode(["token": Secret("a\"b")])
    #expect(String(decoding: data, as: UTF8.self) == #"{"token":"a\"b"}"#)
    #expect(try JSONDecoder().decode([String: Secret].self, from: data) == ["token": Secret("a\"b")])
    #expect(try JSONDecoder().decode(Holder.self, from: JSONEncoder().encode(Holder())) == Holder())
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([String: Secret].self, from: Data(#"{"t":1}"#.utf8))
    }
  }
}

import OAuth
import Testing

struct PrintableTextPropertyTests {
  @Test func `no text breaks the promise of one line within the limit`() {
    let alphabet: [Unicode.Scalar] = [
      "a", " ", "\n", "\u{1B}", "[", "]", "P", "\\", "\u{7}", "\u{9B}", "\u{9C}", "m", "3", ";", "é", "\u{202E}",
    ]
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<3000 {
      var view = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0...30, using: &generator) {
        if let scalar = alphabet.randomElement(using: &generator) { view.append(scalar) }
      }
      let clean = PrintableText.printable(String(view), limit: 12)
      #expect(clean.unicodeScalars.count <= 12)
      #expect(
        clean.unicodeScalars.allSatisfy {
          $0 == " " || $0 == "…" || ($0.value >= 0x20 && $0.value != 0x7F && $0.value < 0x80) || $0 == "é"
        })
      #expect(!clean.hasPrefix(" ") && !clean.hasSuffix(" "))
    }
  }
}

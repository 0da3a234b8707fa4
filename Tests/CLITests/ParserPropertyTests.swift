import CLI
import Testing

/// Numbers that are the same at each run (SplitMix64), so that a failure can be looked at.
private struct Dice: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

private let pieces = [
  "token", "revoke", "logout", "import", "exec", "providers", "list", "show", "add", "schedule", "enable", "help",
  "git-credential", "get", "__complete", "--format", "--format=json", "--format=", "-f", "-fjson", "json", "-q", "-qv",
  "-qvf", "--quiet", "--quiet=1", "--scope", "--scope=a", "--env", "-e", "--", "-", "---", "--=", "-=", "=", "", " ",
  "--help", "-h", "--version", "-V", "--json", "-j", "acme", "acme/work", "https://x.example/a?b=c", "\u{301}",
  "-\u{301}",
  "--\u{301}", "--format=\u{301}", "\r\n", "-\r\n", "\u{0}", "-\u{0}", "\u{FFFD}", "--\u{1F468}\u{200D}\u{1F469}",
  "tokne",
  "\u{1b}[2J", String(repeating: "z", count: 3000), "--" + String(repeating: "y", count: 3000),
]

private func words(_ dice: inout Dice) -> [String] {
  (0..<Int.random(in: 0...8, using: &dice)).map { _ in
    guard Int.random(in: 0..<6, using: &dice) == 0 else { return pieces.randomElement(using: &dice) ?? "" }
    // What the kernel hands over is bytes: anything but a zero, repaired as the standard library does it.
    let bytes = (0..<Int.random(in: 0...6, using: &dice)).map { _ in UInt8.random(in: 1...255, using: &dice) }
    return ["", "-", "--", "--format="].randomElement(using: &dice).map { $0 + String(decoding: bytes, as: UTF8.self) }
      ?? ""
  }
}

@Suite struct `Any command line at all` {
  @Test(arguments: 1...8) func `is understood or explained, never a crash`(seed: UInt64) {
    var dice = Dice(state: seed)
    let parser = Parser(sample)
    var (runs, helps, errors) = (0, 0, 0)
    for _ in 0..<2000 {
      // Half of them begin well, so that the rest is read too.
      let start = Bool.random(using: &dice) ? ["token", "acme"] : []
      let line = start + words(&dice)
      do {
        switch try parser.parse(line) {
        case .run(let invocation):
          runs += 1
          let command = sample.command(at: invocation.path)
          #expect(command != nil && command?.subcommands.isEmpty == true, "\(line)")
        case .help(let path):
          helps += 1
          #expect(path.isEmpty || sample.command(at: path) != nil, "\(line)")
        case .version: break
        }
      } catch {
        errors += 1
        for text in [error.message, error.hint] {
          let printable = text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
          #expect(printable && !text.isEmpty && text.count < 500 && !text.hasSuffix("."), "\(line): \(text)")
        }
      }
    }
    // The dice must reach every outcome, or the test proves nothing.
    #expect(runs > 50 && helps > 50 && errors > 50)
  }

  @Test func `operands after two dashes come back as they were`() throws {
    var dice = Dice(state: 99)
    for _ in 0..<2000 {
      let tail = words(&dice)
      guard case .run(let invocation) = try Parser(sample).parse(["revoke", "--", "x"] + tail) else {
        Issue.record("\(tail)")
        return
      }
      #expect(invocation.operands == ["x"] + tail)
    }
  }

  @Test func `a value after an equals sign comes back as it was`() throws {
    var dice = Dice(state: 7)
    for value in (0..<2000).flatMap({ _ in words(&dice) }) {
      guard case .run(let invocation) = try Parser(sample).parse(["token", "x", "--min-valid=" + value]) else {
        Issue.record("\(value)")
        return
      }
      #expect(invocation.value("min-valid").map { Array($0.utf8) } == Array(value.utf8))
    }
  }
}

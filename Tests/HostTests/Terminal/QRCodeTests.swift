import Flows
import Foundation
import TestSupport
import Testing

@testable import Host

/// What stands on the terminal, read back from its characters and colours by a decoder of other people's: zbar.
struct QRCodeTests {
  private static let url = "https://id.example/device?user_code=WDJB-MJHT"
  private static let utf8 = ["TERM": "xterm", "LANG": "C.UTF-8"]

  static let texts: [(id: String, text: String)] = [
    ("a usual one", url), ("short", "A"), ("digits and capitals", "HTTPS://ID.EXAMPLE/DEVICE/0123456789"),
    ("no ASCII", "https://id.example/gerät?code=ä€😀"), ("long", url + String(repeating: "&x=%20y", count: 60)),
  ]

  @Test func `in black on white and as light on a dark ground it reads as what was put in`() async throws {
    var pictures: [Picture] = []
    for (id, text) in Self.texts {
      for coloured in [true, false] {
        for correction in [QRCode.Correction.low, .medium] {
          let lines = try #require(QRCode(text, correction), "\(id)").lines(quiet: 4, coloured: coloured)
          pictures.append(try Picture(lines))
          #expect(pictures.last?.hasQuietZone(4) == true, "\(id)")
        }
      }
    }
    #expect(try await Picture.decode(pictures) == Self.texts.flatMap { Array(repeating: [$0.text], count: 4) })
  }

  @Test func `a terminal shows the code on lines of its own, above the status`() async throws {
    var pictures: [Picture] = []
    for environment in [Self.utf8, Self.utf8.merging(["NO_COLOR": "1"]) { $1 }] {
      let tty = try PseudoTerminal(columns: 80, rows: 24)
      let terminal = tty.terminal(environment)
      terminal.show("before")
      terminal.showCode(of: Self.url)
      terminal.show("after")
      try await tty.shows("after\r\n")
      var lines = tty.text.components(separatedBy: "\r\n")
      #expect(
        lines.removeFirst() == "oauthctl: before" && lines.popLast() == "" && lines.popLast() == "oauthctl: after")
      let isPlain = environment["NO_COLOR"] != nil
      #expect(lines.allSatisfy { $0.contains("\u{1B}") != isPlain })
      pictures.append(try Picture(lines))
      #expect(pictures.last?.hasQuietZone(4) == true)
    }
    #expect(try await Picture.decode(pictures) == [[Self.url], [Self.url]])
  }

  @Test func `nothing is shown where it could not be read`() async throws {
    let silent: [(id: String, columns: UInt16, rows: UInt16, environment: [String: String], isQuiet: Bool)] = [
      ("quiet", 80, 24, Self.utf8, true), ("dumb", 80, 24, ["TERM": "dumb", "LANG": "C.UTF-8"], false),
      ("no terminal type", 80, 24, ["LANG": "C.UTF-8"], false), ("no UTF-8", 80, 24, ["TERM": "xterm"], false),
      ("narrow", 30, 24, Self.utf8, false), ("flat", 80, 12, Self.utf8, false), ("no size", 0, 0, Self.utf8, false),
    ]
    for row in silent {
      let tty = try PseudoTerminal(columns: row.columns, rows: row.rows)
      let terminal = tty.terminal(isQuiet: row.isQuiet, row.environment)
      terminal.showCode(of: Self.url)
      terminal.show("end")
      try await tty.shows("end\r\n")
      #expect(tty.text == "oauthctl: end\r\n", "\(row.id)")
    }
  }

  @Test func `what is no terminal gets no code`() throws {
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    let terminal = Terminal(input: ends[0], output: ends[1], environment: Self.utf8)
    terminal.showCode(of: Self.url)
    close(ends[1])
    #expect(try FileHandle(fileDescriptor: ends[0], closeOnDealloc: true).readToEnd() ?? Data() == Data())
  }

  @Test func `where there is less room it is less redundant, then less quiet, then not there`() throws {
    func shape(_ columns: Int, _ rows: Int) -> [Int]? {
      QRCode.lines(for: Self.url, columns: columns, rows: rows, coloured: false).map { [$0[0].count, $0.count] }
    }
    // 45 characters: 33 modules with medium correction, 29 with low.
    #expect(shape(41, 21) == [41, 21])
    #expect(shape(40, 21) == [37, 19] && shape(41, 20) == [37, 19])
    #expect(shape(36, 50) == [33, 17] && shape(100, 18) == [33, 17])
    #expect(shape(32, 50) == nil && shape(100, 16) == nil)
  }

  @Test func `without the library, and for what no code holds, there is none`() {
    #expect(QRCodeLibrary("libqrencode-of-nowhere.so.4") == nil)
    #expect(QRCodeLibrary("libc.so.6") == nil)
    #expect(QRCode(Self.url, .low, library: nil) == nil)
    #expect(QRCode.lines(for: Self.url, columns: 500, rows: 500, coloured: true, library: nil) == nil)
    for text in ["", "a\0b", String(repeating: "x", count: 3000)] { #expect(QRCode(text, .low) == nil) }
  }
}

/// The light and the dark of some lines of a terminal, pixel by pixel.
private struct Picture {
  private var rows: [[Bool]] = []

  /// Takes lines as they look on a dark ground, their colours obeyed.
  init(_ lines: [String]) throws {
    for line in lines {
      var text = line
      let isBlackOnWhite = text.hasPrefix("\u{1B}[30;47m")
      if isBlackOnWhite {
        try #require(text.hasSuffix("\u{1B}[0m"))
        text = String(text.dropFirst(8).dropLast(4))
      }
      func light(_ isInk: Bool) -> Bool { isBlackOnWhite ? !isInk : isInk }
      var (upper, lower): ([Bool], [Bool]) = ([], [])
      for character in text {
        let (above, below): (Bool, Bool)
        switch character {
        case "█": (above, below) = (true, true)
        case "▀": (above, below) = (true, false)
        case "▄": (above, below) = (false, true)
        case " ": (above, below) = (false, false)
        default: throw Unexpected(character: character)
        }
        upper.append(light(above))
        lower.append(light(below))
      }
      rows += [upper, lower]
    }
    try #require(Set(rows.map(\.count)).count == 1)
  }

  struct Unexpected: Error { let character: Character }

  func hasQuietZone(_ size: Int) -> Bool {
    (rows.prefix(size) + rows.suffix(size)).allSatisfy { $0.allSatisfy(\.self) }
      && rows.allSatisfy { $0.prefix(size).allSatisfy(\.self) && $0.suffix(size).allSatisfy(\.self) }
  }

  /// The light of each pixel, on a ground as dark as a terminal's.
  private var pixels: (width: Int, bytes: Data) {
    let (scale, margin) = (4, 24)
    let width = (rows.first?.count ?? 0) * scale + 2 * margin
    let dark = Data(repeating: 0, count: margin)
    var pixels = Data(repeating: 0, count: width * margin)
    for row in rows {
      let line = row.reduce(into: dark) { $0 += Data(repeating: $1 ? 200 : 0, count: scale) } + dark
      for _ in 0..<scale { pixels += line }
    }
    return (width, pixels + Data(repeating: 0, count: width * margin))
  }

  /// What zbar reads in each of them.
  static func decode(_ pictures: [Picture]) async throws -> [[String]] {
    let script = """
      import json, sys
      from pyzbar import pyzbar
      found = []
      for width, size in zip(sys.argv[1::2], sys.argv[2::2]):
          image = (sys.stdin.buffer.read(int(size)), int(width), int(size) // int(width))
          symbols = pyzbar.decode(image, symbols=[pyzbar.ZBarSymbol.QRCODE])
          found.append([symbol.data.decode() for symbol in symbols])
      print(json.dumps(found))
      """
    let all = pictures.map(\.pixels)
    let folder = try TestFolder()
    let file = URL(fileURLWithPath: folder.path + "/pixels")
    try Data(all.map(\.bytes).joined()).write(to: file)
    return try await offPool {
      let (process, output) = (Process(), Pipe())
      process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
      process.arguments = ["-c", script] + all.flatMap { ["\($0.width)", "\($0.bytes.count)"] }
      (process.standardInput, process.standardOutput) = (try FileHandle(forReadingFrom: file), output)
      try process.run()
      let printed = output.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      withExtendedLifetime(folder) {}
      return try JSONDecoder().decode([[String]].self, from: printed)
    }
  }
}

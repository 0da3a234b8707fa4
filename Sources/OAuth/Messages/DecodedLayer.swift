/// A text with some of its escapes decoded, each byte with the range of the original that it came from.
///
/// A token may stand in a query in a JSON string in a form: each layer shows the text at one depth of that, so that one
/// simple scanner finds it wherever it is.
struct DecodedLayer {
  private(set) var bytes: [UInt8]
  private var starts: [Int]
  private var ends: [Int]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    starts = Array(bytes.indices)
    ends = bytes.indices.map { $0 + 1 }
  }

  private init(capacity: Int) {
    bytes = []
    starts = []
    ends = []
    bytes.reserveCapacity(capacity)
    starts.reserveCapacity(capacity)
    ends.reserveCapacity(capacity)
  }

  /// Gives the range of the original that a non-empty range of this layer came from.
  func original(_ range: Range<Int>) -> Range<Int> {
    starts[range.lowerBound]..<ends[range.upperBound - 1]
  }

  /// The text itself and what appears when its escapes are decoded, in every order, up to three deep.
  static func all(of text: [UInt8]) -> [DecodedLayer] {
    var layers = [DecodedLayer(text)]
    var newest = layers
    for _ in 0..<3 {
      newest = newest.flatMap { layer in
        [layer.percentDecoded(), layer.jsonUnescaped(), layer.htmlUnescaped()].compactMap { $0 }
      }.filter { candidate in !layers.contains { $0.bytes == candidate.bytes } }
      layers += newest
    }
    return layers
  }

  /// The bytes with all escapes decoded, in the order that one value would have been encoded in.
  var plain: [UInt8] {
    var layer = self
    while let next = layer.percentDecoded() ?? layer.jsonUnescaped() ?? layer.htmlUnescaped(), next.bytes != layer.bytes
    {
      layer = next
    }
    return layer.bytes
  }

  /// The text without its line ends and the blanks around them; nil where there is none.
  func joined() -> DecodedLayer? {
    func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }
    func isBlank(_ byte: UInt8) -> Bool { isLineEnd(byte) || byte == 0x20 || byte == 0x09 }
    guard bytes.contains(where: isLineEnd) else { return nil }
    var layer = DecodedLayer(capacity: bytes.count)
    var index = 0
    while index < bytes.count {
      let end = bytes[index...].firstIndex { !isBlank($0) } ?? bytes.count
      if bytes[index..<end].contains(where: isLineEnd) {
        index = end
      } else {
        for index in index..<min(end + 1, bytes.count) { layer.append(bytes[index], starts[index], ends[index]) }
        index = end + 1
      }
    }
    return layer
  }

  /// Decodes `%XX` once; nil where there is none.
  func percentDecoded(plusIsSpace: Bool = false) -> DecodedLayer? {
    guard bytes.contains(UInt8(ascii: "%")) || plusIsSpace && bytes.contains(UInt8(ascii: "+")) else { return nil }
    return decoded { index in
      if plusIsSpace, bytes[index] == UInt8(ascii: "+") { return ([0x20], 1) }
      guard bytes[index] == UInt8(ascii: "%"), let value = hexadecimal(index + 1, digits: 2) else { return nil }
      return ([UInt8(truncatingIfNeeded: value)], 3)
    }
  }

  /// Decodes JSON's backslash escapes once (RFC 8259 section 7); nil where there is none.
  func jsonUnescaped() -> DecodedLayer? {
    guard bytes.contains(UInt8(ascii: "\\")) else { return nil }
    return decoded { index in
      guard bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count else { return nil }
      switch bytes[index + 1] {
      case UInt8(ascii: "n"), UInt8(ascii: "r"): return ([0x0A], 2)
      case UInt8(ascii: "t"), UInt8(ascii: "b"), UInt8(ascii: "f"): return ([0x09], 2)
      case UInt8(ascii: "x"):
        guard let byte = hexadecimal(index + 2, digits: 2) else { return nil }
        return ([UInt8(truncatingIfNeeded: byte)], 4)
      case UInt8(ascii: "u"):
        guard let unit = hexadecimal(index + 2, digits: 4) else { return nil }
        if let low = lowSurrogate(after: unit, at: index + 6) {
          return (utf8(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)), 12)
        }
        return (utf8(unit), 6)
      case let other: return ([other], 2)
      }
    }
  }

  /// Decodes HTML's `&#97;`, `&#x61;` and the names that escaping makes; nil where there is none.
  func htmlUnescaped() -> DecodedLayer? {
    guard bytes.contains(UInt8(ascii: "&")), bytes.contains(UInt8(ascii: ";")) else { return nil }
    return decoded { index in
      guard bytes[index] == UInt8(ascii: "&"),
        let end = bytes[index...].prefix(12).firstIndex(of: UInt8(ascii: ";")), end > index + 1
      else { return nil }
      let name = bytes[(index + 1)..<end]
      let length = end + 1 - index
      guard name.first == UInt8(ascii: "#") else {
        return Self.entities[String(decoding: name, as: UTF8.self)].map { ([$0], length) }
      }
      let digits = String(decoding: name.dropFirst(), as: UTF8.self)
      let isHexadecimal = digits.first == "x" || digits.first == "X"
      let value = isHexadecimal ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
      return value.map { (utf8($0), length) }
    }
  }

  private static let entities: [String: UInt8] = [
    "amp": 0x26, "lt": 0x3C, "gt": 0x3E, "quot": 0x22, "apos": 0x27, "plus": 0x2B, "equals": 0x3D, "sol": 0x2F,
    "bsol": 0x5C, "percnt": 0x25, "lowbar": 0x5F, "period": 0x2E, "colon": 0x3A, "comma": 0x2C, "num": 0x23,
  ]

  private func decoded(_ unit: (Int) -> (bytes: [UInt8], length: Int)?) -> DecodedLayer {
    var layer = DecodedLayer(capacity: bytes.count)
    var index = 0
    while index < bytes.count {
      if let (decoded, length) = unit(index) {
        for byte in decoded { layer.append(byte, starts[index], ends[index + length - 1]) }
        index += length
      } else {
        layer.append(bytes[index], starts[index], ends[index])
        index += 1
      }
    }
    return layer
  }

  private mutating func append(_ byte: UInt8, _ start: Int, _ end: Int) {
    bytes.append(byte)
    starts.append(start)
    ends.append(end)
  }

  private func hexadecimal(_ start: Int, digits: Int) -> UInt32? {
    guard start + digits <= bytes.count else { return nil }
    var value: UInt32 = 0
    for byte in bytes[start..<start + digits] {
      switch byte {
      case 0x30...0x39: value = value << 4 | UInt32(byte - 0x30)
      case 0x41...0x46: value = value << 4 | UInt32(byte - 0x37)
      case 0x61...0x66: value = value << 4 | UInt32(byte - 0x57)
      default: return nil
      }
    }
    return value
  }

  private func lowSurrogate(after high: UInt32, at index: Int) -> UInt32? {
    guard (0xD800..<0xDC00).contains(high), index + 1 < bytes.count, bytes[index] == UInt8(ascii: "\\"),
      bytes[index + 1] == UInt8(ascii: "u"), let low = hexadecimal(index + 2, digits: 4),
      (0xDC00..<0xE000).contains(low)
    else { return nil }
    return low
  }

  private func utf8(_ value: UInt32) -> [UInt8] {
    Unicode.Scalar(value).map { Array(String($0).utf8) } ?? [0x3F]
  }
}

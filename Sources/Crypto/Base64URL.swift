/// Base64 with the URL and filename safe alphabet, without padding (RFC 4648 section 5, RFC 7515 appendix C), and
/// the classic alphabet with padding that HTTP Basic wants.
public enum Base64URL {
  private static let safe = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
  private static let classic = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// Encodes without padding.
  public static func encode(_ bytes: some Sequence<UInt8>) -> String {
    String(decoding: encode(Array(bytes), alphabet: safe), as: UTF8.self)
  }

  /// Encodes with the classic alphabet and `=` padding (RFC 4648 section 4).
  public static func encodeClassic(_ bytes: some Sequence<UInt8>) -> String {
    var output = encode(Array(bytes), alphabet: classic)
    while output.count % 4 != 0 { output.append(UInt8(ascii: "=")) }
    return String(decoding: output, as: UTF8.self)
  }

  /// Decodes; padding is tolerated at the end.
  ///
  /// Gives nil for anything outside the alphabet or of an impossible length.
  public static func decode(_ text: String) -> [UInt8]? {
    var symbols = Array(text.utf8)
    while symbols.last == UInt8(ascii: "=") { symbols.removeLast() }
    guard symbols.count % 4 != 1 else { return nil }
    var output: [UInt8] = []
    output.reserveCapacity(symbols.count * 3 / 4)
    var buffer: UInt32 = 0
    var bits = 0
    for symbol in symbols {
      guard let value = value(of: symbol) else { return nil }
      buffer = (buffer << 6 | UInt32(value)) & 0xFF_FFFF
      bits += 6
      if bits >= 8 {
        bits -= 8
        output.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
      }
    }
    return output
  }

  private static func value(of symbol: UInt8) -> UInt8? {
    switch symbol {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): symbol - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): symbol - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): symbol - UInt8(ascii: "0") + 52
    case UInt8(ascii: "-"), UInt8(ascii: "+"): 62
    case UInt8(ascii: "_"), UInt8(ascii: "/"): 63
    default: nil
    }
  }

  private static func encode(_ bytes: [UInt8], alphabet: [UInt8]) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      var word = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      word <<= UInt32(8 * (3 - group.count))
      for index in 0...group.count {
        output.append(alphabet[Int(word >> UInt32(18 - 6 * index) & 63)])
      }
    }
    return output
  }
}

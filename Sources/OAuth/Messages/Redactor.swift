public import Crypto
internal import Synchronization

/// Takes secrets out of text that a person will see: traces, messages, what a server said.
///
/// Two nets: the values of names that are known to be secret (`access_token`, `code`, `Authorization` …), and the values
/// that this process holds, however they are encoded. It rather takes out too much.
public final class Redactor: Sendable {
  /// What stands in a secret's place.
  public static let mark = "[redacted]"
  /// A shorter value is not looked for by itself: it would be found everywhere.
  static let shortestLiveValue = 6

  private struct LiveValues {
    var values: [Secret] = []
    /// The base64 forms of the values at each of the three places that one can begin at inside other base64.
    var encoded: [Secret] = []
  }

  private let live = Mutex(LiveValues())

  /// Makes a redactor that knows names and, as yet, no values.
  public init() {}

  /// Has a value taken out of every later text, wherever it stands and however it is encoded.
  public func register(_ secret: Secret) {
    guard secret.count >= Self.shortestLiveValue else { return }
    live.withLock { live in
      guard !live.values.contains(secret) else { return }
      live.values.append(secret)
      live.encoded += Self.base64Forms(secret)
    }
  }

  /// Has the values of a body's secret names taken out of every later text: a server may repeat them under any name.
  public func learn(from fields: [String: JSONValue]) {
    for (name, value) in fields {
      if let text = value.text, SensitiveNames.contains(Array(name.utf8)[...]) { register(Secret(text)) }
      if let inner = value.members { learn(from: inner) }
    }
  }

  /// Gives the text with `[redacted]` in place of every secret.
  public func redact(_ text: String) -> String {
    let original = Array(text.utf8)
    var found: [Range<Int>] = []
    let (values, encoded) = live.withLock { ($0.values, $0.encoded) }
    let layers = DecodedLayer.all(of: original)
    for layer in layers {
      found += SecretScanner(layer.bytes).ranges.map(layer.original)
      found += values.flatMap { Self.occurrences(of: $0, in: layer.bytes) }.map(layer.original)
      found += encoded.flatMap { Self.occurrences(of: $0, in: layer.bytes) }
        .map { layer.original(Self.widened($0, in: layer.bytes)) }
    }
    if let form = DecodedLayer(original).percentDecoded(plusIsSpace: true) {
      found += values.flatMap { Self.occurrences(of: $0, in: form.bytes) }.map(form.original)
    }
    return Self.replace(found, in: original)
  }

  private static func replace(_ ranges: [Range<Int>], in bytes: [UInt8]) -> String {
    guard !ranges.isEmpty else { return String(decoding: bytes, as: UTF8.self) }
    var output: [UInt8] = []
    var position = 0
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if range.lowerBound >= position {
        // Two that touch are one to the reader.
        if range.lowerBound > position || position == 0 { output += bytes[position..<range.lowerBound] + mark.utf8 }
      }
      position = max(position, range.upperBound)
    }
    return String(decoding: output + bytes[position...], as: UTF8.self)
  }

  private static func occurrences(of secret: Secret, in bytes: [UInt8]) -> [Range<Int>] {
    secret.withBytes { needle in
      guard let first = needle.first, needle.count <= bytes.count else { return [] }
      var found: [Range<Int>] = []
      var index = 0
      while index <= bytes.count - needle.count {
        if bytes[index] == first, bytes[index..<index + needle.count].elementsEqual(needle) {
          found.append(index..<index + needle.count)
          index += needle.count
        } else {
          index += 1
        }
      }
      return found
    }
  }

  /// The parts of a value's base64 that do not depend on what stands before and after it, in both alphabets.
  private static func base64Forms(_ secret: Secret) -> [Secret] {
    (0..<3).flatMap { offset in
      let padded = secret.withBytes { [UInt8](repeating: 0, count: offset) + Array($0) }
      let stable = (offset * 8 + 5) / 6..<(padded.count * 8) / 6
      // The shortest live value has as many at the worst of the three places.
      guard stable.count >= 7 else { return [Secret]() }
      return [Base64URL.encode(padded), Base64URL.encodeClassic(padded)].map { text in
        Secret(bytes: Array(text.utf8)[stable])
      }
    }
  }

  /// The whole of the base64 that a part was found in: its edges hold bits of the value as well.
  private static func widened(_ range: Range<Int>, in bytes: [UInt8]) -> Range<Int> {
    func belongs(_ byte: UInt8) -> Bool {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2D, 0x2F, 0x5F: true
      default: false
      }
    }
    var (lower, upper) = (range.lowerBound, range.upperBound)
    while lower > 0, belongs(bytes[lower - 1]) { lower -= 1 }
    while upper < bytes.count, belongs(bytes[upper]) { upper += 1 }
    return lower..<upper
  }
}

internal import Crypto

/// The values that are looked for wherever they stand, each with the forms that it may be written in.
///
/// Found by a value's first bytes, so that the time for a text hardly depends on how many values there are.
struct KnownSecrets {
  /// A shorter value is not looked for by itself: it would be found everywhere.
  static let shortest = 6

  struct Value {
    let secret: Secret
    let isGuessable: Bool
  }

  /// One form of a value.
  private struct Form {
    let bytes: Secret
    let value: Int
    let kind: Kind
  }

  private enum Kind { case bare, base64, hexadecimal }

  /// A place in a text, and whether all of it is the value: base64 may hold other things as well.
  struct Occurrence {
    let range: Range<Int>
    let value: Value
    let isWhole: Bool
  }

  private var values: [Value] = []
  private var forms: [Form] = []
  /// The places in `forms` by the first six bytes.
  private var byStart: [UInt64: [Int]] = [:]

  /// Adds a value, unless it is too short or known; tells whether it did.
  mutating func insert(_ secret: Secret, isGuessable: Bool) -> Bool {
    guard secret.count >= Self.shortest else { return false }
    let start = secret.withBytes { Self.start($0) }
    let isKnown = byStart[start, default: []].contains { forms[$0].kind == .bare && forms[$0].bytes == secret }
    guard !isKnown else { return false }
    values.append(Value(secret: secret, isGuessable: isGuessable))
    add(secret, .bare)
    for form in Self.base64Forms(secret) { add(form, .base64) }
    for digits in ["0123456789abcdef", "0123456789ABCDEF"] {
      add(Self.hexadecimal(secret, Array(digits.utf8)), .hexadecimal)
    }
    return true
  }

  private mutating func add(_ form: Secret, _ kind: Kind) {
    byStart[form.withBytes { Self.start($0) }, default: []].append(forms.count)
    forms.append(Form(bytes: form, value: values.count - 1, kind: kind))
  }

  /// Gives the places of all values; nil where telling them apart would take too long, as in a text made for that.
  func occurrences(in bytes: [UInt8]) -> [Occurrence]? {
    guard !forms.isEmpty, bytes.count >= Self.shortest else { return [] }
    var found: [Occurrence] = []
    var ends: [Int: Int] = [:]
    var effort = 4096 + 64 * bytes.count
    var window: UInt64 = 0
    for (last, byte) in bytes.enumerated() {
      window = (window << 8 | UInt64(byte)) & 0xFFFF_FFFF_FFFF
      guard last + 1 >= Self.shortest, let candidates = byStart[window] else { continue }
      let start = last + 1 - Self.shortest
      for candidate in candidates where ends[candidate, default: 0] <= start {
        let form = forms[candidate]
        let same = form.bytes.withBytes { Self.commonLength(bytes[start...], $0) }
        effort -= same + 1
        guard effort > 0 else { return nil }
        guard same == form.bytes.count else { continue }
        ends[candidate] = start + same
        let range = start..<start + same
        found.append(
          Occurrence(
            range: form.kind == .base64 ? Self.widened(range, in: bytes) : range, value: values[form.value],
            isWhole: form.kind != .base64))
      }
    }
    return found
  }

  private static func start(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.prefix(shortest).reduce(0) { $0 << 8 | UInt64($1) }
  }

  private static func commonLength(_ text: ArraySlice<UInt8>, _ form: some Sequence<UInt8>) -> Int {
    var count = 0
    for (left, right) in zip(text, form) {
      guard left == right else { break }
      count += 1
    }
    return count
  }

  private static func hexadecimal(_ secret: Secret, _ digits: [UInt8]) -> Secret {
    Secret(bytes: secret.withBytes { $0.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] } })
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

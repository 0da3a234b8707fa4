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
  /// A shorter value gets no fingerprint: it may be one that a person made up, and a digest would help to guess it.
  static let shortestFingerprinted = 16

  private struct LiveValue {
    let secret: Secret
    let isGuessable: Bool
    /// Its base64 forms at each of the three places that one can begin at inside other base64.
    let encoded: [Secret]
  }

  private let live = Mutex<[LiveValue]>([])

  /// Makes a redactor that knows names and, as yet, no values.
  public init() {}

  /// Has a value taken out of every later text, wherever it stands and however it is encoded.
  public func register(_ secret: Secret) { register(secret, isGuessable: false) }

  private func register(_ secret: Secret, isGuessable: Bool) {
    guard secret.count >= Self.shortestLiveValue else { return }
    live.withLock { live in
      guard !live.contains(where: { $0.secret == secret }) else { return }
      live.append(LiveValue(secret: secret, isGuessable: isGuessable, encoded: Self.base64Forms(secret)))
    }
  }

  /// Has the values of a body's secret names taken out of every later text: a server may repeat them under any name.
  public func learn(from fields: [String: JSONValue]) {
    for (name, value) in fields {
      let isSecret = SensitiveNames.contains(name.utf8)
      for value in value.elements {
        if isSecret, let text = value.text { learn(name, text) }
        if let inner = value.members { learn(from: inner) }
      }
    }
  }

  /// Has the secrets of a request taken out of every later text: a server may send them back in any place.
  public func learn(from request: HTTPRequest) {
    if let body = request.body {
      let content = body.withBytes { HTTPResponse(status: 200, body: Array($0)) }
      if case .fields(let fields) = ReplyBody(content) { learn(from: fields) }
    }
    if let query = request.url.firstIndex(of: "?") {
      for parameter in FormEncoding.decode(request.url[query...].dropFirst()) { learn(parameter.name, parameter.value) }
    }
    for header in request.headers where SensitiveNames.contains(header.name.utf8) { learn(credentials: header.value) }
  }

  private func learn(_ name: String, _ value: String) {
    guard SensitiveNames.contains(name.utf8) else { return }
    register(Secret(value), isGuessable: SensitiveNames.isGuessable(name.utf8))
  }

  /// A header's value, without the scheme before it; of `Basic` also what stands in it.
  private func learn(credentials value: String) {
    let parts = value.split(separator: " ", maxSplits: 1)
    let credentials = String(parts.last ?? "")
    register(Secret(credentials))
    guard parts.count == 2, parts[0].lowercased() == "basic" else { return }
    let unpadded = credentials.prefix { $0 != "=" }.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }
    guard let pair = Base64URL.decode(String(unpadded)), let colon = pair.firstIndex(of: UInt8(ascii: ":")) else {
      return
    }
    let secret = String(decoding: pair[(colon + 1)...], as: UTF8.self)
    for form in [secret] + FormEncoding.decode("secret=\(secret)").map(\.value) { register(Secret(form)) }
  }

  /// Gives the text with `[redacted]` in place of every secret.
  ///
  /// - Parameter fingerprints: whether what can be told apart is: `[redacted](1a2b3c4d)`, by ``Secret/fingerprint``.
  ///   Short values, and those that a person may have chosen, get none.
  public func redact(_ text: String, fingerprints: Bool = false) -> String {
    let original = Array(text.utf8)
    let live = live.withLock { $0 }
    var found: [Finding] = []
    for layer in DecodedLayer.all(of: original) {
      found += SecretScanner(layer.bytes).findings.map {
        Finding(range: layer.original($0.range), isGuessable: $0.isGuessable)
      }
      found += Self.find(live, in: layer)
      // A value may be broken over lines; a name's value ends with its line.
      if let joined = layer.joined() { found += Self.find(live, in: joined) }
    }
    if let form = DecodedLayer(original).percentDecoded(plusIsSpace: true) { found += Self.find(live, in: form) }
    return Self.replace(found, in: original, fingerprints: fingerprints)
  }

  /// A place in the original text.
  private struct Finding {
    var range: Range<Int>
    var isGuessable: Bool
    /// The value, where it is one that is known.
    var secret: Secret?
  }

  private static func find(_ live: [LiveValue], in layer: DecodedLayer) -> [Finding] {
    live.flatMap { value in
      let bare = occurrences(of: value.secret, in: layer.bytes).map {
        Finding(range: layer.original($0), isGuessable: value.isGuessable, secret: value.secret)
      }
      // The base64 holds other things as well, so its fingerprint would be that of nothing.
      let encoded = value.encoded.flatMap { occurrences(of: $0, in: layer.bytes) }.map {
        Finding(range: layer.original(widened($0, in: layer.bytes)), isGuessable: value.isGuessable)
      }
      return bare + encoded
    }
  }

  private static func replace(_ found: [Finding], in bytes: [UInt8], fingerprints: Bool) -> String {
    guard !found.isEmpty else { return String(decoding: bytes, as: UTF8.self) }
    var merged: [Finding] = []
    for finding in found.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
      // Two that touch are one to the reader.
      guard let last = merged.last, finding.range.lowerBound <= last.range.upperBound else {
        merged.append(finding)
        continue
      }
      let range = last.range.lowerBound..<max(last.range.upperBound, finding.range.upperBound)
      let whole = [last, finding].first { $0.range == range && $0.secret != nil }
      merged[merged.count - 1] = Finding(
        range: range, isGuessable: last.isGuessable || finding.isGuessable, secret: whole?.secret)
    }
    var output: [UInt8] = []
    var position = 0
    for finding in merged {
      output += bytes[position..<finding.range.lowerBound] + mark.utf8
      if fingerprints, let fingerprint = fingerprint(of: finding, in: bytes) { output += "(\(fingerprint))".utf8 }
      position = finding.range.upperBound
    }
    return String(decoding: output + bytes[position...], as: UTF8.self)
  }

  /// The same for one value whether it stands in a form, in JSON or bare.
  private static func fingerprint(of finding: Finding, in bytes: [UInt8]) -> String? {
    guard !finding.isGuessable else { return nil }
    let secret = finding.secret ?? Secret(bytes: DecodedLayer(Array(bytes[finding.range])).plain)
    return secret.count < shortestFingerprinted ? nil : secret.fingerprint
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

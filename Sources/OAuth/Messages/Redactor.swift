public import Crypto
internal import Synchronization

/// Takes secrets out of text that a person will see: traces, messages, what a server said.
///
/// Two nets: the values of names that are known to be secret (`access_token`, `code`, `Authorization` …), and the values
/// that this process holds, however they are encoded. It rather takes out too much.
public final class Redactor: Sendable {
  /// What stands in a secret's place.
  public static let mark = "[redacted]"
  /// A shorter value gets no fingerprint: it may be one that a person made up, and a digest would help to guess it.
  static let shortestFingerprinted = 16

  /// More values in one text are no reply of anyone's: nothing of it is shown.
  private static let mostInOneText = 512

  private let known = Mutex(KnownSecrets())

  /// Makes a redactor that knows names and, as yet, no values.
  public init() {}

  /// Has a value taken out of every later text, wherever it stands and however it is encoded.
  public func register(_ secret: Secret) { register(secret, isGuessable: false) }

  private func register(_ secret: Secret, isGuessable: Bool) {
    known.withLock { _ = $0.insert(secret, isGuessable: isGuessable) }
  }

  /// Has what is found by its name in a text taken out of every later one: a server may repeat it where it has no name.
  public func learn(from text: String) { _ = findings(in: Array(text.utf8)) }

  /// Learns the values that stand in places which no known one fills; tells whether there were any, nil for too many.
  private func learn(_ named: [(place: Finding, value: ArraySlice<UInt8>)], besides known: [Finding]) -> Bool? {
    // What is known is known without its escapes: to decode it here once more could make another value of it.
    let filled = Set(known.filter { $0.secret != nil }.map(\.range))
    var values: Set<[UInt8]> = []
    var isAnyNew = false
    for (place, value) in named where !filled.contains(place.range) {
      for part in Self.parts(of: value) where values.insert(part).inserted {
        guard values.count <= Self.mostInOneText else { return nil }
        let isNew = self.known.withLock { $0.insert(Secret(bytes: part), isGuessable: place.isGuessable) }
        isAnyNew = isAnyNew || isNew
      }
    }
    return isAnyNew
  }

  /// The value itself, as it is without escapes; the values in a list or an object.
  private static func parts(of value: ArraySlice<UInt8>) -> [[UInt8]] {
    guard value.first == UInt8(ascii: "[") || value.first == UInt8(ascii: "{") else {
      return [DecodedLayer(Array(value)).plain]
    }
    return value.split { "[]{}\"',: \t\r\n".utf8.contains($0) }.filter { !SensitiveNames.isWord($0, limit: 32) }.map {
      DecodedLayer(Array($0)).plain
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
    for secret in request.secrets { register(secret) }
    if let body = request.body {
      let content = body.withBytes { HTTPResponse(status: 200, body: Array($0)) }
      if case .fields(let fields) = ReplyBody(content) { learn(from: fields) }
      learn(from: String(decoding: content.body, as: UTF8.self))
    }
    if let query = request.url.firstIndex(of: "?") {
      for parameter in FormEncoding.decode(request.url[query...].dropFirst()) { learn(parameter.name, parameter.value) }
    }
    learn(from: request.url)
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
    guard let found = findings(in: original) else { return Self.mark }
    return Self.replace(found, in: original, fingerprints: fingerprints)
  }

  /// Finds what has a name, learns it, and finds what is known; nil where that takes too long or is too much.
  private func findings(in original: [UInt8]) -> [Finding]? {
    let layers = DecodedLayer.all(of: original)
    // A value may be broken over lines; a name's value ends with its line.
    let all =
      layers + layers.compactMap { $0.joined() }
      + [DecodedLayer(original).percentDecoded(plusIsSpace: true)].compactMap { $0 }
    guard let known = knownValues(in: all) else { return nil }
    var named: [Finding] = []
    var learnable: [(place: Finding, value: ArraySlice<UInt8>)] = []
    for layer in layers {
      for finding in SecretScanner(layer.bytes).findings {
        let place = Finding(range: layer.original(finding.range), isGuessable: finding.isGuessable)
        named.append(place)
        if !finding.isWord { learnable.append((place, layer.bytes[finding.range])) }
      }
    }
    guard let isAnyNew = learn(learnable, besides: known) else { return nil }
    guard isAnyNew else { return named + known }
    return knownValues(in: all).map { named + $0 }
  }

  private func knownValues(in layers: [DecodedLayer]) -> [Finding]? {
    let known = known.withLock { $0 }
    var found: [Finding] = []
    for layer in layers {
      guard let occurrences = known.occurrences(in: layer.bytes) else { return nil }
      found += occurrences.map {
        // What holds other things as well has the fingerprint of nothing.
        Finding(
          range: layer.original($0.range), isGuessable: $0.value.isGuessable, secret: $0.isWhole ? $0.value.secret : nil
        )
      }
    }
    return found
  }

  /// A place in the original text.
  private struct Finding {
    var range: Range<Int>
    var isGuessable: Bool
    /// The value, where it is one that is known.
    var secret: Secret?
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
}

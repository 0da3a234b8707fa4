/// One challenge of a `WWW-Authenticate` header: what a server wants a request to bring.
///
/// - See: https://www.rfc-editor.org/rfc/rfc9110#section-11.6.1
public struct AuthenticationChallenge: Sendable, Equatable {
  /// The scheme as it was written; compared without case.
  public var scheme: String
  /// The data of a scheme that has no parameters (`Negotiate`).
  public var token68: String?
  /// The parameters in order; each name in lower case, and once.
  public var parameters: [Parameter] = []

  /// Makes one.
  public init(scheme: String, token68: String? = nil, parameters: [Parameter] = []) {
    self.scheme = scheme
    self.token68 = token68
    self.parameters = parameters
  }

  /// Gives a parameter's value; the name is in lower case.
  public func parameter(_ name: String) -> String? { parameters.first { $0.name == name }?.value }

  /// Whether its scheme is this one, in whatever case.
  public func isOf(_ scheme: String) -> Bool { self.scheme.lowercased() == scheme.lowercased() }

  /// Reads all challenges of a response.
  ///
  /// Servers write them in every way: parameters without commas between, URLs without quotes, a quote that never ends.
  /// What makes no sense is passed over.
  public static func all(in response: HTTPResponse) -> [AuthenticationChallenge] {
    var reader = ChallengeReader()
    for value in response.values(of: "WWW-Authenticate").prefix(ChallengeReader.most) { reader.read(value) }
    return reader.challenges
  }
}

/// Reads challenges byte by byte, each byte once.
private struct ChallengeReader {
  /// How many header lines, challenges, and parameters of one are read; a line longer than `longest` is cut.
  static let most = 32
  static let longest = 16384

  private(set) var challenges: [AuthenticationChallenge] = []
  private var bytes: ArraySlice<UInt8> = []
  private var isOpen = false

  mutating func read(_ line: String) {
    bytes = Array(line.utf8.prefix(Self.longest))[...]
    // A parameter belongs to the challenge before it, and none goes on from line to line.
    isOpen = false
    while true {
      skip { Self.isBlank($0) || $0 == UInt8(ascii: ",") }
      guard !bytes.isEmpty, challenges.count <= Self.most else { return }
      let word = take(while: HeaderLine.isTokenByte)
      guard !word.isEmpty else {
        passOver()
        continue
      }
      let hadBlank = bytes.first.map(Self.isBlank) ?? false
      skip(Self.isBlank)
      if bytes.first == UInt8(ascii: "=") {
        bytes.removeFirst()
        parameter(word)
      } else {
        challenge(word, hadBlank: hadBlank)
      }
    }
  }

  private mutating func challenge(_ scheme: String, hadBlank: Bool) {
    var challenge = AuthenticationChallenge(scheme: scheme)
    if hadBlank, let end = token68End() {
      challenge.token68 = String(decoding: bytes[..<end], as: UTF8.self)
      bytes = bytes[end...]
    }
    isOpen = challenges.count < Self.most
    if isOpen { challenges.append(challenge) } else { bytes = [] }
  }

  /// Where a token68 ends that begins here: it is one only if a comma or the line's end comes after it.
  private func token68End() -> ArraySlice<UInt8>.Index? {
    var end = bytes.startIndex
    while end < bytes.endIndex, Self.isToken68(bytes[end]) { end += 1 }
    guard end > bytes.startIndex else { return nil }
    while end < bytes.endIndex, bytes[end] == UInt8(ascii: "=") { end += 1 }
    let rest = bytes[end...].drop(while: Self.isBlank)
    return rest.isEmpty || rest.first == UInt8(ascii: ",") ? end : nil
  }

  private mutating func parameter(_ name: String) {
    skip(Self.isBlank)
    let value: String
    if bytes.first == UInt8(ascii: "\"") {
      bytes.removeFirst()
      value = quoted()
    } else {
      value = take { !Self.isBlank($0) && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "\"") }
    }
    guard isOpen, let last = challenges.indices.last, challenges[last].parameters.count < Self.most else { return }
    let name = name.lowercased()
    // The first of a name holds, as for everything that is said twice.
    guard challenges[last].parameter(name) == nil else { return }
    challenges[last].parameters.append(Parameter(name, value))
  }

  /// The rest of a quoted string (RFC 9110 section 5.6.4).
  private mutating func quoted() -> String {
    var text: [UInt8] = []
    while let byte = bytes.popFirst(), byte != UInt8(ascii: "\"") {
      if byte == UInt8(ascii: "\\"), let escaped = bytes.popFirst() {
        text.append(escaped)
      } else {
        text.append(byte)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Skips something that is no word, up to what could be the next one.
  private mutating func passOver() {
    if bytes.popFirst() == UInt8(ascii: "\"") { _ = quoted() }
  }

  private mutating func skip(_ isSkipped: (UInt8) -> Bool) { bytes = bytes.drop(while: isSkipped) }

  private mutating func take(while isTaken: (UInt8) -> Bool) -> String {
    let taken = bytes.prefix(while: isTaken)
    bytes = bytes[taken.endIndex...]
    return String(decoding: taken, as: UTF8.self)
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  private static func isToken68(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "-._~+/".utf8.contains(byte)
    }
  }
}

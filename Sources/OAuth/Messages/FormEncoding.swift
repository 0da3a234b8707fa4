/// One name and value of a query or a form, before encoding.
public struct Parameter: Sendable, Equatable, Codable {
  /// The name.
  public var name: String
  /// The value.
  public var value: String

  /// Makes a parameter.
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }

  /// Whether what goes by such a name is likely a secret.
  public var hasSecretName: Bool { SensitiveNames.contains(name.utf8) }
}

/// `application/x-www-form-urlencoded`, as OAuth uses it (RFC 6749 appendix B).
public enum FormEncoding {
  /// Encodes one name or value: UTF-8, unreserved characters bare, a space as `+`, all else percent-encoded.
  public static func encode(_ text: String) -> String { encode(text.utf8, space: "+") }

  /// Encodes what is in another charset than UTF-8.
  static func encode(bytes: [UInt8]) -> String { encode(bytes, space: "+") }

  /// Encodes for a URL's query: as ``encode(_:)``, with `%20` for a space, which every server decodes.
  public static func encodeForQuery(_ text: String) -> String { encode(text.utf8, space: "%20") }

  /// Encodes parameters as a form's body.
  public static func encode(_ parameters: [Parameter]) -> String {
    parameters.map { "\(encode($0.name))=\(encode($0.value))" }.joined(separator: "&")
  }

  /// Adds parameters to a URL, keeping the query that it has and putting them before its fragment.
  public static func url(_ base: String, adding parameters: [Parameter]) -> String {
    guard !parameters.isEmpty else { return base }
    let query = parameters.map { "\(encodeForQuery($0.name))=\(encodeForQuery($0.value))" }.joined(separator: "&")
    let parts = base.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    let head = parts[0]
    let separator = !head.contains("?") ? "?" : head.hasSuffix("?") || head.hasSuffix("&") ? "" : "&"
    return head + separator + query + (parts.count > 1 ? "#" + parts[1] : "")
  }

  /// Decodes a query or a form's body.
  ///
  /// A part without `=` is a name with an empty value; a malformed escape stays as it is.
  public static func decode(_ text: some StringProtocol) -> [Parameter] {
    // Bytes, not characters: an accent after the ampersand would make one character of the two.
    text.utf8.split(separator: UInt8(ascii: "&")).map { part in
      let pair = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      return Parameter(decodePart(pair[0]), pair.count > 1 ? decodePart(pair[1]) : "")
    }
  }

  private static func encode(_ bytes: some Sequence<UInt8>, space: String) -> String {
    var output = ""
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        output.unicodeScalars.append(Unicode.Scalar(byte))
      case UInt8(ascii: " "):
        output += space
      default:
        let hex = String(byte, radix: 16, uppercase: true)
        output += hex.count == 1 ? "%0" + hex : "%" + hex
      }
    }
    return output
  }

  private static func decodePart(_ text: some Sequence<UInt8>) -> String {
    var output: [UInt8] = []
    let bytes = Array(text)
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
        let high = hexDigit(bytes[index + 1]), let low = hexDigit(bytes[index + 2])
      {
        output.append(high << 4 | low)
        index += 3
      } else {
        output.append(bytes[index] == UInt8(ascii: "+") ? UInt8(ascii: " ") : bytes[index])
        index += 1
      }
    }
    return String(decoding: output, as: UTF8.self)
  }

  private static func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

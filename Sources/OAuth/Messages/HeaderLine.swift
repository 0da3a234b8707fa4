/// What a header line may hold (RFC 9110 section 5): nothing that could end the line or begin another.
public enum HeaderLine {
  /// The fields that requests to a server have of themselves, in lower case: no data and no option may set one of them.
  public static let ownNames = [
    "accept", "authorization", "connection", "content-length", "content-type", "cookie", "dpop", "host",
    "transfer-encoding",
  ]

  /// Whether both parts can be sent as one header line.
  public static func isSafe(name: String, value: String) -> Bool { isName(name) && value.utf8.allSatisfy(isValueByte) }

  /// Whether a text may name a field (RFC 9110 section 5.1).
  package static func isName(_ text: String) -> Bool { !text.isEmpty && text.utf8.allSatisfy(isTokenByte) }

  /// Whether a byte may be in a token: a field's name, a method (RFC 9110 section 5.6.2).
  package static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }

  /// Whether a byte may be in a field's value (RFC 9110 section 5.5).
  package static func isValueByte(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7F || byte == 0x09 }
}

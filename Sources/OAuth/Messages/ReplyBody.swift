/// What a server's body turned out to be.
///
/// Decided by its content: `Content-Type` is wrong too often to be trusted.
public enum ReplyBody: Sendable, Equatable {
  /// Nothing but white space.
  case empty
  /// A JSON object, or a form (`access_token=…&scope=…`) read as one.
  case fields([String: JSONValue])
  /// A page for people: from a proxy, a captive portal, a CDN. It says nothing about the grant.
  case html
  /// Something else.
  case unreadable

  /// Reads the body of a response.
  public init(_ response: HTTPResponse) {
    var bytes = response.body[...]
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
    bytes = bytes.drop(while: Self.isSpace)
    while let last = bytes.last, Self.isSpace(last) { bytes = bytes.dropLast() }
    guard let first = bytes.first else {
      self = .empty
      return
    }
    if first == UInt8(ascii: "{") {
      self = JSONValue(parsing: bytes, repairing: true)?.members.map(ReplyBody.fields) ?? .unreadable
    } else if first == UInt8(ascii: "<") {
      self = .html
    } else if response.header("Content-Type")?.lowercased().contains("html") == true {
      self = .html
    } else {
      self = Self.form(bytes)
    }
  }

  /// A form has a name, an equals sign, and no white space or markup anywhere.
  private static func form(_ bytes: ArraySlice<UInt8>) -> ReplyBody {
    let looksLikeForm =
      bytes.contains(UInt8(ascii: "=")) && bytes.first != UInt8(ascii: "=")
      && bytes.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: "\"") }
    guard looksLikeForm else { return .unreadable }
    var fields: [String: JSONValue] = [:]
    for parameter in FormEncoding.decode(String(decoding: bytes, as: UTF8.self)) {
      fields[parameter.name] = .string(parameter.value)
    }
    return .fields(fields)
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }
}

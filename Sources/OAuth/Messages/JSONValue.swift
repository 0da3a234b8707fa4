internal import FoundationEssentials

/// A JSON value kept as it came (RFC 8259): what a server said beside the fields that are understood.
public enum JSONValue: Sendable, Equatable {
  case null
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  /// Parses a whole JSON text; nil where it is not one.
  ///
  /// - Parameter repairing: whether texts that are no Unicode, and words that are no values, are taken for as much as
  ///   they are: for what servers send.
  public init?(parsing bytes: some Sequence<UInt8>, repairing: Bool = false) {
    let rules = repairing ? LocatedJSONParser.Rules.reply : LocatedJSONParser.Rules()
    guard let value = try? LocatedJSONParser.parse(Array(bytes), rules) else { return nil }
    self = value.plain
  }

  /// The text of a string; nil for anything else.
  public var text: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The members of an object; nil for anything else.
  public var members: [String: JSONValue]? {
    if case .object(let members) = self { members } else { nil }
  }

  /// The elements of an array; of anything else the value itself.
  var elements: [JSONValue] {
    if case .array(let elements) = self { elements } else { [self] }
  }

  /// What a person or a script would read: a string bare, anything else as JSON.
  public var plainText: String {
    if case .string(let text) = self { return text }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}

extension JSONValue: Codable {
  /// Reads any JSON value.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int64.self) {
      self = .integer(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([JSONValue].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }

  /// Writes the value as it was read.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    // JSON has no word for what is not finite, and a reply must not be lost for it.
    case .number(let value): try value.isFinite ? container.encode(value) : container.encodeNil()
    case .string(let value): try container.encode(value)
    case .array(let value): try container.encode(value)
    case .object(let value): try container.encode(value)
    }
  }
}

internal import FoundationEssentials

/// Reads and writes a provider as the JSON of a provider file.
public enum ProviderFile {
  /// Reads one provider. Comments are allowed; a key that the schema does not have is refused by name.
  ///
  /// - Throws: ``ProviderError``, with the line where it can be told.
  public static func read(_ bytes: [UInt8]) throws(ProviderError) -> Provider {
    let text = String(decoding: bytes, as: UTF8.self)
    let raw: JSONValue = try decode(JSONValue.self, bytes, text)
    guard let members = raw.members else {
      throw ProviderError.badValue(key: "", problem: "a provider file holds one JSON object", line: 1)
    }
    try ProviderSchema.refuseUnknownKeys(members, text: text)
    let provider: Provider = try decode(Provider.self, bytes, text)
    try ProviderSchema.validate(provider, text: text)
    return provider
  }

  /// Writes a provider as a file holds it: what is not set is left out, keys sorted, a newline at the end.
  public static func write(_ provider: Provider) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    // Strings and numbers alone: there is nothing in a provider that could fail to encode.
    let data = (try? encoder.encode(provider)) ?? Data()
    return String(decoding: data, as: UTF8.self) + "\n"
  }

  private static func decode<Value: Decodable>(
    _ type: Value.Type, _ bytes: [UInt8], _ text: String
  ) throws(ProviderError) -> Value {
    let decoder = JSONDecoder()
    decoder.allowsJSON5 = true
    do {
      return try decoder.decode(type, from: Data(bytes))
    } catch let error as DecodingError {
      throw translate(error, text)
    } catch {
      throw ProviderError.syntax(detail: "\(error)", line: nil)
    }
  }

  private static func translate(_ error: DecodingError, _ text: String) -> ProviderError {
    switch error {
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
      return badValue(context.codingPath, context.debugDescription, text)
    case .keyNotFound(let key, let context):
      return badValue(context.codingPath + [key], "is missing", text)
    case .dataCorrupted(let context):
      guard context.codingPath.isEmpty else { return badValue(context.codingPath, context.debugDescription, text) }
      let detail = context.underlyingError.map { "\($0)" } ?? context.debugDescription
      return .syntax(detail: SyntaxDetail.sentence(in: detail), line: SyntaxDetail.line(in: detail))
    @unknown default:
      return .syntax(detail: "\(error)", line: nil)
    }
  }

  private static func badValue(_ path: [any CodingKey], _ problem: String, _ text: String) -> ProviderError {
    let names = path.filter { $0.intValue == nil }.map(\.stringValue)
    return .badValue(
      key: names.joined(separator: "."), problem: problem, line: KeyLocator.line(of: names, in: text))
  }
}

/// Finds the line of a key, so that a message can point to it: the decoder does not tell.
enum KeyLocator {
  /// Gives the line, from 1, on which the last name of the path stands as a key below the names before it.
  static func line(of path: [String], in text: String) -> Int? {
    let bytes = Array(text.utf8)
    var position = 0
    guard !path.isEmpty else { return nil }
    for name in path {
      guard let found = find(key: name, in: bytes, from: position) else { return nil }
      position = found
    }
    return 1 + bytes[..<position].count { $0 == UInt8(ascii: "\n") }
  }

  private static func find(key: String, in bytes: [UInt8], from start: Int) -> Int? {
    for spelling in ["\"\(key)\"", "'\(key)'", key] {
      let pattern = Array(spelling.utf8)
      var index = start
      while index + pattern.count <= bytes.count {
        if bytes[index] == pattern[0], bytes[index..<index + pattern.count].elementsEqual(pattern),
          bytes[(index + pattern.count)...].first(where: { $0 > 0x20 }) == UInt8(ascii: ":")
        {
          return index
        }
        index += 1
      }
    }
    return nil
  }
}

/// Picks the sentence and the line out of the JSON parser's words ("… around line 3, column 5.").
enum SyntaxDetail {
  static func line(in detail: String) -> Int? {
    guard let range = detail.firstRange(of: "line ") else { return nil }
    return Int(detail[range.upperBound...].prefix { $0.isNumber })
  }

  static func sentence(in detail: String) -> String {
    var text = detail[...]
    if let start = text.firstRange(of: "NSDebugDescription=") { text = text[start.upperBound...] }
    if let end = text.firstRange(of: " around line") { text = text[..<end.lowerBound] }
    return String(text.prefix(120))
  }
}

internal import FoundationEssentials

/// Reads and writes a provider as the JSON of a provider file.
public enum ProviderFile {
  /// The largest file that is read, in bytes.
  public static let largest = 256 * 1024

  /// Reads one provider.
  ///
  /// Comments are allowed; a key that the schema does not have is refused by name.
  ///
  /// - Throws: ``ProviderError``, with the line where it can be told.
  public static func read(_ bytes: [UInt8]) throws(ProviderError) -> Provider {
    guard bytes.count <= largest else { throw .syntax(detail: "is larger than \(largest / 1024) KiB", line: nil) }
    let file = try LocatedJSONParser.parse(bytes, .file)
    try ProviderSchema.checkKeys(file)
    var provider = try decode(file)
    provider.dropEmptyTexts()
    try ProviderSchema.validate(provider, line: file.line(of:))
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

  /// Every key and type has been checked by now: a failure here is a mistake in the shapes of the schema.
  private static func decode(_ file: LocatedJSON) throws(ProviderError) -> Provider {
    guard let data = try? JSONEncoder().encode(file.plain),
      let provider = try? JSONDecoder().decode(Provider.self, from: data)
    else { throw .syntax(detail: "does not fit the schema", line: nil) }
    return provider
  }
}

extension Provider {
  /// Takes an empty text for one that is not set: a file made from the list of all keys has such places.
  fileprivate mutating func dropEmptyTexts() {
    for path in [\Provider.title, \.issuer, \.clientID, \.registerURL] where self[keyPath: path]?.isEmpty == true {
      self[keyPath: path] = nil
    }
    for (_, path) in Endpoints.all where endpoints?[keyPath: path]?.isEmpty == true {
      endpoints?[keyPath: path] = nil
    }
  }
}

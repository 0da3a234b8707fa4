extension Provider {
  /// Gives this provider with the `{name}` parts of its URLs filled in.
  ///
  /// - Parameter overrides: values that win over ``variables``.
  /// - Throws: ``ProviderError`` where a value is missing, where one is given that no URL has a place for, or where
  ///   a URL is none that secrets may be sent to once it is filled in.
  public func filling(_ overrides: [String: String]) throws(ProviderError) -> Provider {
    let values = (variables ?? [:]).merging(overrides) { _, override in override }
    let known = variableNames
    if let stray = overrides.keys.sorted().first(where: { !known.contains($0) }) {
      throw ProviderError.unknownVariable(stray, provider: name, known: known.sorted())
    }
    var filled = self
    filled.variables = values.isEmpty ? nil : values
    filled.issuer = try fill("issuer", issuer, values)
    for (key, path) in Endpoints.all where endpoints?[keyPath: path] != nil {
      filled.endpoints?[keyPath: path] = try fill("endpoints." + key, endpoints?[keyPath: path], values)
    }
    // For people only: one that stays as it is stops nothing.
    filled.registerURL = (try? fill("register_url", registerURL, values)) ?? registerURL
    return filled
  }

  /// The names that ``filling(_:)`` takes.
  public var variableNames: Set<String> {
    let urls = [issuer] + Endpoints.all.map { endpoints?[keyPath: $0.keyPath] }
    let used = urls.compactMap { $0 }.flatMap { Template.names(in: $0) ?? [] }
    return Set(used + Array((variables ?? [:]).keys)).subtracting([Template.clientID])
  }

  private func fill(_ key: String, _ url: String?, _ values: [String: String]) throws(ProviderError) -> String? {
    guard let url else { return nil }
    let filled = try Template.fill(url, values, provider: name)
    let plain = filled.replacing("{\(Template.clientID)}", with: "x")
    guard WebURL.isAcceptable(plain), !plain.contains(where: { "{}".contains($0) }) else {
      throw ProviderError.badValue(key: key, problem: "\(WebURL.rule), but becomes \(filled.prefix(200))", line: nil)
    }
    return filled
  }
}

/// `{name}` in a URL.
enum Template {
  /// The one name that is filled when the request is made, not before.
  static let clientID = "client_id"

  /// The rule of a name, in words.
  static let rule = "a variable's name must be 1 to 32 of a-z A-Z 0-9 _"

  private enum Piece {
    case literal(Substring)
    case name(String)
  }

  static func isName(_ text: String) -> Bool {
    (1...32).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }

  /// Gives the names in the order of the text; nil where a brace has no partner or holds no name.
  static func names(in text: String) -> [String]? {
    pieces(of: text)?.compactMap { piece in
      if case .name(let name) = piece { name } else { nil }
    }
  }

  /// Gives the text with its names replaced by values; one that is no template stays as it is.
  ///
  /// - Throws: ``ProviderError/missingVariable(_:provider:)``; an empty value is a missing one.
  static func fill(_ text: String, _ values: [String: String], provider: String) throws(ProviderError) -> String {
    guard let pieces = pieces(of: text) else { return text }
    var output = ""
    for piece in pieces {
      switch piece {
      case .name(clientID): output += "{\(clientID)}"
      case .name(let name):
        guard let value = values[name], !value.isEmpty else {
          throw ProviderError.missingVariable(name, provider: provider)
        }
        output += value
      case .literal(let literal):
        // A person writes the base URL with the slash as often as without.
        output += output.hasSuffix("/") && literal.hasPrefix("/") ? literal.dropFirst() : literal
      }
    }
    return output
  }

  /// Gives a URL of the same form: what stands for the whole beginning of a URL becomes one.
  static func sample(_ text: String) -> String {
    var output = ""
    for piece in pieces(of: text) ?? [.literal(text[...])] {
      switch piece {
      case .literal(let literal): output += literal
      case .name where output.isEmpty: output = "https://x"
      // A digit is right wherever a letter is, and in a port besides.
      case .name: output += "1"
      }
    }
    return output
  }

  private static func pieces(of text: String) -> [Piece]? {
    var pieces: [Piece] = []
    var rest = text[...]
    while let open = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
      guard rest[open] == "{", let close = rest[open...].firstIndex(of: "}") else { return nil }
      let name = String(rest[rest.index(after: open)..<close])
      guard isName(name) else { return nil }
      if open > rest.startIndex { pieces.append(.literal(rest[..<open])) }
      pieces.append(.name(name))
      rest = rest[rest.index(after: close)...]
    }
    if !rest.isEmpty { pieces.append(.literal(rest)) }
    return pieces
  }
}

/// The keys of one object of the schema, and what the value of each must be.
protocol SchemaKeys: CodingKey, CaseIterable {
  var shape: ValueShape { get }
}

/// What a value must be, beyond which its own rule may ask for more.
enum ValueShape {
  case text
  case texts
  case textMap
  case flag
  case ports
  case seconds
  case choice([String])
  case choices([String])
  case object(any SchemaKeys.Type)

  /// What is wrong with a value in a person's words; nil where its shape is right.
  func problem(_ json: LocatedJSON) -> String? {
    switch self {
    case .text: return json.text == nil ? "must be a string" : nil
    case .texts: return Self.texts(json) == nil ? "must be a list of strings" : nil
    case .textMap:
      return json.members?.allSatisfy { $0.value.text != nil } == true
        ? nil : "must be an object whose values are strings"
    case .flag:
      if case .bool = json.value { return nil }
      return "must be true or false"
    case .ports: return json.elements?.allSatisfy { $0.integer != nil } == true ? nil : "must be a list of port numbers"
    case .seconds:
      guard let seconds = json.integer, (0...86400).contains(seconds) else { return "must be seconds, from 0 to 86400" }
      return nil
    case .choice(let choices):
      guard let text = json.text, choices.contains(text) else { return "must be one of " + Self.list(choices) }
      return nil
    case .choices(let choices):
      guard let texts = Self.texts(json), texts.allSatisfy(choices.contains) else {
        return "must be a list of " + Self.list(choices)
      }
      return nil
    case .object: return json.members == nil ? "must be an object" : nil
    }
  }

  private static func texts(_ json: LocatedJSON) -> [String]? {
    guard let texts = json.elements?.map(\.text), !texts.contains(nil) else { return nil }
    return texts.compactMap { $0 }
  }

  private static func list(_ choices: [String]) -> String { choices.joined(separator: ", ") }

  static func choice<Choice: CaseIterable & RawRepresentable<String>>(of choices: Choice.Type) -> ValueShape {
    .choice(choices.allCases.map(\.rawValue))
  }

  static func choices<Choice: CaseIterable & RawRepresentable<String>>(of choices: Choice.Type) -> ValueShape {
    .choices(choices.allCases.map(\.rawValue))
  }
}

extension Provider.CodingKeys: SchemaKeys {
  var shape: ValueShape {
    switch self {
    case .name, .title, .issuer, .clientID, .scopeSeparator, .registerURL: .text
    case .scopes, .notes: .texts
    case .authorizationParams, .tokenParams, .refreshParams, .headers, .variables: .textMap
    case .clientAuth: .choice(of: ClientAuthMethod.self)
    case .pkce: .choice(of: CodeChallengeMethod.self)
    case .endpoints: .object(Endpoints.CodingKeys.self)
    case .redirect: .object(Redirect.CodingKeys.self)
    case .quirks: .object(Quirks.CodingKeys.self)
    }
  }
}

extension Endpoints.CodingKeys: SchemaKeys {
  var shape: ValueShape { .text }
}

extension Redirect.CodingKeys: SchemaKeys {
  var shape: ValueShape {
    switch self {
    case .host, .path: .text
    case .port: .ports
    }
  }
}

extension Quirks.CodingKeys: SchemaKeys {
  var shape: ValueShape {
    switch self {
    case .basicRaw, .assumeUnexpired: .flag
    case .scopeParam, .tokenPath, .okField: .text
    case .tokenRequest: .choice(of: TokenRequestFormat.self)
    case .expiresInUnit: .choice(of: ExpiryUnit.self)
    case .secretOn: .choices(of: SecretStep.self)
    case .errorAliases: .textMap
    case .issuerAliases: .texts
    case .refreshReuseSeconds: .seconds
    case .revocation: .object(RevocationStyle.CodingKeys.self)
    }
  }
}

extension RevocationStyle.CodingKeys: SchemaKeys {
  var shape: ValueShape {
    switch self {
    case .method: .choice(of: RevocationStyle.Method.self)
    case .auth: .choice(of: RevocationStyle.Authentication.self)
    case .body: .choice(of: RevocationStyle.Body.self)
    case .tokenParam: .text
    case .tokens: .choices(of: RevocationStyle.Kind.self)
    case .cascades: .flag
    }
  }
}

extension ProviderSchema {
  /// Refuses a key that the schema does not have and a value of the wrong shape, anywhere in the file.
  static func checkKeys(_ file: LocatedJSON) throws(ProviderError) {
    guard let members = file.members else {
      throw .badValue(key: "", problem: "a provider file holds one JSON object", line: file.line)
    }
    try check(members, Provider.CodingKeys.self, under: [])
    guard members.contains(where: { $0.name == Provider.CodingKeys.name.stringValue }) else {
      throw .badValue(key: Provider.CodingKeys.name.stringValue, problem: "is missing", line: nil)
    }
  }

  private static func check<Keys: SchemaKeys>(
    _ members: [LocatedJSON.Member], _ keys: Keys.Type, under path: [String]
  ) throws(ProviderError) {
    for member in members {
      let place = path + [member.name]
      guard let key = Keys(stringValue: member.name) else {
        if NearestKey.isSecret(member.name) { throw secretInFile(place, line: member.line) }
        throw .unknownKey(
          place.joined(separator: "."), line: member.line, nearest: NearestKey.find(member.name, under: path))
      }
      if let problem = key.shape.problem(member.value) {
        throw .badValue(
          key: place.joined(separator: "."), problem: later(place, member.value) ?? problem, line: member.line)
      }
      guard let inner = member.value.members else { continue }
      if case .object(let innerKeys) = key.shape { try check(inner, innerKeys, under: place) }
    }
  }

  static func secretInFile(_ place: [String], line: Int?) -> ProviderError {
    .badValue(
      key: place.joined(separator: "."),
      problem: "does not belong in a file: secrets are kept in the keyring, give it with --client-secret-file",
      line: line)
  }

  /// The methods of RFC 7523 and RFC 8705 have names already; say that they are known, but not what they do.
  private static func later(_ place: [String], _ value: LocatedJSON) -> String? {
    guard place == [Provider.CodingKeys.clientAuth.stringValue], let text = value.text,
      ["client-secret-jwt", "private-key-jwt", "tls"].contains(text)
    else { return nil }
    let known = ClientAuthMethod.allCases.map(\.rawValue).joined(separator: ", ")
    return "is \(text), which is not supported yet: use one of \(known)"
  }
}

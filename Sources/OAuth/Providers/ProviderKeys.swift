internal import Crypto

/// The keys of one object of the schema, and what the value of each must be.
protocol SchemaKeys: CodingKey, CaseIterable {
  var shape: ValueShape { get }
  /// Whether an object without it means nothing.
  var isRequired: Bool { get }
}

extension SchemaKeys {
  var isRequired: Bool { false }
}

/// What a value must be, beyond which its own rule may ask for more.
enum ValueShape {
  case text
  case texts
  case textMap
  /// An object whose names are another document's.
  case members
  case flag
  case ports
  case seconds
  case choice([String])
  case choices([String])
  case object(any SchemaKeys.Type)
  /// An object that names objects of one kind.
  case objects(any SchemaKeys.Type)

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
    case .object, .members: return json.members == nil ? "must be an object" : nil
    case .objects:
      return json.members?.allSatisfy { $0.value.members != nil } == true ? nil : "must be an object of objects"
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
  var isRequired: Bool { self == .name }

  var shape: ValueShape {
    switch self {
    case .name, .title, .issuer, .clientID, .scopeSeparator, .audience, .registerURL: .text
    case .scopes, .resource, .notes: .texts
    case .authorizationParams, .tokenParams, .deviceParams, .refreshParams, .headers, .variables: .textMap
    case .registration: .members
    case .par, .requestObject, .dpop: .flag
    case .clientAuth: .choice(of: ClientAuthMethod.self)
    case .clientAuthAlg: .choice(of: SignatureAlgorithm.self)
    case .responseMode: .choice(of: ResponseMode.self)
    case .flows: .choices(of: Flow.self)
    case .grants: .objects(ExtensionGrant.CodingKeys.self)
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

extension ExtensionGrant.CodingKeys: SchemaKeys {
  var isRequired: Bool { self == .grantType }

  var shape: ValueShape {
    switch self {
    case .grantType: .text
    case .params: .textMap
    }
  }
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
    case .basicRaw, .basicEmpty, .assumeUnexpired, .resourceOnRefresh: .flag
    case .basicCharset: .choice(of: BasicCharset.self)
    case .assertionAudience: .choice(of: AssertionAudience.self)
    case .scopeParam, .tokenPath, .okField: .text
    case .tokenRequest: .choice(of: TokenRequestFormat.self)
    case .expiresInUnit: .choice(of: ExpiryUnit.self)
    case .secretOn: .choices(of: SecretStep.self)
    case .scopeOn: .choices(of: ScopeStep.self)
    case .errorAliases, .fieldAliases: .textMap
    case .issuerAliases: .texts
    case .refreshReuseSeconds: .seconds
    case .device: .object(DeviceStyle.CodingKeys.self)
    case .revocation: .object(RevocationStyle.CodingKeys.self)
    case .introspection: .object(IntrospectionStyle.CodingKeys.self)
    case .userinfo: .object(UserinfoStyle.CodingKeys.self)
    }
  }
}

extension DeviceStyle.CodingKeys: SchemaKeys {
  var shape: ValueShape {
    switch self {
    case .grantType, .codeParam, .userCodeParam, .scopeParam, .errorField: .text
    case .fieldAliases, .statusErrors: .textMap
    case .expiresInUnit: .choice(of: ExpiryUnit.self)
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

extension IntrospectionStyle.CodingKeys: SchemaKeys {
  var shape: ValueShape {
    switch self {
    case .method: .choice(of: IntrospectionStyle.Method.self)
    case .auth: .choice(of: IntrospectionStyle.Authentication.self)
    case .tokenIn: .choice(of: IntrospectionStyle.Place.self)
    case .scheme: .text
    }
  }
}

extension UserinfoStyle.CodingKeys: SchemaKeys {
  var shape: ValueShape {
    switch self {
    case .method: .choice(of: UserinfoStyle.Method.self)
    case .headers: .textMap
    case .scheme, .identity: .text
    }
  }
}

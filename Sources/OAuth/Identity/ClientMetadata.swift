public import Crypto

/// What a client says of itself when it registers (RFC 7591 section 2, OpenID Connect Dynamic Client Registration 1.0).
public struct ClientMetadata: Sendable, Equatable {
  /// Its name for people.
  public var name: String
  /// Where browsers come back to; none for a client without a browser.
  public var redirectURIs: [String]
  /// The grants that it will use.
  public var grantTypes = ["authorization_code", "refresh_token"]
  /// The response types that it will use.
  public var responseTypes = ["code"]
  /// The scopes that it may ask for; nil leaves them to the server.
  public var scopes: [String]?
  /// How it will authenticate, by the registered name.
  public var authMethod = "none"
  /// The algorithm of its assertions (`token_endpoint_auth_signing_alg`).
  public var authAlgorithm: String?
  /// Its public keys, for assertions.
  public var keys: JSONValue?
  /// Whether it asks for tokens only with a proof of their key (RFC 9449 section 5.2).
  public var bindsTokensToKey = false
  /// The software's version.
  public var softwareVersion: String?
  /// What somebody that the server trusts says of the software: a JWT (RFC 7591 section 2.3).
  public var softwareStatement: Secret?
  /// Further members, which win over those above.
  public var further: [String: JSONValue] = [:]

  /// Makes the metadata of a native public client that uses the code.
  public init(name: String, redirectURIs: [String]) {
    self.name = name
    self.redirectURIs = redirectURIs
  }

  /// The same with the least that will do, for a server that takes one redirect URI or one grant alone.
  public var reduced: ClientMetadata {
    var reduced = self
    reduced.redirectURIs = Array(redirectURIs.prefix(1))
    if grantTypes.contains("authorization_code") {
      reduced.grantTypes = grantTypes.filter { ["authorization_code", "refresh_token"].contains($0) }
    }
    return reduced
  }

  /// The members that the login decides on, or the server: no others' words may stand in their place.
  static let ownMembers: Set<String> = [
    "redirect_uris", "grant_types", "response_types", "scope", "token_endpoint_auth_method",
    "token_endpoint_auth_signing_alg", "jwks", "jwks_uri", "dpop_bound_access_tokens", "software_statement",
    "client_id", "client_secret", "client_id_issued_at", "client_secret_expires_at", "registration_client_uri",
    "registration_access_token",
  ]

  /// The members as they are sent; what the client does not say is left out.
  var members: [String: JSONValue] {
    var members: [String: JSONValue] = [
      // A server that knows OpenID Connect lets native clients alone have loopback redirects.
      "client_name": .string(name), "application_type": .string("native"),
      "grant_types": Self.list(grantTypes), "response_types": Self.list(responseTypes),
      "token_endpoint_auth_method": .string(authMethod),
    ]
    if !redirectURIs.isEmpty { members["redirect_uris"] = Self.list(redirectURIs) }
    let texts = [
      "scope": scopes.map { $0.joined(separator: " ") }, "token_endpoint_auth_signing_alg": authAlgorithm,
      "software_version": softwareVersion, "software_statement": softwareStatement?.reveal(),
    ]
    for case (let name, let text?) in texts { members[name] = .string(text) }
    if bindsTokensToKey { members["dpop_bound_access_tokens"] = .bool(true) }
    if let keys { members["jwks"] = keys }
    return members.merging(further) { _, further in further }
  }

  private static func list(_ texts: [String]) -> JSONValue { .array(texts.map(JSONValue.string)) }
}

public import Crypto

/// A server's own description of itself (OpenID Connect Discovery 1.0 section 3, RFC 8414 section 2).
public struct ServerMetadata: Sendable, Equatable {
  /// The issuer, exactly as it was asked for.
  public let issuer: String
  /// Its endpoints; each is one that may be given secrets.
  public private(set) var endpoints: Endpoints
  /// The endpoints that a client with a certificate uses in their place (RFC 8705 section 5).
  public private(set) var certificateEndpoints: Endpoints
  /// All members that have the type they must have; what is null or empty is as good as missing.
  public private(set) var members: [String: JSONValue]

  /// Reads the members of a document, of which the issuer is known to be the right one.
  ///
  /// - Throws: ``DiscoveryFailure/badEndpoint(name:url:)``.
  init(issuer: String, members: [String: JSONValue]) throws(DiscoveryFailure) {
    self.issuer = issuer
    self.members = members.filter { Self.isUsable($0.key, $0.value) }
    endpoints = try Self.endpoints(self.members, of: issuer)
    certificateEndpoints = try Self.endpoints(self.members["mtls_endpoint_aliases"]?.members ?? [:], of: issuer)
  }

  /// Gives this metadata, the gaps filled from the other document of the same issuer.
  ///
  /// What one of them promises or demands holds: a server that splits its documents does not take a word back.
  public func filled(from other: ServerMetadata) -> ServerMetadata {
    var result = self
    result.endpoints = endpoints.filled(from: other.endpoints)
    result.certificateEndpoints = certificateEndpoints.filled(from: other.certificateEndpoints)
    result.members = members.merging(other.members) { own, theirs in theirs == .bool(true) ? theirs : own }
    return result
  }

  /// Gives the metadata with the claims of its signed form, which win over the plain members.
  ///
  /// - Parameter claims: the claims of `signed_metadata`, verified.
  /// - Throws: ``DiscoveryFailure/badEndpoint(name:url:)``.
  /// - See: https://www.rfc-editor.org/rfc/rfc8414#section-2.1
  public func overridden(by claims: [String: JSONValue]) throws(DiscoveryFailure) -> ServerMetadata {
    // The RFC has `signed_metadata` not appear in itself, and the token's own claims say nothing of the server.
    let own = ["signed_metadata", "iss", "iat", "exp", "nbf", "jti", "aud", "sub"]
    let signed = claims.filter { !own.contains($0.key) && Self.isUsable($0.key, $0.value) }
    return try ServerMetadata(issuer: issuer, members: members.merging(signed) { _, signed in signed })
  }

  /// Gives the endpoints for a client: with a certificate the aliases where there are any.
  public func endpoints(withCertificate: Bool) -> Endpoints {
    withCertificate ? certificateEndpoints.filled(from: endpoints) : endpoints
  }

  /// Reads the endpoints: a server that is not on this machine has no business with what listens here.
  private static func endpoints(
    _ fields: [String: JSONValue], of issuer: String
  ) throws(DiscoveryFailure) -> Endpoints {
    var endpoints = Endpoints()
    for (key, path) in Endpoints.all where !Endpoints.ownKeys.contains(key) {
      guard let value = fields[key == "jwks" ? "jwks_uri" : key + "_endpoint"]?.text, !value.isEmpty else { continue }
      guard WebURL.isAcceptable(value, from: issuer) else { throw .badEndpoint(name: key, url: value) }
      endpoints[keyPath: path] = value
    }
    return endpoints
  }
}

extension ServerMetadata {
  private static let flags: Set<String> = [
    "authorization_response_iss_parameter_supported", "require_pushed_authorization_requests",
    "tls_client_certificate_bound_access_tokens", "require_signed_request_object",
    "client_id_metadata_document_supported", "request_parameter_supported", "request_uri_parameter_supported",
    "require_request_uri_registration", "claims_parameter_supported", "backchannel_logout_supported",
    "backchannel_logout_session_supported", "frontchannel_logout_supported", "frontchannel_logout_session_supported",
  ]

  /// Whether a member can be what it is meant to be; of the names that the RFCs do not have, nothing is known.
  private static func isUsable(_ name: String, _ value: JSONValue) -> Bool {
    if value == .null || value == .string("") { return false }
    if case .bool = value { return true }
    if flags.contains(name) { return false }
    if case .array = value { return true }
    return !name.hasSuffix("_supported")
  }

  /// How many values of a list are looked at: no server has more, and a reply must not make us work for long.
  private static let longestList = 1000

  /// The texts of a list; nil where the server has none.
  private func strings(_ name: String) -> [String]? {
    guard case .array(let items) = members[name] else { return nil }
    return items.prefix(Self.longestList).compactMap(\.text)
  }

  private func flag(_ name: String) -> Bool { members[name] == .bool(true) }

  /// The scopes it lists; nil where it lists none.
  public var scopes: [String]? { strings("scopes_supported") }
  /// The response types it lists.
  public var responseTypes: [String]? { strings("response_types_supported") }
  /// The response modes it lists; RFC 8414 has `query` and `fragment` for a server that lists none.
  public var responseModes: [String]? { strings("response_modes_supported") }
  /// The algorithms that it signs authorization responses by (JARM section 3).
  public var responseAlgorithms: [String]? { strings("authorization_signing_alg_values_supported") }
  /// The grants it lists; nil where it lists none, which RFC 8414 takes for the code and the implicit grant.
  public var grantTypes: [String]? { strings("grant_types_supported") }
  /// The client authentication methods of its token endpoint; nil where it lists none, which means Basic.
  public var authMethods: [String]? { strings("token_endpoint_auth_methods_supported") }
  /// The algorithms that it takes client assertions in.
  public var authAlgorithms: [String]? { strings("token_endpoint_auth_signing_alg_values_supported") }
  /// The algorithms that it takes request objects in (RFC 9101 section 10.5).
  public var requestObjectAlgorithms: [String]? { strings("request_object_signing_alg_values_supported") }
  /// The algorithms that it takes proofs of a key in (RFC 9449 section 5.1); nil where it knows no such proofs.
  public var dpopAlgorithms: [String]? { strings("dpop_signing_alg_values_supported") }
  /// The values of `prompt` it lists (Initiating User Registration 1.0).
  public var promptValues: [String]? { strings("prompt_values_supported") }

  /// Whether it promises `iss` in each authorization response (RFC 9207 section 3).
  public var sendsIssuer: Bool { flag("authorization_response_iss_parameter_supported") }
  /// Whether it takes authorization requests only when they were left beforehand (RFC 9126 section 5).
  public var requiresPushedRequests: Bool { flag("require_pushed_authorization_requests") }
  /// Whether it takes authorization requests only as signed objects (RFC 9101 section 10.5).
  public var requiresSignedRequests: Bool { flag("require_signed_request_object") }
  /// Whether a client's id may be the URL of its own metadata (Client ID Metadata Document section 5).
  public var takesClientIDDocuments: Bool { flag("client_id_metadata_document_supported") }
  /// Whether it takes a request object as the parameter `request`; nil where it does not say.
  public var takesRequestParameter: Bool? {
    if case .bool(let value) = members["request_parameter_supported"] { value } else { nil }
  }

  /// The metadata as a JWT that it signed (RFC 8414 section 2.1).
  public var signedMetadata: Secret? { members["signed_metadata"]?.text.map(Secret.init(_:)) }
}

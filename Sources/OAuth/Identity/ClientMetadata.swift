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
  /// Its public keys, for assertions and certificates that it signed itself.
  public var keys: JSONValue?
  /// The subject of the certificate that it will show (RFC 8705 section 2.1.2).
  public var certificateSubject: String?
  /// Whether its tokens are to be bound to its certificate (RFC 8705 section 3.4).
  public var bindsTokensToCertificate = false
  /// Whether it asks for tokens only with a proof of their key (RFC 9449 section 5.2).
  public var bindsTokensToKey = false
  /// Whether its authorization requests are left beforehand always (RFC 9126 section 6).
  public var pushesRequests = false
  /// The algorithm of its request objects (RFC 9101 section 10.4).
  public var requestObjectAlgorithm: String?
  /// The types of authorization details that it may ask for (RFC 9396 section 10).
  public var authorizationDetailsTypes: [String]?
  /// The software that it is an instance of, the same at every server.
  public var softwareID: String?
  /// The software's version.
  public var softwareVersion: String?
  /// What somebody that the server trusts says of the software: a JWT (RFC 7591 section 2.3).
  public var softwareStatement: Secret?
  /// A page about the software.
  public var clientURI: String?
  /// Where browsers may go after a logout (OpenID Connect RP-Initiated Logout 1.0 section 3.1).
  public var postLogoutRedirectURIs: [String] = []
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

  /// The members as they are sent; what the client does not say is left out.
  var members: [String: JSONValue] {
    var members: [String: JSONValue] = [
      // A server that knows OpenID Connect lets native clients alone have loopback redirects.
      "client_name": .string(name), "application_type": .string("native"),
      "grant_types": Self.list(grantTypes), "response_types": Self.list(responseTypes),
      "token_endpoint_auth_method": .string(authMethod),
    ]
    let lists = [
      "redirect_uris": redirectURIs, "post_logout_redirect_uris": postLogoutRedirectURIs,
      "authorization_details_types": authorizationDetailsTypes ?? [],
    ]
    for (name, list) in lists where !list.isEmpty { members[name] = Self.list(list) }
    let texts = [
      "scope": scopes.map { $0.joined(separator: " ") }, "token_endpoint_auth_signing_alg": authAlgorithm,
      "tls_client_auth_subject_dn": certificateSubject, "request_object_signing_alg": requestObjectAlgorithm,
      "software_id": softwareID, "software_version": softwareVersion,
      "software_statement": softwareStatement?.reveal(), "client_uri": clientURI,
    ]
    for case (let name, let text?) in texts { members[name] = .string(text) }
    let flags = [
      "tls_client_certificate_bound_access_tokens": bindsTokensToCertificate,
      "dpop_bound_access_tokens": bindsTokensToKey, "require_pushed_authorization_requests": pushesRequests,
    ]
    for (name, isSet) in flags where isSet { members[name] = .bool(true) }
    if let keys { members["jwks"] = keys }
    return members.merging(further) { _, further in further }
  }

  private static func list(_ texts: [String]) -> JSONValue { .array(texts.map(JSONValue.string)) }
}

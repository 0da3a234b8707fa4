public import Crypto

/// What a protected resource says of itself (RFC 9728 section 2).
public struct ResourceMetadata: Sendable, Equatable {
  /// The resource's identifier: what a token for it is asked for with (`resource`, RFC 8707).
  public let resource: String
  /// The issuers of the servers that give tokens for it, in its order.
  public let authorizationServers: [String]
  /// Others that it names, which are no URLs that may be asked.
  public let unusableServers: [String]
  /// All members, as they came.
  public let members: [String: JSONValue]

  private func strings(_ name: String) -> [String]? {
    guard case .array(let items) = members[name] else { return nil }
    return items.prefix(1000).compactMap(\.text)
  }

  /// The scopes it lists; nil where it lists none.
  public var scopes: [String]? { strings("scopes_supported") }
  /// The algorithms that it takes proofs of a key in (RFC 9449).
  public var dpopAlgorithms: [String]? { strings("dpop_signing_alg_values_supported") }
  /// Whether it takes tokens only with a proof of their key (RFC 9449).
  public var requiresDPoP: Bool { members["dpop_bound_access_tokens_required"] == .bool(true) }
  /// Its name for people, not yet fit for a terminal.
  public var name: String? { members["resource_name"]?.text }
  /// The metadata as a JWT (RFC 9728 section 2.2).
  public var signedMetadata: Secret? { members["signed_metadata"]?.text.map(Secret.init(_:)) }

  init(
    resource: String, authorizationServers: [String], unusableServers: [String] = [], members: [String: JSONValue]
  ) {
    self.resource = resource
    self.authorizationServers = authorizationServers
    self.unusableServers = unusableServers
    self.members = members
  }
}

/// Why a resource's metadata cannot be used.
public enum ResourceFailure: Error, Sendable, Equatable {
  /// There is no document at this URL.
  case notFound(url: String, status: Int)
  /// What is there says `200` and is no metadata.
  case unreadable(url: String)
  /// The resource could not be asked.
  case transient(ServerError)
  /// The document is of another resource (RFC 9728 section 3.3): a token for it might be for anybody.
  case resourceMismatch(expected: String, got: String)
  /// It names a URL that must not be asked.
  case badURL(name: String, url: String)
  /// What it says under a signature does not hold (RFC 9728 section 2.2).
  case unverified(JWT.Mismatch)
  /// It wants a token, and says nowhere whose.
  case noAuthorizationServer(resource: String)
}

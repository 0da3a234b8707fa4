/// The authorization server that a client's secret, key and certificate were given for: no other one may see what they make.
///
/// - See: https://www.rfc-editor.org/rfc/rfc9700#section-4.4
public struct ClientServer: Sendable, Equatable, Codable {
  /// The issuer; nil where the provider names none.
  public var issuer: String?
  /// Where the token endpoint is: scheme, host and port; nil where that was not known.
  public var origin: String?

  /// The server that a provider is at, once its endpoints are known.
  public init(_ provider: Provider) {
    issuer = provider.issuer
    origin = provider.endpoints?.token.flatMap(WebURL.init)?.origin
  }

  /// The server of an issuer.
  public init(issuer: String) {
    self.issuer = issuer
  }

  /// Whether it is the server of this very issuer, which is all that tells one server from another where the user has named
  /// neither: a resource may name another one any day.
  public func isSameIssuer(as other: ClientServer) -> Bool { issuer != nil && issuer == other.issuer }

  /// Whether it is the same server: what is sent to one origin is in the same hands whatever its path, so that a tenant or a
  /// realm may change.
  ///
  /// An issuer's name decides only where an origin is not known: a file that has the name may lead anywhere. Where an issuer
  /// has moved its token endpoint, what was given for the old place has to be given again.
  public func isSame(as other: ClientServer) -> Bool {
    if let origin, let there = other.origin { return origin == there }
    return isSameIssuer(as: other)
  }

  /// Whether it is known to be another server, or the same one under another issuer's name.
  public func isAnother(than other: ClientServer) -> Bool {
    if let issuer, let before = other.issuer, issuer != before { return true }
    return !isSame(as: other)
  }

  /// What to call it.
  public var name: String { issuer ?? origin ?? "another server" }
}

extension ClientRegistration {
  /// The server that its means are for; nil where that is not known, since an older version has kept them.
  public var knownServer: ClientServer? {
    if let server { return server }
    return management?.issuer.map { ClientServer(issuer: $0) }
  }

  /// Whether a server may see what proves who the client is, as far as is known.
  ///
  /// A certificate's own endpoints may be elsewhere (RFC 8705 section 5), and its key stays here whoever sees it.
  public func mayProveItself(to server: ClientServer) -> Bool {
    guard let known = knownServer else { return true }
    return known.isSame(as: server)
      || certificate != nil && secret == nil && key == nil && known.isSameIssuer(as: server)
  }

  /// Whether it has anything that proves who it is.
  public var hasMeans: Bool { secret != nil || key != nil || certificate != nil }

  /// Gives the client without what proves who it is.
  public var withoutMeans: ClientRegistration {
    var client = self
    (client.secret, client.secretExpiresAt, client.key, client.certificate) = (nil, nil, nil, nil)
    return client
  }
}

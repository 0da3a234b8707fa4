public import OAuth

/// Fills a provider's gaps from its issuer's metadata.
public struct DiscoverProvider: Sendable {
  private let http: any HTTPClient

  /// Asks through the given client.
  public init(http: any HTTPClient) {
    self.http = http
  }

  /// What was found, and what the login should know of it.
  public struct Found: Sendable {
    /// The provider, complete.
    public var provider: Provider
    /// Whether each authorization response must name its issuer.
    public var requiresIssuer: Bool
    /// How a client with a secret should authenticate, where the server does not take Basic.
    public var secretMethod: ClientAuthMethod?
  }

  /// Gives the provider with its gaps filled.
  ///
  /// Without an issuer, or where nothing that a login needs is missing, nothing is asked. What the provider's own data
  /// says always wins.
  ///
  /// - Throws: `DiscoveryFailure`, ``TransportError``.
  public func complete(_ provider: Provider) async throws -> Found {
    let known = provider.endpoints ?? Endpoints()
    guard let issuer = provider.issuer, known.authorization == nil || known.token == nil else {
      return Found(provider: provider, requiresIssuer: false)
    }
    let metadata = try await metadata(of: issuer)
    var complete = provider
    complete.endpoints = known.filled(from: metadata.endpoints)
    if complete.scopes == nil {
      let wanted = ["openid", "profile", "email", "offline_access"]
      complete.scopes = metadata.scopes.map { offered in wanted.filter(offered.contains) } ?? ["openid"]
    }
    let methods = metadata.authMethods ?? ["client_secret_basic"]
    let takesPostOnly = !methods.contains("client_secret_basic") && methods.contains("client_secret_post")
    return Found(provider: complete, requiresIssuer: metadata.sendsIssuer, secretMethod: takesPostOnly ? .post : nil)
  }
}

extension DiscoverProvider {
  /// Gives the issuer's metadata, merged from its documents: servers put some endpoints in one of them only.
  ///
  /// - Throws: `DiscoveryFailure`, ``TransportError``.
  func metadata(of issuer: String) async throws -> ServerMetadata {
    var found: ServerMetadata?
    var firstFailure: (any Error)?
    for url in Discovery.urls(for: issuer) {
      do {
        let response = try await http.send(Discovery.request(url: url))
        let metadata = try Discovery.validate(response, url: url, issuer: issuer)
        found = found?.filled(from: metadata) ?? metadata
      } catch let failure as DiscoveryFailure {
        // The second document only adds to the first: what is wrong with it alone does not matter.
        if case .notFound = failure {} else if found == nil { throw failure }
        firstFailure = firstFailure ?? failure
      } catch  where found != nil && !(error is CancellationError) {
        // Nor does it matter that it could not be fetched.
      }
      if let found, isComplete(found) { return found }
    }
    guard let found else { throw firstFailure ?? DiscoveryFailure.notFound(url: issuer, status: 0) }
    return found
  }

  private func isComplete(_ metadata: ServerMetadata) -> Bool {
    let endpoints = metadata.endpoints
    return endpoints.authorization != nil && endpoints.token != nil && endpoints.revocation != nil
  }
}

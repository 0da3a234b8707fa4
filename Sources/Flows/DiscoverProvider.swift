public import OAuth

/// Fills a provider's gaps from its issuer's metadata.
public struct DiscoverProvider: Sendable {
  let network: Network

  /// Asks through the given network.
  public init(network: Network) {
    self.network = network
  }

  /// An endpoint that what comes next cannot do without, or would be better with.
  public enum Need: Sendable, CaseIterable {
    case authorization, token, jwks, deviceAuthorization, pushedAuthorizationRequest, registration, revocation
    case introspection, userinfo, endSession

    /// Whether a provider lacks it.
    func isMissing(in endpoints: Endpoints) -> Bool {
      switch self {
      case .authorization: endpoints.authorization == nil
      case .token: endpoints.token == nil
      case .jwks: endpoints.jwks == nil
      case .deviceAuthorization: endpoints.deviceAuthorization == nil
      case .pushedAuthorizationRequest: endpoints.pushedAuthorizationRequest == nil
      case .registration: endpoints.registration == nil
      case .revocation: endpoints.revocation == nil
      case .introspection: endpoints.introspection == nil
      case .userinfo: endpoints.userinfo == nil
      case .endSession: endpoints.endSession == nil
      }
    }
  }

  /// What was found, and what the login should know of it.
  public struct Found: Sendable {
    /// The provider, complete.
    public var provider: Provider
    /// What the issuer says of itself; nil where it was not asked, or what it said cannot be used.
    public var metadata: ServerMetadata?
    /// Why there is no metadata, where a login can do without.
    public var problem: (any Error)?

    /// Whether each authorization response must name its issuer.
    public var requiresIssuer: Bool { metadata?.sendsIssuer ?? false }

    /// Chooses how a client authenticates; nil where nothing is said that decides.
    ///
    /// - Throws: `UnsupportedClientAuth` where the server takes nothing that the client can do.
    public func authentication(
      _ means: ClientAuthChoice.Means
    ) throws(UnsupportedClientAuth) -> ClientAuthChoice.Choice? {
      guard let metadata else { return nil }
      return try ClientAuthChoice.choose(
        means, offered: metadata.authMethods, algorithms: metadata.authAlgorithms)
    }

    /// Gives the provider for a client that shows a certificate: with the endpoints that are for those.
    ///
    /// - See: https://www.rfc-editor.org/rfc/rfc8705#section-5
    public var providerForCertificates: Provider {
      var other = provider
      // The browser shows no certificate of the client's: its page stays where it is.
      var own = known
      own.authorization = provider.endpoints?.authorization
      if let metadata { other.endpoints = own.filled(from: metadata.endpoints(withCertificate: true)) }
      return other
    }

    /// What the provider's own data says.
    var known = Endpoints()
  }

  /// Gives the provider with its gaps filled.
  ///
  /// Without an issuer, or where nothing that is needed is missing, nothing is asked. What the provider's own data says
  /// always wins. Where it has all that a login cannot do without, metadata that cannot be had or used is told and does
  /// not end it; a signature that does not hold always does.
  ///
  /// - Parameters:
  ///   - essentials: what nothing goes on without.
  ///   - needs: what else to ask for.
  ///   - metadata: the issuer's metadata, where it was asked already.
  ///   - isKept: whether the endpoints are what an earlier login found: then what the issuer says now wins.
  /// - Throws: `DiscoveryFailure`, ``TransportError``, ``KeySetError``.
  public func complete(
    _ provider: Provider, essentials: [Need] = [.authorization, .token], needs: [Need] = [],
    metadata: ServerMetadata? = nil, isKept: Bool = false
  ) async throws -> Found {
    let known = provider.endpoints ?? Endpoints()
    guard let issuer = provider.issuer else { return Found(provider: provider) }
    let isEssential = essentials.contains { $0.isMissing(in: known) }
    guard isEssential || isKept || metadata != nil || needs.contains(where: { $0.isMissing(in: known) }) else {
      return Found(provider: provider)
    }
    let found: ServerMetadata
    do {
      found = if let metadata { metadata } else { try await self.metadata(of: issuer, needs: needs) }
    } catch  where !isEssential && Self.isTolerable(error) {
      return Found(provider: provider, problem: error, known: known)
    }
    var complete = provider
    complete.endpoints = isKept ? found.endpoints.filled(from: known) : known.filled(from: found.endpoints)
    if complete.scopes == nil {
      let wanted = ["openid", "profile", "email", "offline_access"]
      complete.scopes = found.scopes.map { offered in wanted.filter(offered.contains) } ?? ["openid"]
    }
    return Found(provider: complete, metadata: found, known: isKept ? Endpoints() : known)
  }
}

extension DiscoverProvider {
  private static func isTolerable(_ error: any Error) -> Bool {
    if case DiscoveryFailure.unverified = error { return false }
    return !(error is CancellationError)
  }

  /// Gives the issuer's metadata, merged from its documents: servers put some endpoints in one of them only.
  ///
  /// What the issuer signed wins over what stands beside it.
  ///
  /// - Parameter needs: what makes a further document worth asking for.
  /// - Throws: `DiscoveryFailure`, ``TransportError``, ``KeySetError``.
  public func metadata(of issuer: String, needs: [Need] = []) async throws -> ServerMetadata {
    let plain = try await unsigned(issuer, needs)
    // Without keys there is nothing to check it with; RFC 8414 section 2.1 lets it be ignored.
    guard let signed = plain.signedMetadata, let url = plain.endpoints.jwks else { return plain }
    let keys = try await KeySets(network: network).fetch(url)
    let claims: [String: JSONValue]
    do {
      claims = try SignedMetadata.verify(signed, issuer: issuer, keys: keys, now: network.time.now)
    } catch {
      throw DiscoveryFailure.unverified(error)
    }
    return try plain.overridden(by: claims)
  }

  private func unsigned(_ issuer: String, _ needs: [Need]) async throws -> ServerMetadata {
    var found: ServerMetadata?
    var firstFailure: (any Error)?
    for url in Discovery.urls(for: issuer) {
      do {
        let response = try await network.http.send(Discovery.request(url: url))
        let metadata = try Discovery.validate(response, url: url, issuer: issuer)
        found = found?.filled(from: metadata) ?? metadata
      } catch let failure as DiscoveryFailure {
        // The second document only adds to the first: what is wrong with it alone does not matter.
        if case .notFound = failure {} else if found == nil { throw failure }
        firstFailure = firstFailure ?? failure
      } catch  where found != nil && !(error is CancellationError) {
        // Nor does it matter that it could not be fetched.
      }
      if let found, isComplete(found, needs) { return found }
    }
    guard let found else { throw firstFailure ?? DiscoveryFailure.notFound(url: issuer, status: 0) }
    return found
  }

  private func isComplete(_ metadata: ServerMetadata, _ needs: [Need]) -> Bool {
    let wanted: [Need] = [.authorization, .token, .revocation] + needs
    return !wanted.contains { $0.isMissing(in: metadata.endpoints) }
  }
}

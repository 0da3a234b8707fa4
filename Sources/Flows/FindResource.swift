internal import Crypto
public import OAuth

/// Finds out what a URL is: the issuer of tokens, or a resource that takes them, and then whose.
public struct FindResource: Sendable {
  private let discovery: DiscoverProvider

  /// Asks through the given network.
  public init(network: Network) {
    discovery = DiscoverProvider(network: network)
  }

  /// What a URL turned out to be.
  public enum Found: Sendable {
    /// An authorization server's own name.
    case issuer(ServerMetadata)
    /// A resource that a server gives tokens for.
    case resource(Resource)
  }

  /// A protected resource, and the server that gives tokens for it.
  public struct Resource: Sendable {
    /// What a token is asked for with (`resource`, RFC 8707): the name that the resource has for itself.
    public var identifier: String
    /// What it says of itself; nil where it only refused us.
    public var metadata: ResourceMetadata?
    /// The scopes that it wants: those of its refusal, else those that it lists; nil where it names none.
    public var scopes: [String]?
    /// What its authorization server says of itself; its issuer is the one to log in at.
    public var server: ServerMetadata
    /// All issuers that it names, in its order.
    public var issuers: [String]
  }

  /// Asks the URL itself without a token, and its well-known places.
  ///
  /// A resource that refuses with the URL of its metadata has said what it is, and an issuer never does: so that is
  /// looked at first, and a server that is both is taken for the resource. Then come the issuer's well-known places, and
  /// then, for resources that do not refuse in this way, theirs.
  ///
  /// - Parameter isIssuerLikely: whether the issuer's places come first, as for a URL that the user has a client at.
  /// - Throws: `ResourceFailure`, `DiscoveryFailure`, ``TransportError``.
  public func find(_ url: String, isIssuerLikely: Bool = false) async throws -> Found {
    let early = isIssuerLikely ? try await asIssuer(url) : nil
    if case .success(let metadata) = early { return .issuer(metadata) }
    let demand = try await demand(of: url)
    if let place = try demand?.metadataURL.map({ try ProtectedResource.place($0, of: url) }),
      let metadata = try await document(at: place)
    {
      return .resource(try await resource(metadata, demand))
    }
    let issuer = if let early { early } else { try await asIssuer(url) }
    if case .success(let metadata) = issuer { return .issuer(metadata) }
    for place in ProtectedResource.places(of: url) {
      if let metadata = try await document(at: place) { return .resource(try await resource(metadata, demand)) }
    }
    guard let demand else { return .issuer(try issuer.get()) }
    return .resource(try await unnamed(url, demand))
  }
}

extension FindResource {
  /// What a resource says without a token; nil where it demands none, or cannot be asked.
  private func demand(of url: String) async throws -> ProtectedResource.Demand? {
    do {
      return ProtectedResource.demand(in: try await discovery.network.http.send(ProtectedResource.probe(url)))
    } catch is TransportError {
      // A page too long, or a stream without an end; a network that is down is told by the next request.
      return nil
    }
  }

  /// The metadata of an issuer, or why the URL is none; a server that has trouble ends the search.
  private func asIssuer(_ url: String) async throws -> Result<ServerMetadata, DiscoveryFailure> {
    do {
      return .success(try await discovery.metadata(of: url, needs: [.registration]))
    } catch let failure as DiscoveryFailure {
      switch failure {
      case .notFound, .unreadable, .issuerMismatch: return .failure(failure)
      case .transient, .badEndpoint, .unverified: throw failure
      }
    }
  }

  /// The document at a place; nil where there is none.
  private func document(at place: ProtectedResource.Place) async throws -> ResourceMetadata? {
    let response = try await discovery.network.http.send(ProtectedResource.request(place))
    do {
      return try await verified(try ProtectedResource.validate(response, of: place))
    } catch ResourceFailure.notFound {
      return nil
    }
  }

  /// Gives the metadata with what is signed in it, which wins over what stands beside it.
  ///
  /// The keys are those that the TLS of their owner vouches for: the resource's own, or those of one of the servers that it
  /// names. What anybody else has signed is as good as not there: nobody vouches for the keys, and RFC 9728 section 2.2 lets
  /// it be ignored.
  ///
  /// - Throws: `ResourceFailure.unverified`; what keeps the keys from being read.
  private func verified(_ metadata: ResourceMetadata) async throws -> ResourceMetadata {
    guard let token = metadata.signedMetadata else { return metadata }
    let signer: String
    do {
      signer = try SignedMetadata.signer(of: token)
    } catch {
      throw ResourceFailure.unverified(error)
    }
    guard let url = try await keys(of: signer, metadata) else { return metadata }
    let keys = try await KeySets(network: discovery.network).fetch(url)
    let claims: [String: JSONValue]
    do {
      claims = try SignedMetadata.verify(
        token, resource: metadata.resource, signer: signer, keys: keys, now: discovery.network.time.now)
    } catch {
      throw ResourceFailure.unverified(error)
    }
    return try ProtectedResource.overridden(metadata, by: claims)
  }

  /// Where the keys of who has signed a resource's metadata are; nil where it is nobody whose keys can be known.
  private func keys(of signer: String, _ metadata: ResourceMetadata) async throws -> String? {
    if signer == metadata.resource { return try ProtectedResource.keys(of: metadata) }
    guard metadata.authorizationServers.contains(signer) else { return nil }
    do {
      return try await discovery.metadata(of: signer, needs: [.jwks]).endpoints.jwks
    } catch DiscoveryFailure.notFound {
      return nil
    }
  }

  private func resource(
    _ metadata: ResourceMetadata, _ demand: ProtectedResource.Demand?
  ) async throws -> Resource {
    var firstFailure: (any Error)?
    for issuer in metadata.authorizationServers {
      do {
        let server = try await discovery.metadata(of: issuer, needs: [.registration])
        return Resource(
          identifier: metadata.resource, metadata: metadata, scopes: demand?.scopes ?? metadata.scopes, server: server,
          issuers: metadata.authorizationServers)
      } catch let failure as DiscoveryFailure {
        // One of several may be of no use; one that lies is not passed over in silence.
        switch failure {
        case .issuerMismatch, .unverified: throw failure
        case .notFound, .unreadable, .transient, .badEndpoint: break
        }
        firstFailure = firstFailure ?? failure
      } catch let failure as TransportError {
        firstFailure = firstFailure ?? failure
      }
    }
    throw firstFailure ?? ResourceFailure.noAuthorizationServer(resource: metadata.resource)
  }

  /// A resource that refuses and names nobody: it may be its own host that gives the tokens, as it was before there was
  /// metadata for resources.
  private func unnamed(_ url: String, _ demand: ProtectedResource.Demand) async throws -> Resource {
    guard let host = ProtectedResource.host(of: url), host != url,
      case .success(let server) = try await asIssuer(host)
    else { throw ResourceFailure.noAuthorizationServer(resource: url) }
    return Resource(identifier: url, scopes: demand.scopes, server: server, issuers: [host])
  }
}

internal import CLI
internal import Flows
internal import OAuth

/// Finds what a login needs to know of its provider, be it named, or known by its URL or that of a resource alone.
struct TargetDiscovery: Sendable {
  let environment: Environment
  let network: Network
  let options: LoginOptions

  /// Gives the provider, complete.
  ///
  /// - Parameters:
  ///   - essentials: the endpoints that the grant cannot do without.
  ///   - needs: what the login would be better with.
  /// - Throws: `DiscoveryFailure`, `ResourceFailure`, ``TransportError``, ``KeySetError``, ``Failure``.
  func complete(_ target: LoginTarget, essentials: [DiscoverProvider.Need], needs: [DiscoverProvider.Need]) async throws
    -> DiscoverProvider.Found
  {
    let discover = DiscoverProvider(network: network)
    let provider = try options.applied(to: target.provider)
    guard let place = target.place else {
      return try await discover.complete(provider, essentials: essentials, needs: needs, isKept: target.isKept)
    }
    switch try await FindResource(network: network).find(
      place.url, isIssuerLikely: place.isIssuerLikely || options.clientID != nil)
    {
    case .issuer(let metadata):
      var issuer = provider
      issuer.issuer = place.url
      return try await discover.complete(issuer, essentials: essentials, needs: needs, metadata: metadata)
    case .resource(let resource):
      environment.terminal.status(nil)
      environment.terminal.note(
        "\(PrintableText.printable(place.url, limit: 200)) takes the tokens of \(PrintableText.printable(resource.server.issuer, limit: 200))"
      )
      // Under the resource's own name: a token of it is asked for with what the resource wants.
      var server = provider
      server.take(resource)
      var found = try await discover.complete(server, essentials: essentials, needs: needs, metadata: resource.server)
      found.resourceProofAlgorithms = resource.metadata?.dpopAlgorithms
      return found
    }
  }
}

extension DiscoverProvider.Found {
  /// Checks that the server takes a client id that is the URL of the client's own metadata; one of another kind is not looked
  /// at.
  ///
  /// - Throws: `ClientIDDocument.Failure`.
  func checkDocument(_ clientID: String, _ network: Network) async throws {
    guard ClientIDDocument.isURL(clientID) else { return }
    var known = metadata
    if known == nil, let issuer = provider.issuer {
      known = try? await DiscoverProvider(network: network).metadata(of: issuer)
    }
    try ClientIDDocument.check(clientID, at: known)
  }
}

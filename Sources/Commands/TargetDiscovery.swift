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
  /// It all takes no longer than the login may (`--timeout`): one server after the other may be silent.
  func complete(_ target: LoginTarget, essentials: [DiscoverProvider.Need], needs: [DiscoverProvider.Need]) async throws
    -> DiscoverProvider.Found
  {
    guard let limit = options.timeout else { return try await found(target, essentials: essentials, needs: needs) }
    return try await withThrowingTaskGroup(of: DiscoverProvider.Found.self) { group in
      defer { group.cancelAll() }
      group.addTask { try await found(target, essentials: essentials, needs: needs) }
      group.addTask {
        try await network.time.sleep(for: limit)
        throw Failure(
          .temporary,
          "what is known of \(target.account.provider) was not found out within "
            + "\(limit.components.seconds) s", hint: "try again later, or with a longer --timeout")
      }
      guard let found = try await group.next() else { throw CancellationError() }
      return found
    }
  }

  private func found(_ target: LoginTarget, essentials: [DiscoverProvider.Need], needs: [DiscoverProvider.Need])
    async throws
    -> DiscoverProvider.Found
  {
    let discover = DiscoverProvider(network: network)
    let provider = try options.applied(to: target.provider)
    guard let place = target.place else {
      return try await discover.complete(provider, essentials: essentials, needs: needs, isKept: target.isKept)
    }
    switch try await FindResource(network: network, terminal: environment.terminal).find(
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
  /// Checks that there is what the grant cannot do without, before a client is registered or a person is sent away.
  ///
  /// - Throws: ``Failure`` with the grants that there are; ``FlowError/noEndpoint(provider:endpoint:)`` where there is none.
  func checkEndpoints(for flow: LoginFlow, _ target: String) throws {
    let endpoints = provider.endpoints ?? Endpoints()
    guard let missing = flow.essentials.first(where: { $0.isMissing(in: endpoints) }) else { return }
    // A poll may have an endpoint of its own.
    if case .token = missing, case .device = flow, endpoints.deviceToken != nil { return }
    let name =
      switch missing {
      case .authorization: "authorization"
      case .deviceAuthorization: "device_authorization"
      default: "token"
      }
    let error = FlowError.noEndpoint(provider: provider.name, endpoint: name)
    let nobody = RequestingClient(provider: provider, registration: ClientRegistration(id: ""))
    throw flow.failure(error, target, nobody, metadata) ?? error
  }

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

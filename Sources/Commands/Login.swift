internal import CLI
internal import Crypto
internal import Flows
internal import OAuth

/// One login, from the provider's metadata to the keyring.
struct Login: Sendable {
  private let environment: Environment
  private let network: Network
  private let options: LoginOptions

  init(_ environment: Environment, _ network: Network, _ options: LoginOptions) {
    self.environment = environment
    self.network = network
    self.options = options
  }

  /// Gets the tokens by a grant, and keeps them in the place of those of an earlier login.
  func run(_ flow: LoginFlow, _ target: LoginTarget, _ stored: Session?) async throws -> Session {
    let found = try await discover(target, flow, stored)
    var provider = found.provider
    if options.skipsPKCE { provider.pkce = CodeChallengeMethod.none }
    var choice = ClientChoice(environment, provider, options, isForResource: target.place != nil)
    let registering = RegisterAtLogin(environment, network, options, found, flow)
    let registered = try await registering.prepare(choice, stored)
    choice.registeredID = registered.clientID
    let chosen = try await choice.choose(stored: stored, isOptional: !flow.needsClient)
    try await found.checkDocument(chosen.id, network)
    var client = chosen
    if client.method == nil, provider.clientAuth == nil { client.method = try found.method(for: client) }
    if ClientAuthentication.method(for: client, provider: provider) == .tls { provider = found.providerForCertificates }
    var plan = try plan(provider, client, found, flow)
    if let redirect = registered.redirect { plan.redirect = redirect }
    let result = try await redeem(flow, plan)
    Checkpoint.loggedIn.reached()
    let saved = try await keep(result, plan, chosen, target, stored)
    await registering.forgetReplaced(registered)
    return saved
  }

  private func discover(
    _ target: LoginTarget, _ flow: LoginFlow, _ stored: Session?
  ) async throws -> DiscoverProvider.Found {
    environment.terminal.status("looking up \(target.account.provider)")
    defer { environment.terminal.status(nil) }
    var needs: [DiscoverProvider.Need] = []
    let scopes = options.scopes ?? target.provider.scopes
    if scopes?.contains("openid") ?? true { needs.append(.jwks) }
    if case .device = flow { needs.append(.deviceAuthorization) }
    if options.pushesRequest { needs.append(.pushedAuthorizationRequest) }
    if target.place == nil, flow.registration != nil,
      try await ClientChoice(environment, target.provider, options).mayBeRegistered(stored)
    {
      needs.append(.registration)
    }
    return try await TargetDiscovery(environment: environment, network: network, options: options).complete(
      target, needs: needs)
  }

  private func plan(
    _ provider: Provider, _ client: ClientRegistration, _ found: DiscoverProvider.Found, _ flow: LoginFlow
  ) throws -> LoginPlan {
    let binding = options.bindsTokens || provider.dpop == true ? try makeBinding() : nil
    var plan = LoginPlan(
      client: RequestingClient(provider: provider, registration: client, binding: binding),
      scopes: options.scopes ?? provider.scopes ?? [])
    plan.resources = options.resources.isEmpty ? provider.resource ?? [] : options.resources
    plan.authorizationParameters = options.authorizationParameters
    plan.tokenParameters = options.tokenParameters
    if let audience = provider.audience { plan.addAudience(audience) }
    plan.timeout = options.timeout
    plan.maxAge = options.maxAge
    plan.requiresIssuer = found.requiresIssuer
    let metadata = found.metadata
    plan.pushesRequest = options.pushesRequest || provider.par ?? metadata?.requiresPushedRequests ?? false
    plan.signsRequest = options.signsRequest || provider.requestObject ?? metadata?.requiresSignedRequests ?? false
    plan.redirect = try options.redirect(of: provider)
    if case .implicit = flow { plan.isImplicit = true }
    plan.mayUseDevice = options.flow == nil && provider.endpoints?.deviceAuthorization != nil
    return plan
  }

  /// A key of this account's own (RFC 9449 section 4.2 has ES256 as the one that all know).
  private func makeBinding() throws -> DPoPBinding {
    DPoPBinding(key: try PrivateKey.generate(.p256).pem())
  }

  private func redeem(_ flow: LoginFlow, _ plan: LoginPlan) async throws -> LoginResult {
    switch flow {
    case .code, .implicit:
      return try await BrowserLogin(
        network: network, listeners: environment.listeners, browser: browser, terminal: environment.terminal
      ).run(plan)
    case .device:
      return try await DeviceLogin(network: network, browser: browser, terminal: environment.terminal).run(plan)
    case .direct(let kind):
      environment.terminal.status("getting the tokens")
      defer { environment.terminal.status(nil) }
      return try await DirectLogin(network: network, terminal: environment.terminal).run(plan, kind)
    }
  }

  private var browser: (any Browser)? {
    options.opensBrowser ? environment.makeBrowser(options.browser, options.isPrivate) : nil
  }

  private func keep(
    _ result: LoginResult, _ plan: LoginPlan, _ client: ClientRegistration, _ target: LoginTarget, _ stored: Session?
  ) async throws -> Session {
    var session = Session(
      provider: plan.provider, account: target.account.name, clientID: client.id,
      clientAuth: plan.client.registration.method, requestedScopes: plan.scopes, tokens: result.tokens,
      identity: result.identity)
    session.grant = result.grant
    session.binding = result.client.binding
    session.resources = plan.resources.isEmpty ? nil : plan.resources
    environment.terminal.status("saving the tokens")
    defer { environment.terminal.status(nil) }
    let saved = try await KeepLogin(store: environment.store, lock: environment.lock, time: environment.time).keep(
      session, client: client, as: target.account)
    environment.terminal.status(nil)
    guard let stored else { return saved }
    if let before = stored.identity, let identity = result.identity, before != identity {
      environment.output.warn("this login replaces the one of \(PrintableText.printable(before, limit: 80))")
    }
    await RevokeSession(store: environment.store, lock: environment.lock, network: network).revokeReplaced(
      stored, by: saved)
    return saved
  }
}

extension DiscoverProvider.Found {
  /// Chooses how a client authenticates by what the server says it takes; nil where that decides nothing.
  ///
  /// - Throws: `UnsupportedClientAuth`.
  fileprivate func method(for client: ClientRegistration) throws -> ClientAuthMethod? {
    let algorithms: [String] =
      try client.key.map { kept in
        if let algorithm = kept.algorithm { return [algorithm.rawValue] }
        let key = try PrivateKey(pem: kept.pem)
        let others = SignatureAlgorithm.allCases.filter { key.supports($0) && $0 != key.usualAlgorithm }
        return ([key.usualAlgorithm] + others).map(\.rawValue)
      } ?? []
    let means = ClientAuthChoice.Means(
      secret: client.secret != nil, keyAlgorithms: algorithms, certificate: client.certificate != nil)
    guard let choice = try authentication(means) else { return nil }
    return ClientAuthMethod.allCases.first { $0.registeredNames.contains(choice.name) }
  }
}

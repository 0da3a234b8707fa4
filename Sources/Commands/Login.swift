internal import CLI
internal import Crypto
internal import Flows
internal import OAuth

/// One login, from the provider's metadata to the keyring.
struct Login: Sendable {
  let environment: Environment
  let network: Network
  let options: LoginOptions

  init(_ environment: Environment, _ network: Network, _ options: LoginOptions) {
    self.environment = environment
    self.network = network
    self.options = options
  }

  /// Gets the tokens by a grant, and keeps them in the place of those of an earlier login.
  func run(_ flow: LoginFlow, _ target: LoginTarget, _ stored: Session?) async throws -> Session {
    let prepared = try await prepare(flow, target, stored)
    let result = try await redeem(flow, prepared.plan, prepared.metadata)
    Checkpoint.loggedIn.reached()
    let saved = try await keep(result, prepared.plan, prepared.client, target, stored, read: prepared.read)
    await RegisterAtLogin.forget(prepared.registered.replaced, of: prepared.plan.provider, environment, network)
    return saved
  }

  /// All that a login needs to begin.
  struct Prepared: Sendable {
    let plan: LoginPlan
    /// The client as it is to be kept.
    let client: ClientRegistration
    /// The client as it was kept when the login began.
    let read: ClientRegistration?
    let metadata: ServerMetadata?
    /// What became of the client's registration, where this program made it.
    let registered: RegisterAtLogin.Prepared
  }

  /// Finds out all that the login needs.
  func prepare(
    _ flow: LoginFlow, _ target: LoginTarget, _ stored: Session?
  ) async throws -> Prepared {
    try await keeping.prove(for: target.account.provider)
    let stored = options.beginsAnew ? nil : stored
    let found = try await discover(target, flow, stored)
    var provider = found.provider
    var choice = ClientChoice(
      environment, provider, options, isForResource: target.place != nil)
    let registered = try await RegisterAtLogin(environment, network, options, found, flow).prepare(choice, stored)
    choice.registeredID = registered.clientID
    var chosen =
      flow.isWithoutClient && options.clientID == nil
      ? ClientRegistration(id: "", method: ClientAuthMethod.none)
      : try await choice.choose(
        stored: stored, isOptional: !flow.needsClient, isConfidential: flow.needsConfidentialClient)
    try await found.checkDocument(chosen.id, network)
    let (store, id, name) = (environment.clients, chosen.id, provider.name)
    let read = id.isEmpty ? nil : try await offPool { try store.load(id, provider: name) }
    var client = chosen
    if client.method == nil {
      if options.prefersSecret(to: provider.clientAuth) {
        client.method = try found.methodOfSecret(client)
      } else if provider.clientAuth == nil {
        client.method = try found.method(for: client)
      }
    }
    chosen.algorithm = try found.assertionAlgorithm(
      for: client, ClientAuthentication.method(for: client, provider: provider))
    client.algorithm = chosen.algorithm
    if client.certificate != nil { provider.endpoints = found.providerForCertificates.endpoints }
    var plan = try plan(provider, client, found, flow, former: target.isKept ? stored : nil)
    if case .code = flow {
      plan.askForConsent(isInCatalogue: target.isInCatalogue(provider), offered: found.metadata?.promptValues)
      if plan.skipsPKCE {
        environment.output.warn("without PKCE the code is not protected: whoever gets hold of it may redeem it")
      }
    }
    if let redirect = registered.redirect { plan.redirect = redirect }
    return Prepared(plan: plan, client: chosen, read: read, metadata: found.metadata, registered: registered)
  }

  private func discover(
    _ target: LoginTarget, _ flow: LoginFlow, _ stored: Session?
  ) async throws -> DiscoverProvider.Found {
    environment.terminal.status("looking up \(target.account.provider)")
    defer { environment.terminal.status(nil) }
    var needs: [DiscoverProvider.Need] = []
    let scopes = options.scopes ?? target.provider.scopes
    let mode = options.responseMode ?? target.provider.responseMode
    if scopes?.contains("openid") ?? true || mode?.isSigned == true { needs.append(.jwks) }
    if case .device = flow { needs.append(.deviceAuthorization) }
    if options.pushesRequest || target.provider.par == true { needs.append(.pushedAuthorizationRequest) }
    if target.place == nil, flow.registration != nil,
      try await ClientChoice(environment, target.provider, options).mayBeRegistered(stored)
    {
      needs.append(.registration)
    }
    let found = try await TargetDiscovery(environment: environment, network: network, options: options).complete(
      target, essentials: flow.essentials, needs: needs)
    try found.checkEndpoints(for: flow, options.target)
    if let problem = found.problem {
      environment.output.warn("\(Failure(problem).message); the login goes on with what is known without it")
    }
    return found
  }

  private func plan(
    _ provider: Provider, _ client: ClientRegistration, _ found: DiscoverProvider.Found, _ flow: LoginFlow,
    former: Session?
  ) throws -> LoginPlan {
    var bindsTokens = options.bindsTokens || provider.dpop == true
    if case .implicit = flow { bindsTokens = false }
    let binding = bindsTokens ? try makeBinding(found, former) : nil
    var plan = LoginPlan(
      client: RequestingClient(provider: provider, registration: client, binding: binding),
      scopes: options.scopes ?? provider.scopes ?? [])
    plan.resources = options.resources.isEmpty ? provider.resource ?? [] : options.resources
    plan.authorizationParameters = options.authorizationParameters
    plan.tokenParameters = options.tokenParameters
    if let audience = provider.audience { plan.addAudience(audience) }
    plan.choices = options.choices(flow)
    plan.skipsPKCE = options.skipsPKCE
    plan.timeout = options.timeout
    plan.keySets = KeySetStore(environment.store)
    plan.maxAge = options.maxAge
    plan.requiresIssuer = found.requiresIssuer
    let metadata = found.metadata
    plan.pushesRequest = options.pushesRequest || provider.par ?? metadata?.requiresPushedRequests ?? false
    plan.signsRequest = options.signsRequest || provider.requestObject ?? metadata?.requiresSignedRequests ?? false
    if plan.signsRequest {
      if metadata?.takesRequestParameter == false { throw FlowError.noRequestObjects(provider: provider.name) }
      plan.requestAlgorithm = try found.requestAlgorithm(for: client)
    }
    plan.responseMode = try ResponseModeChoice(options, found).choose(for: flow)
    plan.isHybrid = try ResponseTypeChoice(options, found).isHybrid(for: flow, scopes: plan.scopes)
    plan.redirect = try options.redirect(of: provider)
    plan.mayUseDevice = options.flow == nil && provider.endpoints?.deviceAuthorization != nil
    flow.adapt(&plan)
    if let scopes = options.scopes { plan.scopes = scopes }
    plan.checkAge(flow)
    return plan
  }

  /// A key of this account's own.
  ///
  /// - Parameter former: the former login, where nobody has asked the resource now what kind of key it takes.
  private func makeBinding(_ found: DiscoverProvider.Found, _ former: Session?) throws -> DPoPBinding {
    let key = former?.binding.flatMap { try? PrivateKey(pem: $0.key) }
    return DPoPBinding(key: try PrivateKey.generate(try found.proofCurve(former: key?.usualAlgorithm)).pem())
  }

  private func redeem(_ flow: LoginFlow, _ plan: LoginPlan, _ metadata: ServerMetadata?) async throws -> LoginResult {
    do {
      return try await redeem(flow, plan)
    } catch {
      if let gone = await RegisterAtLogin.refusal(error, of: plan.client, options.target, environment, network) {
        throw gone
      }
      let told =
        flow.failure(error, options.target, plan.client, metadata) ?? flow.refusal(
          error, options.target, isAsked: environment.terminal.isInteractive) ?? error
      guard options.clientSecret == nil, plan.client.method.needsSecret else { throw told }
      throw Failure(told, login: options.target).naming(
        variableFor: plan.client.registration.id, of: plan.provider.name, environment)
    }
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

  func keep(
    _ result: LoginResult, _ plan: LoginPlan, _ client: ClientRegistration, _ target: LoginTarget, _ stored: Session?,
    read: ClientRegistration? = nil
  ) async throws -> Session {
    var client = client
    // Nothing has proved the secret then, and a wrong one must not take the place of one that is good.
    if plan.isImplicit, !plan.pushesRequest, plan.choices?.pushesRequest != true { client.secret = nil }
    var session = Session(
      provider: plan.provider, account: target.account.name, clientID: client.id,
      clientAuth: plan.client.registration.method, requestedScopes: result.scopes ?? plan.scopes, tokens: result.tokens,
      identity: result.identity)
    session.grant = result.grant
    session.binding = result.client.binding
    session.resources = plan.resources.isEmpty ? nil : plan.resources
    session.audience = plan.tokenParameters.first { $0.name == "audience" }?.value
    session.choices = plan.choices?.unlessEmpty
    environment.terminal.status("saving the tokens")
    defer { environment.terminal.status(nil) }
    let saved: Session
    do {
      saved = try await keeping.keep(
        session, client: client, read: read, as: target.account, isOnlyCopy: result.isTakenOver)
    } catch FlowError.loginNotSaved(let account, let error) {
      throw Failure(notSaved: error, account, fate: await takeBack(result, stored))
    }
    environment.terminal.status(nil)
    if let keys = result.keys { await plan.keySets?.keep(keys, provider: target.account.provider) }
    let named = await name(saved, as: target.account, client: result.client)
    guard let stored else { return named }
    if let before = stored.identity, named.isAnothers(than: stored) {
      environment.output.warn("this login replaces the one of \(PrintableText.printable(before, limit: 80))")
    }
    if !options.beginsAnew { warnOfLess(named, than: stored) }
    await RevokeSession(store: environment.store, lock: environment.lock, network: network).revokeReplaced(
      stored, by: saved)
    return named
  }

  private var keeping: KeepLogin {
    KeepLogin(store: environment.store, lock: environment.lock, time: environment.time)
  }

  /// Has the server take back tokens that could not be kept, and says what became of them.
  ///
  /// Where their end may be that of others of the same client, it is left: what is stored works as it did.
  private func takeBack(_ result: LoginResult, _ stored: Session?) async -> String {
    let (environment, provider) = (environment, result.client.provider)
    // It may be the very token that was given, and that is still in the user's hands.
    if result.isTakenOver { return "they are lost, and the server may have spent the token that was given" }
    if provider.effectiveQuirks.revocation?.cascades != false {
      guard stored == nil else { return "they are lost" }
      let others = try? await offPool { try environment.sessions.accounts(of: provider.name) }
      guard others?.isEmpty != false else { return "they are lost" }
    }
    environment.terminal.status("revoking the tokens")
    defer { environment.terminal.status(nil) }
    switch await RevokeLost(network: network).run(result) {
    case true?: return "the server has taken them back"
    case false?: return "they are lost, and the server did not take them back"
    case nil: return "they are lost"
    }
  }

  /// Says what the account's former login had and this one has not: who logs in again since a hint said so may have
  /// forgotten the options of the first time.
  private func warnOfLess(_ session: Session, than stored: Session) {
    let (output, again) = (environment.output, "log in again with")
    if stored.binding != nil, session.binding == nil {
      output.warn("the former login's tokens were bound to a key, these are not: \(again) --dpop")
    }
    let missing = stored.requestedScopes.filter { !session.requestedScopes.contains($0) }
    if !missing.isEmpty {
      output.warn(
        "the former login asked for more: \(again) --scope to have "
          + PrintableText.printable(missing.joined(separator: " "), limit: 200))
    }
  }

  /// Asks the provider who it is, where the login did not say.
  private func name(_ session: Session, as account: Account, client: RequestingClient) async -> Session {
    guard NameAccount.isWorthAsking(session) else { return session }
    environment.terminal.status("asking who it is")
    defer { environment.terminal.status(nil) }
    return await NameAccount(
      store: environment.store, lock: environment.lock, network: network, warn: environment.output.warn
    ).named(session, as: account, client: client)
  }
}

public import Crypto
internal import FoundationEssentials
public import OAuth

/// Registers a client by itself, and keeps the registration fit for use (RFC 7591, RFC 7592).
public struct RegisterClient: Sendable {
  private let network: Network
  private let keeper: any RegistrationKeeper

  /// Asks through the given network; what the server gives is for the caller to keep.
  public init(network: Network) {
    self.init(network: network, keeper: NoKeeper())
  }

  /// Asks through the given network, and has kept what the server gives before anything else is done.
  init(network: Network, keeper: any RegistrationKeeper) {
    self.network = network
    self.keeper = keeper
  }

  /// What to register, and where.
  public struct Plan: Sendable {
    /// What the client says of itself; the first redirect URI is the one that is used.
    public var metadata: ClientMetadata
    /// The registration endpoint.
    public var endpoint: String
    /// What the server's operator gave for it.
    public var initialAccessToken: Secret?

    /// Makes one.
    public init(metadata: ClientMetadata, endpoint: String, initialAccessToken: Secret? = nil) {
      self.metadata = metadata
      self.endpoint = endpoint
      self.initialAccessToken = initialAccessToken
    }
  }

  /// What became of a registration.
  public enum Outcome: Sendable, Equatable {
    /// It is as good as it was; nothing was asked, or nothing is new.
    case kept(ClientRegistration)
    /// The server changed it: what is stored of the client must be stored anew.
    case changed(ClientRegistration)
    /// There is a new client in its place; the old one is still there, since other accounts may use it.
    case replaced(ClientRegistration)

    /// The client to use.
    public var client: ClientRegistration {
      switch self {
      case .kept(let client), .changed(let client), .replaced(let client): client
      }
    }
  }

  /// Registers a new client.
  ///
  /// A server that does not take all of it is asked once more, with the least that will do. One that registers something
  /// else is asked to end that.
  ///
  /// - Throws: `RegistrationFailure`, ``TransportError``, ``StoreError``.
  public func register(_ plan: Plan) async throws -> DynamicRegistration.Registered {
    try await keeper.check()
    var registered: DynamicRegistration.Registered
    do {
      registered = try await registerOnce(plan)
    } catch let failure as RegistrationFailure where failure.isAboutMetadata && plan.metadata.reduced != plan.metadata {
      var reduced = plan
      reduced.metadata = plan.metadata.reduced
      registered = try await registerOnce(reduced)
    }
    var flaw = registered.flaw
    if let asked = plan.metadata.redirectURIs.first,
      !LoopbackRedirect.isTaken(asked, among: registered.redirectURIs)
    {
      flaw = flaw ?? .otherRedirects(asked: asked, got: registered.redirectURIs)
      registered.client.management?.isUnfit = true
    }
    do {
      registered.client = try await keeper.keep(registered.client, replacing: nil)
    } catch {
      await abandon(registered.client, isKept: false)
      throw error
    }
    guard let flaw else { return registered }
    await abandon(registered.client, isKept: true)
    throw flaw
  }

  /// Ends a registration that was just made and is not used: else it stays at the server for ever.
  private func abandon(_ client: ClientRegistration, isKept: Bool) async {
    var fate = AbandonedRegistration.unending
    if RegistrationUpkeep.delete(client) != nil {
      let isEnded = try? await Uninterrupted.run { try await delete(client) }
      fate = isEnded == nil ? .stays : .ended
    }
    await keeper.abandoned(client, fate, isKept: isKept)
  }

  private func registerOnce(_ plan: Plan) async throws -> DynamicRegistration.Registered {
    let request = DynamicRegistration.request(
      plan.metadata, endpoint: plan.endpoint, initialAccessToken: plan.initialAccessToken)
    return try await ask(request, plan)
  }

  /// Gives a client that is good for a plan's redirect URI and whose secret has not ended.
  ///
  /// The registration is changed where the server lets it be; else, or where that fails, the client is registered anew. One
  /// that a person registered is left as it is.
  ///
  /// - Parameter mayReplace: whether another client will do; else one that cannot be changed is given as it is.
  /// - Throws: `RegistrationFailure`, ``TransportError``, ``StoreError``.
  public func ensure(
    _ client: ClientRegistration, _ plan: Plan, mayReplace: Bool = true
  ) async throws -> Outcome {
    guard let management = client.management else { return .kept(client) }
    let hasRedirect =
      plan.metadata.redirectURIs.first.map { LoopbackRedirect.fits($0, management.redirectURIs) } ?? true
    let fits = hasRedirect && management.isUnfit != true
    let hasEnded = hasEnded(client)
    guard !fits || hasEnded else { return .kept(client) }
    try await keeper.check()
    var client = client
    if try await change(&client, plan, fits: fits, hasEnded: hasEnded) { return .changed(client) }
    guard mayReplace else { return .kept(client) }
    return .replaced(try await register(plan).client)
  }

  /// Reads what the server has registered; nil where it has no way to be asked.
  ///
  /// - Parameter plan: what was asked for, for what the server does not repeat.
  /// - Throws: `RegistrationFailure`, ``TransportError``.
  public func read(_ client: ClientRegistration, _ plan: Plan) async throws -> DynamicRegistration.Registered? {
    guard let request = RegistrationUpkeep.read(client) else { return nil }
    // Nothing is asked for: what the server does not repeat is as it was.
    var present = plan
    present.metadata.redirectURIs = client.management?.redirectURIs ?? plan.metadata.redirectURIs
    if let name = client.method?.registeredNames[0] { present.metadata.authMethod = name }
    return try await ask(request, present, client)
  }

  /// Ends a registration at the server.
  ///
  /// - Returns: whether it was there to be ended; false, too, where the server has no way to end one.
  /// - Throws: `RegistrationFailure`, ``TransportError``.
  public func delete(_ client: ClientRegistration) async throws -> Bool {
    guard let request = RegistrationUpkeep.delete(client) else { return false }
    let response = try await network.http.send(request)
    do {
      return try RegistrationUpkeep.validateDeletion(response, to: request, now: network.time.now)
    } catch {
      throw error.redacted(by: redactor(client.secrets))
    }
  }
}

extension RegisterClient {
  /// A secret within a minute of its end would not last through the login.
  private func hasEnded(_ client: ClientRegistration) -> Bool {
    client.secretExpiresAt.map { $0.timeIntervalSince(network.time.now) <= 60 } ?? false
  }

  /// Changes the client at the server; false where that does not help.
  ///
  /// Whatever becomes of it: each good reply may have ended the secret, and the token, of the one before.
  private func change(
    _ client: inout ClientRegistration, _ plan: Plan, fits: Bool, hasEnded: Bool
  ) async throws -> Bool {
    do {
      if hasEnded {
        // Reading may bring a new secret (RFC 7592 section 2.1).
        guard let fresh = try await read(client, plan), try await take(fresh, &client), !self.hasEnded(client) else {
          return false
        }
      }
      if !fits { return try await addRedirect(&client, plan) }
      return true
    } catch let failure as RegistrationFailure {
      // A server that cannot answer now could not register a client either; one that will not change this one may.
      if case .transient = failure { throw failure }
      return false
    }
  }

  /// Changes the registration to a plan's redirect URI, beside those that it has; false where the server does not change it.
  private func addRedirect(_ client: inout ClientRegistration, _ plan: Plan) async throws -> Bool {
    var changed = plan
    let present = client.management?.redirectURIs ?? []
    // The one without a port stays away where the server did not take it.
    let wanted = plan.metadata.redirectURIs.enumerated().filter { $0.offset == 0 || present.contains($0.element) }
    changed.metadata.redirectURIs = LoopbackRedirect.merged(wanted.map(\.element), with: present)
    if let names = client.method?.registeredNames, !names.contains(changed.metadata.authMethod) {
      changed.metadata.authMethod = names[0]
    }
    let fresh: DynamicRegistration.Registered?
    do {
      fresh = try await update(client, changed)
    } catch let failure as RegistrationFailure
      where failure.isAboutMetadata && changed.metadata.reduced.grantTypes != changed.metadata.grantTypes
    {
      let redirectURIs = changed.metadata.redirectURIs
      changed.metadata = changed.metadata.reduced
      changed.metadata.redirectURIs = redirectURIs
      fresh = try await update(client, changed)
    }
    guard let fresh, try await take(fresh, &client) else { return false }
    guard let asked = changed.metadata.redirectURIs.first else { return true }
    return LoopbackRedirect.fits(asked, fresh.redirectURIs)
  }

  /// Keeps what a reply brings, before it is judged; false where it speaks of another client, or the client is of no use.
  private func take(_ fresh: DynamicRegistration.Registered, _ client: inout ClientRegistration) async throws -> Bool {
    guard fresh.client.id == client.id else { return false }
    client = try await keeper.keep(fresh.client, replacing: client)
    return fresh.flaw == nil
  }

  private func update(_ client: ClientRegistration, _ plan: Plan) async throws -> DynamicRegistration.Registered? {
    guard let request = RegistrationUpkeep.update(client, to: plan.metadata) else { return nil }
    return try await ask(request, plan, client)
  }

  private func ask(
    _ request: HTTPRequest, _ plan: Plan, _ client: ClientRegistration? = nil
  ) async throws -> DynamicRegistration.Registered {
    let response = try await network.http.send(request)
    do {
      return try DynamicRegistration.receive(
        response, to: request, asked: plan.metadata, present: client, now: network.time.now)
    } catch {
      let own = [plan.initialAccessToken, plan.metadata.softwareStatement].compactMap(\.self)
      throw error.redacted(by: redactor(own + (client?.secrets ?? [])))
    }
  }

  private func redactor(_ secrets: [Secret]) -> Redactor {
    let redactor = Redactor()
    for secret in secrets { redactor.register(secret) }
    return redactor
  }
}

public import Crypto
internal import FoundationEssentials
public import OAuth

/// Registers a client by itself, and keeps the registration fit for use (RFC 7591, RFC 7592).
public struct RegisterClient: Sendable {
  private let network: Network

  /// Asks through the given network.
  public init(network: Network) {
    self.network = network
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
  /// A server that does not take all of it is asked once more, with the least that will do.
  ///
  /// - Throws: `RegistrationFailure`, ``TransportError``.
  public func register(_ plan: Plan) async throws -> DynamicRegistration.Registered {
    var registered: DynamicRegistration.Registered
    do {
      registered = try await registerOnce(plan)
    } catch let failure as RegistrationFailure where failure.isAboutMetadata && plan.metadata.reduced != plan.metadata {
      var reduced = plan
      reduced.metadata = plan.metadata.reduced
      registered = try await registerOnce(reduced)
    }
    if let asked = plan.metadata.redirectURIs.first,
      !LoopbackRedirect.isTaken(asked, among: registered.redirectURIs)
    {
      throw RegistrationFailure.otherRedirects(asked: asked, got: registered.redirectURIs)
    }
    return registered
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
  /// - Throws: `RegistrationFailure`, ``TransportError``.
  public func ensure(
    _ client: ClientRegistration, _ plan: Plan, mayReplace: Bool = true
  ) async throws -> Outcome {
    guard let management = client.management else { return .kept(client) }
    let fits = plan.metadata.redirectURIs.first.map { LoopbackRedirect.fits($0, management.redirectURIs) } ?? true
    let hasEnded = hasEnded(client)
    guard !fits || hasEnded else { return .kept(client) }
    if let changed = try await changed(client, plan, fits: fits, hasEnded: hasEnded) { return .changed(changed) }
    guard mayReplace else { return .kept(client) }
    return .replaced(try await register(plan).client)
  }

  /// Reads what the server has registered; nil where it has no way to be asked.
  ///
  /// - Parameter plan: what was asked for, for what the server does not repeat.
  /// - Throws: `RegistrationFailure`, ``TransportError``.
  public func read(_ client: ClientRegistration, _ plan: Plan) async throws -> DynamicRegistration.Registered? {
    guard let request = RegistrationUpkeep.read(client) else { return nil }
    return try await ask(request, plan, client)
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

  /// The client, changed at the server; nil where that does not help.
  private func changed(
    _ client: ClientRegistration, _ plan: Plan, fits: Bool, hasEnded: Bool
  ) async throws -> ClientRegistration? {
    do {
      var client = client
      if hasEnded {
        // Reading may bring a new secret (RFC 7592 section 2.1).
        guard let fresh = try await read(client, plan)?.client, fresh.id == client.id, !self.hasEnded(fresh) else {
          return nil
        }
        client = keeping(client, fresh)
      }
      if !fits {
        guard let fitting = try await withRedirect(client, plan) else { return nil }
        client = fitting
      }
      return client
    } catch let failure as RegistrationFailure {
      // A server that cannot answer now could not register a client either; one that will not change this one may.
      if case .transient = failure { throw failure }
      return nil
    }
  }

  /// The client with its registration changed to a plan's redirect URI, beside those that it has; nil where the server does not
  /// change it.
  private func withRedirect(_ client: ClientRegistration, _ plan: Plan) async throws -> ClientRegistration? {
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
    guard let fresh, fresh.client.id == client.id, let asked = changed.metadata.redirectURIs.first,
      LoopbackRedirect.fits(asked, fresh.redirectURIs)
    else { return nil }
    return keeping(client, fresh.client)
  }

  private func update(_ client: ClientRegistration, _ plan: Plan) async throws -> DynamicRegistration.Registered? {
    guard let request = RegistrationUpkeep.update(client, to: plan.metadata) else { return nil }
    return try await ask(request, plan, client)
  }

  /// What the server says of a client, and what it need not repeat: the secret, and what is ours alone.
  private func keeping(_ old: ClientRegistration, _ fresh: ClientRegistration) -> ClientRegistration {
    var client = old
    client.method = fresh.method
    client.management = fresh.management
    if fresh.secret != nil { (client.secret, client.secretExpiresAt) = (fresh.secret, fresh.secretExpiresAt) }
    return client
  }

  private func ask(
    _ request: HTTPRequest, _ plan: Plan, _ client: ClientRegistration? = nil
  ) async throws -> DynamicRegistration.Registered {
    let response = try await network.http.send(request)
    do {
      return try DynamicRegistration.validate(
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

internal import Crypto
internal import FoundationEssentials
public import OAuth

/// Registers a client by itself, and keeps the registration fit for use (RFC 7591, RFC 7592).
public struct RegisterClient: Sendable {
  let network: Network
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
    if registered.client.method == .privateKeyJWT { registered.client.key = plan.key }
    registered.client.management?.seenAt = network.time.now
    do {
      registered.client = try await keeper.keep(registered.client, replacing: nil)
    } catch {
      await abandon(registered.client, isKept: false)
      throw error
    }
    if let flaw {
      await abandon(registered.client, isKept: true)
      throw flaw
    }
    if registered.isManagementRefused { keeper.isUnmanaged(registered.client) }
    return registered
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

  /// Gives a client that is good for a plan: its redirect URI, grant, scopes and key, with a secret that has not ended.
  ///
  /// The registration is changed where the server lets it be; else, or where that fails, another one that is kept is taken,
  /// and where there is none the client is registered anew. One that a person registered is left as it is.
  ///
  /// - Parameter mayReplace: whether another client will do; else one that cannot be changed is given as it is.
  /// - Throws: `RegistrationFailure`, ``TransportError``, ``StoreError``.
  public func ensure(
    _ client: ClientRegistration, _ plan: Plan, mayReplace: Bool = true
  ) async throws -> Outcome {
    guard client.management != nil else { return .kept(client) }
    var client = client
    if isFit(client, plan), try await isThere(&client, plan) { return .kept(client) }
    try await keeper.check()
    if canProve(client, plan) {
      if try await change(&client, plan) { return .changed(client) }
      guard mayReplace else { return .kept(client) }
    } else if !mayReplace {
      throw RegistrationFailure.unusableMethod(
        client.method?.registeredNames[0] ?? "none",
        reason: "this login proves who the client is in another way, and other logins may need it as it is")
    }
    let (id, spares) = (client.id, try await keeper.spares())
    if let spare = spares.first(where: { $0.id != id && isFit($0, plan) }) { return .exchanged(spare) }
    return .replaced(try await register(plan).client)
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
  /// How long a client is taken to be there without a question, in seconds.
  private static let longestUnasked = 3600.0

  /// Whether the server still has a client: one that has lost it shows a page with an error in the browser, and nobody
  /// comes back.
  ///
  /// It is asked where it was not heard of for a while; no answer is none against it.
  private func isThere(_ client: inout ClientRegistration, _ plan: Plan) async throws -> Bool {
    guard let seenAt = client.management?.seenAt, RegistrationUpkeep.read(client) != nil,
      !(0..<Self.longestUnasked).contains(network.time.now.timeIntervalSince(seenAt))
    else { return true }
    try await keeper.check()
    do {
      guard let fresh = try await readIfOffered(client, plan) else { return true }
      return try await take(fresh, &client) && isFit(client, plan)
    } catch RegistrationFailure.upkeepRefused {
      client.management?.isRefused = true
      return false
    } catch is RegistrationFailure {
      return true
    } catch is TransportError {
      return true
    }
  }

  /// Changes the client at the server; false where that does not help.
  ///
  /// Whatever becomes of it: each good reply may have ended the secret, and the token, of the one before.
  private func change(_ client: inout ClientRegistration, _ plan: Plan) async throws -> Bool {
    let before = client
    do {
      guard RegistrationUpkeep.read(client) != nil else { return false }
      var present: [String: JSONValue]?
      if let fresh = try await readIfOffered(client, plan) {
        // Reading may bring a new secret (RFC 7592 section 2.1).
        guard try await take(fresh, &client) else { return false }
        // What the server knows, and refuses all the same, is no better than it was.
        if before.management?.isRefused == true, client.secret == before.secret { return false }
        if isFit(client, plan) { return true }
        present = fresh.metadata
      }
      let changed = RegistrationUpkeep.merged(plan.metadata, into: present, of: client)
      guard let fresh = try await update(client, changed, plan), try await take(fresh, &client, plan) else {
        return false
      }
      if before.management?.isRefused == true, client.secret == before.secret { return false }
      return isFit(client, plan)
    } catch let failure as RegistrationFailure {
      // A server that cannot answer now could not register a client either; one that will not change this one may.
      if failure.isTransient { throw failure }
      return false
    }
  }

  /// Reads what the server has registered; nil at one that changes registrations and does not show them.
  private func readIfOffered(
    _ client: ClientRegistration, _ plan: Plan
  ) async throws -> DynamicRegistration.Registered? {
    guard let request = RegistrationUpkeep.read(client) else { return nil }
    // Nothing is asked for: what the server does not repeat is as it was.
    var present = plan
    present.metadata.redirectURIs = client.management?.redirectURIs ?? plan.metadata.redirectURIs
    if let name = client.method?.registeredNames[0] { present.metadata.authMethod = name }
    do {
      return try await ask(request, present, client)
    } catch RegistrationFailure.upkeepRefused(let error) where ![401, 404, 410].contains(error.status) {
      return nil
    }
  }

  /// Changes the registration, and asks for less where the server does not take all that was asked for.
  private func update(
    _ client: ClientRegistration, _ changed: ClientMetadata, _ plan: Plan
  ) async throws -> DynamicRegistration.Registered? {
    var plan = (wanted: plan, sent: plan)
    plan.sent.metadata = changed
    do {
      guard let request = RegistrationUpkeep.update(client, to: changed) else { return nil }
      return try await ask(request, plan.sent, client)
    } catch let failure as RegistrationFailure where failure.isAboutMetadata {
      guard let less = RegistrationUpkeep.reduced(changed, of: plan.wanted.metadata, from: client),
        let request = RegistrationUpkeep.update(client, to: less)
      else { throw failure }
      plan.sent.metadata = less
      return try await ask(request, plan.sent, client)
    }
  }

  /// Keeps what a reply brings, before it is judged; false where it speaks of another client, or the client is of no use.
  ///
  /// - Parameter plan: what the registration was changed to.
  private func take(
    _ fresh: DynamicRegistration.Registered, _ client: inout ClientRegistration, _ plan: Plan? = nil
  ) async throws -> Bool {
    guard fresh.client.id == client.id else { return false }
    var new = fresh.client
    if let key = plan?.key, new.method == .privateKeyJWT { new.key = key }
    new.management?.seenAt = network.time.now
    client = try await keeper.keep(new, replacing: client)
    return fresh.flaw == nil
  }

  private func ask(
    _ request: HTTPRequest, _ plan: Plan, _ client: ClientRegistration? = nil
  ) async throws -> DynamicRegistration.Registered {
    var request = request
    let own = plan.headers.filter { header in !request.headers.contains { $0.name == header.name } }
    request.headers += own
    let response = try await network.http.send(request)
    do {
      return try DynamicRegistration.receive(
        response, to: request, asked: plan.metadata, present: client, issuer: plan.issuer, now: network.time.now)
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

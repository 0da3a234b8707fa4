public import OAuth

/// The registrations of this program's own making: each is in the keyring from the moment that a server made it until that
/// server has ended it.
public struct KeptRegistration: Sendable {
  /// How long a server may take to answer after somebody has interrupted a registration.
  private static let grace = Duration.seconds(2)

  private let clients: ClientStore
  private let sessions: SessionStore
  private let network: Network

  /// Works on the given ports.
  public init(store: any SecretStore, network: Network) {
    clients = ClientStore(store)
    sessions = SessionStore(store)
    self.network = network
  }

  /// Registers a client, and keeps it.
  ///
  /// It is kept before anything is done with it: a registration that nobody remembers stays at the server for ever.
  ///
  /// - Throws: `RegistrationFailure`, ``TransportError``, ``StoreError``.
  public func register(_ plan: RegisterClient.Plan, for provider: Provider) async throws -> ClientRegistration {
    try await Uninterrupted.run(grace: Self.grace, network.time) {
      try await keep(try await RegisterClient(network: network).register(plan).client, for: provider)
    }
  }

  /// Gives a client that is good for a plan; see ``RegisterClient/ensure(_:_:mayReplace:)``.
  ///
  /// What became of it is kept: the server may have changed its tokens.
  ///
  /// - Throws: `RegistrationFailure`, ``TransportError``, ``StoreError``.
  public func ensure(
    _ client: ClientRegistration, _ plan: RegisterClient.Plan, for provider: Provider, mayReplace: Bool
  ) async throws -> RegisterClient.Outcome {
    try await Uninterrupted.run(grace: Self.grace, network.time) {
      switch try await RegisterClient(network: network).ensure(client, plan, mayReplace: mayReplace) {
      case .kept(let client): return .kept(client)
      case .changed(let client): return .changed(try await keep(client, for: provider))
      case .replaced(let client): return .replaced(try await keep(client, for: provider))
      }
    }
  }

  private func keep(_ client: ClientRegistration, for provider: Provider) async throws -> ClientRegistration {
    var client = client
    client.management?.issuer = provider.issuer
    let kept = client
    try await offPool { try clients.save(kept, provider: provider.name) }
    return kept
  }

  /// What became of a client that was to be forgotten.
  public enum Forgotten: Sendable, Equatable {
    /// There is none.
    case unknown
    /// It is as it was: these accounts need it.
    case inUse([Account])
    /// It is no longer kept; the server has nothing of ours to end, or was not asked.
    case here
    /// It is no longer kept, and the server has ended its registration.
    case everywhere
    /// It is no longer kept, and the server would not end its registration.
    case refused(RegistrationFailure)
  }

  /// Forgets a client that no account needs, at the server too where this program registered it (RFC 7592 section 2.3).
  ///
  /// - Parameter isLocal: whether the server is not asked.
  /// - Throws: ``TransportError``, `RegistrationFailure.transient`: it may be ended later, and is kept for that;
  ///   ``StoreError``.
  public func forget(_ clientID: String, of provider: String, isLocal: Bool) async throws -> Forgotten {
    let users = try await offPool { try accounts(using: clientID, of: provider) }
    guard users.isEmpty else { return .inUse(users) }
    guard let client = try await offPool({ try clients.load(clientID, provider: provider) }) else {
      // What cannot be read is no client, and goes as well.
      try await offPool { try clients.delete(clientID, provider: provider) }
      return .unknown
    }
    var outcome = Forgotten.here
    if !isLocal {
      do {
        if try await RegisterClient(network: network).delete(client) { outcome = .everywhere }
      } catch let failure as RegistrationFailure {
        if case .transient = failure { throw failure }
        outcome = .refused(failure)
      }
    }
    try await offPool { try clients.delete(clientID, provider: provider) }
    return outcome
  }

  /// The accounts whose refreshes need a client; one that cannot be read may.
  private func accounts(using clientID: String, of provider: String) throws -> [Account] {
    try sessions.accounts(of: provider).filter { account in
      do {
        return try sessions.load(account).map { $0.clientID == clientID } ?? false
      } catch is SessionError {
        return true
      } catch StoreError.otherKeyringLocked {
        return true
      }
    }
  }
}

public import OAuth

/// The registrations of this program's own making: each is in the keyring from the moment that a server made it until that
/// server has ended it.
public struct KeptRegistration: Sendable {
  /// How long a server may take to answer after somebody has interrupted a registration.
  private static let grace = Duration.seconds(2)
  /// How long it may take where other accounts use the client: the reply may hold what they need from now on, so that it is
  /// waited for as long as for any.
  private static let graceOfChange = Duration.seconds(30)

  private let store: any SecretStore
  private let clients: ClientStore
  private let sessions: SessionStore
  private let network: Network
  private let warn: @Sendable (String) -> Void

  /// Works on the given ports.
  ///
  /// - Parameter warn: tells of what stays behind, at the server above all.
  public init(store: any SecretStore, network: Network, warn: @escaping @Sendable (String) -> Void = { _ in }) {
    self.store = store
    self.warn = warn
    clients = ClientStore(store)
    sessions = SessionStore(store)
    self.network = network
  }

  /// Registers a client, and keeps it.
  ///
  /// It is kept before anything is done with it: a registration that nobody remembers stays at the server for ever. Where the
  /// keyring does not take it, it is ended again.
  ///
  /// - Throws: `RegistrationFailure`, ``TransportError``, ``StoreError``.
  public func register(_ plan: RegisterClient.Plan, for provider: Provider) async throws -> ClientRegistration {
    let registering = registering(for: provider)
    return try await Uninterrupted.run(grace: Self.grace, network.time) {
      try await registering.register(plan).client
    }
  }

  /// Gives a client that is good for a plan; see ``RegisterClient/ensure(_:_:mayReplace:)``.
  ///
  /// What the server gives meanwhile is kept: it may have changed its tokens, whatever becomes of the rest.
  ///
  /// - Throws: `RegistrationFailure`, ``TransportError``, ``StoreError``.
  public func ensure(
    _ client: ClientRegistration, _ plan: RegisterClient.Plan, for provider: Provider, mayReplace: Bool
  ) async throws -> RegisterClient.Outcome {
    let registering = registering(for: provider)
    return try await Uninterrupted.run(grace: Self.graceOfChange, network.time) {
      try await registering.ensure(client, plan, mayReplace: mayReplace)
    }
  }

  /// Gives the clients of a provider's server that this program has registered.
  ///
  /// - Throws: ``StoreError``, ``NewerItem``.
  public func spares(for provider: Provider) async throws -> [ClientRegistration] {
    try await keeper(for: provider).spares()
  }

  private func registering(for provider: Provider) -> RegisterClient {
    RegisterClient(network: network, keeper: keeper(for: provider))
  }

  private func keeper(for provider: Provider) -> KeyringKeeper {
    KeyringKeeper(store: store, provider: provider, time: network.time, warn: warn)
  }

  /// What became of a client that was to be forgotten.
  public enum Forgotten: Sendable, Equatable {
    /// There is none.
    case unknown
    /// It is as it was: these accounts need it.
    case inUse([Account])
    /// It is no longer kept; this program did not register it, or the server was not asked.
    case here
    /// It is no longer kept, and still registered: the server gave nothing that could end that.
    case unending
    /// It is no longer kept; the server knows neither it nor its token any more.
    case unknownThere
    /// It is no longer kept, and the server has ended its registration.
    case everywhere
    /// It is no longer kept, and the server would not end its registration.
    case refused(RegistrationFailure)
  }

  /// Forgets a client that no account needs, at the server too where this program registered it (RFC 7592 section 2.3).
  ///
  /// - Parameter isLocal: whether the server is not asked.
  /// - Throws: ``TransportError``, a `RegistrationFailure` that passes: it may be ended later, and is kept for that;
  ///   ``StoreError``.
  public func forget(_ clientID: String, of provider: String, isLocal: Bool) async throws -> Forgotten {
    try await Uninterrupted.run(grace: Self.grace, network.time) {
      try await forgetNow(clientID, of: provider, isLocal: isLocal)
    }
  }

  private func forgetNow(_ clientID: String, of provider: String, isLocal: Bool) async throws -> Forgotten {
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
        if RegistrationUpkeep.delete(client) == nil {
          outcome = client.management == nil ? .here : .unending
        } else {
          outcome = try await RegisterClient(network: network).delete(client) ? .everywhere : .unknownThere
        }
      } catch let failure as RegistrationFailure {
        if failure.isTransient { throw failure }
        outcome = .refused(failure)
      }
    }
    // One that the server has ended must not be found by the next login.
    try await Uninterrupted.run {
      try await persevering(network.time, isHopeless: { $0.isLock || isLocal }) { _ in
        try clients.delete(clientID, provider: provider)
      }
    }
    return outcome
  }

  /// Marks a client that its server does not know, or not with this secret: the next login has it changed, or registers
  /// another.
  ///
  /// - Returns: whether it is one of this program's own making.
  /// - Throws: ``StoreError``.
  public func refused(_ clientID: String, of provider: String) async throws -> Bool {
    try await offPool {
      guard var client = try clients.load(clientID, provider: provider), client.management != nil else { return false }
      client.management?.isRefused = true
      try clients.save(client, provider: provider)
      return true
    }
  }

  /// The accounts whose refreshes, or begun logins, need a client; one that cannot be read may.
  private func accounts(using clientID: String, of provider: String) throws -> [Account] {
    let refreshing = try sessions.accounts(of: provider).filter { account in
      do {
        return try sessions.load(account).map { $0.clientID == clientID } ?? false
      } catch is SessionError {
        return true
      } catch StoreError.otherKeyringLocked {
        return true
      }
    }
    let pending = PendingLoginStore(store)
    let begun = try pending.list(now: network.time.now).filter { $0.provider == provider }.compactMap { entry in
      // One that cannot be read cannot be finished either.
      (try? pending.load(entry.id.description, now: network.time.now)).flatMap { login in
        login.clientID == clientID ? login.target : nil
      }
    }
    return refreshing + begun.filter { !refreshing.contains($0) }
  }
}

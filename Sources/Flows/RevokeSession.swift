public import Crypto
public import OAuth

/// Ends a login: revokes its tokens at the server, then forgets them.
public struct RevokeSession: Sendable {
  /// How it ended; the session is no longer stored.
  public enum Outcome: Sendable, Equatable {
    /// The server revoked all tokens.
    case revoked
    /// The server was asked and would not; the tokens live on until they end by themselves.
    case refused(ServerError)
    /// The provider has no way to revoke a token.
    case noEndpoint
    /// The server was not asked, as the caller wanted.
    case forgotten
    /// The tokens were revoked, and a newer login that somebody stored meanwhile was left as it is.
    case superseded
  }

  private let sessions: SessionStore
  private let clients: ClientStore
  private let keySets: KeySetStore
  private let lock: any AccountLock
  private let exchange: ServerExchange

  /// Works on the given ports.
  public init(store: any SecretStore, lock: any AccountLock, network: Network) {
    sessions = SessionStore(store)
    clients = ClientStore(store)
    keySets = KeySetStore(store)
    self.lock = lock
    exchange = ServerExchange(network: network)
  }

  /// Revokes and forgets.
  ///
  /// A mark goes before the revocation: it proves that the keyring takes writes, and a login that could not be forgotten
  /// afterwards, or whose process was killed, does not look alive.
  ///
  /// - Parameters:
  ///   - isLocal: forget without asking the server; works on an item that cannot be read, too.
  ///   - secret: a client secret that wins over the keyring's.
  /// - Throws: ``AccountError`` where there is no such session; `TokenFailure.transient`, ``TransportError``: the server
  ///   could not be asked and nothing is forgotten; `TokenFailure.clientRefused`: the client's secret is wrong, and
  ///   nothing is forgotten; ``FlowError/notMarked(_:_:)``: the keyring takes no write, so the server was not asked;
  ///   ``FlowError/notForgotten(_:_:)``: the server was asked, and the keyring did not forget;
  ///   ``FlowError/stillMarked(_:_:)``: the server has revoked nothing, and the keyring did not take the mark back.
  public func revoke(
    _ account: Account, isLocal: Bool, secret: Secret? = nil
  ) async throws -> Outcome {
    try await lock.withLock(account.fullName, limit: RefreshSession.lockLimit) {
      let session: Session?
      do {
        session = try await offPool { try sessions.load(account) }
      } catch is SessionError where isLocal {
        try await offPool { try sessions.delete(account) }
        return .forgotten
      }
      guard let session else { throw AccountError.none(account, others: []) }
      guard !isLocal, session.provider.endpoints?.revocation != nil else {
        try await offPool { try forget(account) }
        return isLocal ? .forgotten : .noEndpoint
      }
      let (original, outcome) = try await askMarked(session, account, secret: secret)
      await settle(account)
      Checkpoint.revoked.reached()
      do {
        return try await offPool {
          // Another machine with the same keyring knows nothing of the lock.
          if let now = try sessions.load(account), now.generation > original.generation,
            now.tokens.accessToken != original.tokens.accessToken
          {
            return .superseded
          }
          try forget(account)
          return outcome
        }
      } catch let error as StoreError {
        throw FlowError.notForgotten(account, error)
      }
    }
  }

  private func forget(_ account: Account) throws(StoreError) {
    try sessions.delete(account)
    forgetKeys(of: account.provider)
  }

  /// Has the tokens revoked under the mark, which goes where the server has revoked none.
  ///
  /// With one of them revoked it stays: the server may have ended the others with it (RFC 7009 section 2.1).
  private func askMarked(
    _ session: Session, _ account: Account, secret: Secret?
  ) async throws -> (original: Session, outcome: Outcome) {
    // What it takes to ask is looked for first: without it there is nothing to mark.
    var client = try await client(of: session, secret: secret)
    try TokenEndpoint.checkBindingKey(of: client)
    let (original, marked) = try await offPool { try mark(session, account) }
    var revoked = 0
    do {
      return (original, try await ask(original, as: &client, revoked: &revoked))
    } catch {
      if revoked == 0 { try await takeBack(original, marked, account) } else { await settle(account) }
      throw error
    }
  }

  /// Marks what is stored, be it a login that another machine has stored meanwhile.
  private func mark(_ session: Session, _ account: Account) throws -> (original: Session, marked: Session) {
    func marked(_ session: Session) throws -> (Session, Session) {
      var original = session
      let saved = try sessions.update(session, of: account) {
        original = $0
        $0.markForRevocation(at: exchange.network.time.now)
      }
      return (original, saved.session)
    }
    do {
      do { return try marked(session) } catch let overtaken as SessionStore.Overtaken {
        return try marked(overtaken.by)
      }
    } catch let error as StoreError {
      throw FlowError.notMarked(account, error)
    }
  }

  /// Writes down that the server has ended the tokens, or some of them, as far as that goes: else the next refresh is told so.
  private func settle(_ account: Account) async {
    try? await Uninterrupted.run {
      try await offPool {
        guard let now = try sessions.load(account), now.refused?.isRevocation == true else { return }
        _ = try sessions.update(now, of: account) { $0.refused?.status = 200 }
      }
    }
  }

  /// Takes the mark off: nothing was ended, and the login is as good as it was.
  ///
  /// - Throws: ``FlowError/stillMarked(_:_:)``.
  private func takeBack(_ original: Session, _ marked: Session, _ account: Account) async throws {
    do {
      try await Uninterrupted.run {
        try await persevering(exchange.network.time, isHopeless: \.isLock) { _ in
          try restore(original, marked, account)
        }
      }
    } catch let error as StoreError {
      throw FlowError.stillMarked(account, error)
    } catch {
      // Somebody has stored another login meanwhile, or removed this one.
    }
  }

  private func restore(_ original: Session, _ marked: Session, _ account: Account) throws {
    _ = try sessions.update(marked, of: account) {
      // The keyring has whole seconds, so the two marks are not the same to the last digit.
      guard let mark = $0.refused, mark.isRevocation, mark.fingerprint == marked.refused?.fingerprint else { return }
      let generation = $0.generation
      $0 = original
      $0.generation = generation
    }
  }

  /// Nothing of a provider stays behind where nobody is logged in; that it could not be tidied up is no failure.
  private func forgetKeys(of provider: String) {
    guard (try? sessions.accounts(of: provider).isEmpty) == true else { return }
    try? keySets.forget(provider: provider)
  }

  /// - Parameter revoked: how many of the tokens the server has revoked so far.
  private func ask(
    _ session: Session, as client: inout RequestingClient, revoked: inout Int
  ) async throws -> Outcome {
    guard let endpoint = session.provider.endpoints?.revocation else { return .noEndpoint }
    var refusal: ServerError?
    for (target, scheme) in targets(of: session) {
      let response = try await exchange.send(as: &client) { client, stamp in
        try Revocation.request(target, scheme: scheme, endpoint: endpoint, as: client, stamp: stamp)
      }
      let redactor = ServerExchange.redactor(client, secrets(of: session))
      switch Revocation.validate(response, provider: session.provider) {
      case .revoked: revoked += 1
      case .transient(let error): throw TokenFailure.transient(error.redacted(by: redactor), retryAfter: nil)
      case .refused(let error):
        // A secret that can be mended is worth another try; a public client that the server lets revoke nothing is not.
        // So is a proof, which a wrong clock spoils.
        let said = error.redacted(by: redactor)
        if error.code == "invalid_client" ? client.method != .none : error.isOfProof && client.binding != nil {
          throw TokenFailure.clientRefused(said).telling(client.shown)
        }
        refusal = refusal ?? said
      }
    }
    return refusal.map(Outcome.refused) ?? .revoked
  }

  /// Revokes the tokens that a new login has replaced, as far as that goes: what fails here is no failure of the login.
  ///
  /// It is done only where the provider's data says that one token's end leaves the others alone (`cascades: false`), and
  /// only for tokens that the new login did not bring again.
  public func revokeReplaced(_ old: Session, by new: Session) async {
    guard old.provider.effectiveQuirks.revocation?.cascades == false, old.clientID == new.clientID else { return }
    let (before, after) = (old.tokens, new.tokens)
    guard before.accessToken != after.accessToken,
      before.refreshToken == nil || before.refreshToken != after.refreshToken
    else { return }
    guard let endpoint = old.provider.endpoints?.revocation, let known = try? await client(of: old, secret: nil)
    else { return }
    var client = known
    for (target, scheme) in targets(of: old) {
      _ = try? await exchange.send(as: &client) { client, stamp in
        try Revocation.request(target, scheme: scheme, endpoint: endpoint, as: client, stamp: stamp)
      }
    }
  }

  /// All tokens of an account: where a refresh token's end is not that of its access tokens, each of them lives on.
  private func targets(of session: Session) -> [(target: Revocation.Target, scheme: String)] {
    let own = Revocation.targets(session.tokens, provider: session.provider)
      .map { ($0, session.tokens.authorizationScheme) }
    let others = (session.variants ?? []).flatMap { variant in
      Revocation.targets(variant.tokens, provider: session.provider).map { ($0, variant.tokens.authorizationScheme) }
    }
    return own + others
  }

  private func secrets(of session: Session) -> [Secret] {
    [session.tokens.refreshToken, session.tokens.accessToken].compactMap(\.self)
      + (session.variants ?? []).map(\.tokens.accessToken)
  }

  private func client(of session: Session, secret: Secret?) async throws -> RequestingClient {
    let registration = try await offPool { try clients.client(of: session, secret: secret) }
    return RequestingClient(provider: session.provider, registration: registration, binding: session.binding)
  }
}

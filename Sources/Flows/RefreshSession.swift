public import Crypto
public import FoundationEssentials
internal import OAuth

/// Gets a new access token with the stored refresh token, without ever losing the login.
///
/// Of all the processes that want one at a time, one asks the server: the account's lock is held from the look at the
/// keyring until the new tokens are in it.
public struct RefreshSession: Sendable {
  /// How long to wait for an account's lock: longer than the network's deadline, so that a waiter outlasts a holder that
  /// gets no answer.
  public static let lockLimit = Duration.seconds(50)

  /// How long a refresh takes at most where the keyring is well, in seconds.
  private static let longestRefresh = 45

  let sessions: SessionStore
  private let clients: ClientStore
  private let keySets: KeySetStore
  private let lock: any AccountLock
  let endpoint: TokenEndpoint
  let time: any TimeSource
  let warn: @Sendable (String) -> Void

  /// Works on the given ports.
  ///
  /// - Parameter warn: tells of what went well, but not as well as it should.
  public init(
    store: any SecretStore, lock: any AccountLock, network: Network,
    warn: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.warn = warn
    sessions = SessionStore(store)
    clients = ClientStore(store)
    keySets = KeySetStore(store)
    self.lock = lock
    time = network.time
    endpoint = TokenEndpoint(network: network)
  }

  /// Gives the session with an access token that is newer than the one that the caller has seen.
  ///
  /// Cancelling it ends the wait for the lock; from then on it runs to its end, which is bounded by the network's
  /// deadlines: what a server answers is saved, whoever has gone away meanwhile.
  ///
  /// - Parameters:
  ///   - seen: the fingerprint of the access token that the caller read; where another process has stored a good one
  ///     since, that one is taken and the server is not asked.
  ///   - variant: which of the account's tokens is meant; its own where it asks for nothing.
  ///   - secret: a client secret that wins over the keyring's, from the environment.
  /// - Throws: ``FlowError``, `TokenFailure`, ``TransportError``, ``LockError``, ``StoreError``, ``SessionError``. What
  ///   is stored stays usable whatever is thrown.
  public func refresh(
    _ account: Account, seen: String, variant: TokenVariant.Request = TokenVariant.Request(), secret: Secret? = nil
  ) async throws -> Session {
    let wanted = Wanted(account: account, seen: seen, variant: variant, secret: secret)
    return try await lock.withLock(account.fullName, limit: Self.lockLimit) {
      try Task.checkCancellation()
      return try await Uninterrupted.run { try await refreshLocked(wanted) }
    }
  }

  /// What one refresh is about.
  struct Wanted: Sendable {
    let account: Account
    let seen: String
    let variant: TokenVariant.Request
    let secret: Secret?

    /// Whether a refusal is meant for the grant, and not for the other token that was asked for.
    ///
    /// Of that, servers say `invalid_grant`, too, where a person has to consent. A grant that has ended is found by the
    /// account's own token.
    var isOwn: Bool { variant.isEmpty }
  }

  private func refreshLocked(_ wanted: Wanted) async throws -> Session {
    Checkpoint.locked.reached()
    let account = wanted.account
    let stored = try await offPool { try sessions.load(account) }
    guard var stored else { throw AccountError.none(account, others: []) }
    if isNews(stored, wanted) { return stored }
    stored = try await afterOthers(stored, account)
    if isNews(stored, wanted) { return stored }
    do {
      return try await renew(stored, wanted)
    } catch let overtaken as SessionStore.Overtaken {
      if isNews(overtaken.by, wanted) { return overtaken.by }
      do {
        return try await renew(overtaken.by, wanted)
      } catch let again as SessionStore.Overtaken {
        return again.by
      }
    }
  }

  /// Waits for a process that refreshes the account under another set of locks.
  ///
  /// It is in a sandbox with a runtime folder of its own, or at it since before that folder was made anew, and the mark
  /// that it left is all that tells of it. A mark left under our own lock, which we hold, is of a process that is no more.
  private func afterOthers(_ session: Session, _ account: Account) async throws -> Session {
    var current = session
    for _ in 0..<Self.longestRefresh {
      guard let mark = current.interruptedRefresh, let place = mark.lock, place != lock.identity,
        (0..<Double(Self.longestRefresh)).contains(time.now.timeIntervalSince(mark.startedAt))
      else { break }
      try await time.sleep(for: .seconds(1))
      current = try await offPool { try sessions.load(account) } ?? current
    }
    return current
  }

  private func isNews(_ session: Session, _ wanted: Wanted) -> Bool {
    guard let tokens = session.tokens(for: wanted.variant) else { return false }
    return tokens.accessToken.fingerprint != wanted.seen && session.isUsable(tokens, at: time.now, for: 0)
  }

  /// For how long a refusal of a grant that stands holds, in seconds.
  ///
  /// It may have been a clock that was wrong when the assertion was signed, or a client's rights that somebody mends: no
  /// person has to log in again for that. A refresh token that is refused once is refused for ever.
  private static let refusalOfStandingGrant = 60.0

  /// Says at once what the server would say: without anything that renews it, or with what the server has refused,
  /// nothing is sent.
  ///
  /// - Throws: ``FlowError/noRefreshToken(_:)``, ``FlowError/alreadyRefused(_:_:)``.
  public static func refuseKnownRefusal(of session: some TokenBearing, _ account: Account, now: Date) throws {
    guard session.isRefused, let refused = session.refused else {
      if session.isRenewable { return }
      throw FlowError.noRefreshToken(account)
    }
    // The server says whether the logout has reached it; until then the login is not lost.
    if refused.isUndecided, session.tokens.refreshToken != nil || session.grantID != nil { return }
    let age = now.timeIntervalSince(refused.at)
    if !refused.isRevocation, session.tokens.refreshToken == nil, !(0..<Self.refusalOfStandingGrant).contains(age) {
      return
    }
    throw FlowError.alreadyRefused(account, refused)
  }

  /// Gets new tokens by what renews the session, and keeps them.
  private func renew(_ stored: Session, _ wanted: Wanted) async throws -> Session {
    let account = wanted.account
    try Self.refuseKnownRefusal(of: stored, account, now: time.now)
    let registration = try await offPool { try clients.client(of: stored, secret: wanted.secret) }
    let client = RequestingClient(provider: stored.provider, registration: registration, binding: stored.binding)
    guard let token = stored.tokens.refreshToken else { return try await redeemAgain(stored, client, wanted) }
    let interrupted = stored.interruptedRefresh
    // Looked for beforehand: between the server's reply and the keyring's receipt there is no time for it.
    let keys = await RefreshedIdentity.keys(of: stored, in: keySets)
    let begun = try await updated(stored, account) {
      $0.pendingRefresh = PendingRefresh(fingerprint: token.fingerprint, startedAt: time.now, lock: lock.identity)
    }
    Checkpoint.marked.reached()
    do {
      let reply = try await redeem(token, begun, client, wanted)
      Checkpoint.replied.reached()
      let fresh = try await keep(try checked(reply, begun, keys, wanted), in: begun, wanted)
      Checkpoint.saved.reached()
      return fresh
    } catch TokenFailure.grantRefused(let error) where wanted.isOwn {
      return try await refused(begun, account, token.fingerprint, error, interrupted: interrupted)
    } catch let overtaken as SessionStore.Overtaken {
      throw overtaken
    } catch {
      try await note(error, in: begun, account, interrupted: interrupted)
      throw error
    }
  }

  /// Redeems a grant that stands: it is not spent, so there is nothing to be marked beforehand.
  private func redeemAgain(_ stored: Session, _ client: RequestingClient, _ wanted: Wanted) async throws -> Session {
    guard let standing = stored.grant else { throw FlowError.noRefreshToken(wanted.account) }
    do {
      var reply = try await standing.redeem(
        at: endpoint, as: client,
        scopes: wanted.variant.scopes.isEmpty ? stored.requestedScopes : wanted.variant.scopes,
        extra: parameters(of: stored, wanted.variant))
      reply.tokens.refreshToken = nil
      let keys = await RefreshedIdentity.keys(of: stored, in: keySets)
      return try await keep(try checked(reply, stored, keys, wanted), in: stored, wanted)
    } catch TokenFailure.grantRefused(let error) where wanted.isOwn {
      return try await refused(stored, wanted.account, standing.id, error, interrupted: nil)
    } catch let overtaken as SessionStore.Overtaken {
      throw overtaken
    } catch {
      try await note(error, in: stored, wanted.account, interrupted: nil)
      throw error
    }
  }

  /// Asks the server for what is wanted.
  ///
  /// A server that gives no token for the login's targets is not asked for one without them: that would be good elsewhere,
  /// and be handed to those whom it was to be kept from (RFC 9700 section 2.3).
  private func redeem(
    _ token: Secret, _ session: Session, _ client: RequestingClient, _ wanted: Wanted
  ) async throws -> TokenEndpoint.Reply {
    let variant = wanted.variant
    // None leaves them as they were granted (RFC 6749 section 6).
    let scopes =
      variant.scopes.isEmpty ? session.provider.repeated(session.scopesToRepeat, on: .refresh) : variant.scopes
    let targets = parameters(of: session, variant)
    do {
      return try await redeem(token, session, client, scopes: scopes, targets)
    } catch TokenFailure.clientRefused(let error)
      where error.code == "invalid_target" && variant.parameters.isEmpty && !targets.isEmpty
    {
      throw FlowError.targetRefused(wanted.account, error)
    }
  }

  /// Asks the server, and once more where the answer was lost and the provider's data says that the server bears that.
  ///
  /// Without that word nothing is ever sent twice: where each refresh token is good for once, the server takes a
  /// second use for theft and ends the login. Half of the time that the server grants is left for the second try.
  private func redeem(
    _ token: Secret, _ session: Session, _ client: RequestingClient, scopes: [String], _ extra: [Parameter]
  ) async throws -> TokenEndpoint.Reply {
    let start = time.now
    do {
      return try await endpoint.redeem(.refreshToken(token), as: client, scopes: scopes, extra: extra)
    } catch let failure as TransportError where failure.mayHaveArrived {
      let window = session.provider.effectiveQuirks.refreshReuseSeconds ?? 0
      guard (0..<Double(window) / 2).contains(time.now.timeIntervalSince(start)) else { throw failure }
      return try await endpoint.redeem(.refreshToken(token), as: client, scopes: scopes, extra: extra)
    }
  }

  /// Whom the token is for: a variant's own, else as at the login, or a server that gave another one since might stay at
  /// that.
  ///
  /// Some servers narrow the refresh token itself, and refuse a resource beside it; the provider's data says so.
  private func parameters(of session: Session, _ variant: TokenVariant.Request) -> [Parameter] {
    guard variant.audience == nil, variant.resources.isEmpty else { return variant.parameters }
    let isNarrowed =
      session.tokens.refreshToken != nil && session.provider.effectiveQuirks.resourceOnRefresh == false
    let resources = isNarrowed ? [] : session.resources ?? []
    return TokenVariant.Request(audience: session.audience, resources: resources).parameters
  }

  /// Gives the reply without an ID token that does not hold, and tells of that.
  ///
  /// - Throws: `JWT.Mismatch` where it speaks of another person than the one from the login.
  private func checked(
    _ reply: TokenEndpoint.Reply, _ session: Session, _ keys: JSONWebKeySet?, _ wanted: Wanted
  ) throws -> TokenEndpoint.Reply {
    var reply = reply
    let identity = RefreshedIdentity(
      session: session, secret: reply.client.registration.secret, keys: keys, isKept: wanted.isOwn, now: time.now)
    if let problem = try identity.judge(&reply.tokens) { warn("\(problem) (\(session.provider.name))") }
    return reply
  }

  func updated(
    _ session: Session, _ account: Account, _ change: @escaping @Sendable (inout Session) -> Void
  ) async throws -> Session {
    try await offPool { try sessions.update(session, of: account, change).session }
  }
}

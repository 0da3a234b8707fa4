public import Crypto
internal import FoundationEssentials
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

  private let sessions: SessionStore
  private let clients: ClientStore
  private let lock: any AccountLock
  private let endpoint: TokenEndpoint
  private let time: any TimeSource
  private let warn: @Sendable (String) -> Void

  /// Works on the given ports.
  ///
  /// - Parameter warn: tells of what went well, but not as well as it should.
  public init(
    store: any SecretStore, lock: any AccountLock, http: any HTTPClient, time: any TimeSource,
    warn: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.warn = warn
    sessions = SessionStore(store)
    clients = ClientStore(store)
    self.lock = lock
    self.time = time
    endpoint = TokenEndpoint(http: http, time: time)
  }

  /// Gives the session with an access token that is newer than the one that the caller has seen.
  ///
  /// Cancelling it ends the wait for the lock; from then on it runs to its end, which is bounded by the network's
  /// deadlines: what a server answers is saved, whoever has gone away meanwhile.
  ///
  /// - Parameters:
  ///   - seen: the fingerprint of the access token that the caller read; where another process has stored a good one
  ///     since, that one is taken and the server is not asked.
  ///   - secret: a client secret that wins over the keyring's, from the environment.
  /// - Throws: ``FlowError``, `TokenFailure`, ``TransportError``, ``LockError``, ``StoreError``, ``SessionError``. What
  ///   is stored stays usable whatever is thrown.
  public func refresh(_ account: Account, seen: String, secret: Secret? = nil) async throws -> Session {
    try await lock.withLock(account.fullName, limit: Self.lockLimit) {
      try Task.checkCancellation()
      return try await Uninterrupted.run { try await refreshLocked(account, seen: seen, secret: secret) }
    }
  }

  private func refreshLocked(_ account: Account, seen: String, secret: Secret?) async throws -> Session {
    Checkpoint.locked.reached()
    let stored = try await offPool { try sessions.load(account) }
    guard var stored else { throw AccountError.none(account, others: []) }
    if isNews(stored, since: seen) { return stored }
    stored = try await afterOthers(stored, account)
    if isNews(stored, since: seen) { return stored }
    do {
      return try await spend(stored, account, secret: secret)
    } catch let overtaken as SessionStore.Overtaken {
      if overtaken.by.isUsable(at: time.now, for: 0) { return overtaken.by }
      do {
        return try await spend(overtaken.by, account, secret: secret)
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

  private func isNews(_ session: Session, since seen: String) -> Bool {
    session.tokens.accessToken.fingerprint != seen && session.isUsable(at: time.now, for: 0)
  }

  /// Says at once what the server would say: without a refresh token, or with one that it has refused, nothing is sent.
  ///
  /// - Throws: ``FlowError/noRefreshToken(_:)``, ``FlowError/alreadyRefused(_:_:)``.
  public static func refuseKnownRefusal(of session: some TokenBearing, _ account: Account) throws {
    guard session.tokens.refreshToken != nil else { throw FlowError.noRefreshToken(account) }
    if session.isRefused, let refused = session.refused { throw FlowError.alreadyRefused(account, refused) }
  }

  private func spend(_ stored: Session, _ account: Account, secret: Secret?) async throws -> Session {
    try Self.refuseKnownRefusal(of: stored, account)
    guard let refreshToken = stored.tokens.refreshToken else { throw FlowError.noRefreshToken(account) }
    let client = try await offPool { try clients.client(of: stored, secret: secret) }
    let interrupted = stored.interruptedRefresh
    let begun = try await updated(stored, account) {
      $0.pendingRefresh = PendingRefresh(
        fingerprint: refreshToken.fingerprint, startedAt: time.now, lock: lock.identity)
    }
    Checkpoint.marked.reached()
    do {
      let reply = try await redeem(refreshToken, begun, client)
      Checkpoint.replied.reached()
      let fresh = try await keep(try checked(reply, begun), in: begun, account)
      Checkpoint.saved.reached()
      return fresh
    } catch TokenFailure.grantRefused(let error) {
      return try await refused(begun, account, refreshToken, error, interrupted: interrupted)
    } catch let overtaken as SessionStore.Overtaken {
      throw overtaken
    } catch {
      await note(error, in: begun, account, interrupted: interrupted)
      throw error
    }
  }

  /// Asks the server, and once more where the answer was lost and the provider's data says that the server bears that.
  ///
  /// Without that word nothing is ever sent twice: where each refresh token is good for once, the server takes a
  /// second use for theft and ends the login. Half of the time that the server grants is left for the second try.
  private func redeem(_ token: Secret, _ session: Session, _ client: ClientRegistration) async throws -> TokenSet {
    let start = time.now
    do {
      return try await endpoint.redeem(.refreshToken(token), provider: session.provider, client: client)
    } catch let failure as TransportError where failure.mayHaveArrived {
      let window = session.provider.effectiveQuirks.refreshReuseSeconds ?? 0
      guard (0..<Double(window) / 2).contains(time.now.timeIntervalSince(start)) else { throw failure }
      return try await endpoint.redeem(.refreshToken(token), provider: session.provider, client: client)
    }
  }

  /// Writes down what a failure means for the next try.
  ///
  /// The login itself stays as it was.
  private func note(
    _ failure: any Error, in session: Session, _ account: Account, interrupted: PendingRefresh?
  ) async {
    // The keyring may have taken the new tokens after all: they must not be written over.
    if case FlowError.tokensNotSaved? = failure as? FlowError { return }
    let mayBeSpent = Self.mayBeSpent(failure)
    _ = try? await updated(session, account) {
      // The mark stays where the server may have spent the token, now or the time before, so that the next refresh is
      // able to say so.
      if !mayBeSpent { $0.pendingRefresh = interrupted }
      $0.backoff = Self.backoff(after: failure, $0.backoff, now: time.now)
    }
  }

  private static func backoff(after failure: any Error, _ former: Backoff?, now: Date) -> Backoff? {
    switch failure {
    case TokenFailure.transient(_, let retryAfter): .after(former, now: now, retryAfter: retryAfter)
    case let failure as TransportError:
      switch failure.kind {
      case .timedOut, .tls, .tooLarge, .broken: .after(former, now: now, retryAfter: nil)
      // As often this machine's as the server's: nobody who is online again waits for an hour.
      case .cannotResolve, .cannotConnect: .pause(former, now: now)
      case .refusedURL, .badCertificates, .badClientCertificate, .badProxy, .unavailable: former
      }
    default: former
    }
  }

  /// Whether the server may have spent the refresh token, although no new one came: it may have the request, or has
  /// answered it with success, or something before it answered for it (a proxy's 502 or 504).
  private static func mayBeSpent(_ failure: any Error) -> Bool {
    switch failure {
    case let failure as TransportError: failure.mayHaveArrived
    case TokenFailure.notATokenReply(let error, _): (200...299).contains(error.status ?? 0)
    case TokenFailure.transient(let error, _):
      error.code == nil && (error.status == 408 || (500...599).contains(error.status ?? 0))
    case is CancellationError, is IDToken.Mismatch: true
    default: false
    }
  }

  /// Gives the reply without an ID token that cannot be read, as an encrypted one: the refresh token beside it is the only
  /// one that is good from now on.
  ///
  /// - Throws: `IDToken.Mismatch` where it speaks of another person than the one from the login.
  private func checked(_ reply: TokenSet, _ session: Session) throws -> TokenSet {
    var reply = reply
    reply.fields["id_token"] = nil
    guard let token = reply.idToken else { return reply }
    guard let next = IDToken(unverified: token) else {
      reply.idToken = nil
      return reply
    }
    if let first = session.tokens.idToken.flatMap(IDToken.init(unverified:)) { try first.validateSuccessor(next) }
    return reply
  }

  /// Saves the new tokens before anyone sees them: they exist nowhere else.
  private func keep(_ reply: TokenSet, in session: Session, _ account: Account) async throws -> Session {
    var saved: SessionStore.Saved
    do {
      saved = try await persevering(time) { isLastCopy in
        try sessions.update(session, of: account, isLastCopy: isLastCopy) {
          $0.tokens = $0.tokens.updated(by: reply)
          $0.pendingRefresh = nil
          $0.refused = nil
          $0.backoff = nil
        }
      }
    } catch let error as StoreError {
      throw FlowError.tokensNotSaved(account, error)
    }
    saved = await settled(saved, account)
    if saved.place == .sessionOnly {
      warn(
        "the new tokens of \(account) are in the memory of the keyring's service alone: make it writable (oauthctl "
          + "unlock), and run 'oauthctl refresh \(account)' before you log out")
    }
    return saved.session
  }

  /// Tries for a while to bring what is in the keyring service's memory alone to where it lasts: that service may be
  /// about to be started anew, or somebody about to unlock it.
  private func settled(_ saved: SessionStore.Saved, _ account: Account) async -> SessionStore.Saved {
    var saved = saved
    for pause in [500, 1000, 2000, 4000, 7000] where saved.place == .sessionOnly {
      try? await time.sleep(for: .milliseconds(pause))
      let current = saved
      saved = (try? await offPool { try sessions.update(current.session, of: account) { _ in } }) ?? current
    }
    return saved
  }

  /// Marks the grant as refused, unless a process that did not hold the lock has stored a newer one meanwhile.
  private func refused(
    _ session: Session, _ account: Account, _ sent: Secret, _ error: ServerError, interrupted: PendingRefresh?
  ) async throws -> Session {
    do {
      _ = try await updated(session, account) {
        $0.pendingRefresh = nil
        $0.refused = RefusedGrant(
          fingerprint: sent.fingerprint, at: time.now, status: error.status, error: error.code,
          description: error.description.map { PrintableText.printable($0, limit: 200) })
      }
    } catch let overtaken as SessionStore.Overtaken {
      throw overtaken
    } catch {
      // A keyring that fails now must not hide what the server said.
    }
    throw FlowError.grantRefused(account, error, interrupted: interrupted)
  }

  private func updated(
    _ session: Session, _ account: Account, _ change: @escaping @Sendable (inout Session) -> Void
  ) async throws -> Session {
    try await offPool { try sessions.update(session, of: account, change).session }
  }
}

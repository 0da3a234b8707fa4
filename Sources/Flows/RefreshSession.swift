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
  /// How long a request that is under way may go on after nobody waits for it any more.
  static let grace = Duration.seconds(3)

  private let sessions: SessionStore
  private let clients: ClientStore
  private let lock: any AccountLock
  private let endpoint: TokenEndpoint
  private let time: any TimeSource

  /// Works on the given ports.
  public init(store: any SecretStore, lock: any AccountLock, http: any HTTPClient, time: any TimeSource) {
    sessions = SessionStore(store)
    clients = ClientStore(store)
    self.lock = lock
    self.time = time
    endpoint = TokenEndpoint(http: http, time: time)
  }

  /// Gives the session with an access token that is newer than the one that the caller has seen.
  ///
  /// - Parameters:
  ///   - seen: the fingerprint of the access token that the caller read; where another process has stored a good one
  ///     since, that one is taken and the server is not asked.
  ///   - secret: a client secret that wins over the keyring's, from the environment.
  /// - Throws: ``FlowError``, `TokenFailure`, ``TransportError``, ``LockError``, ``StoreError``, ``SessionError``. What
  ///   is stored stays usable whatever is thrown.
  public func refresh(_ account: Account, seen: String, secret: Secret? = nil) async throws -> Session {
    try await lock.withLock(account.fullName, limit: Self.lockLimit) {
      let session = try await offPool { try sessions.load(account) }
      guard let session else { throw AccountError.none(account, others: []) }
      if isNews(session, since: seen) { return session }
      return try await withGrace { try await spend(session, account, secret: secret) }
    }
  }

  /// Runs what may spend a token.
  ///
  /// Cancelled, it still gives the server a moment to answer, and always saves an answer.
  private func withGrace(_ body: @escaping @Sendable () async throws -> Session) async throws -> Session {
    let work = Task { try await body() }
    return try await withTaskCancellationHandler {
      try await work.value
    } onCancel: {
      Task {
        try? await time.sleep(for: Self.grace)
        work.cancel()
      }
    }
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
    let interrupted = stored.pendingRefresh.flatMap { $0.fingerprint == refreshToken.fingerprint ? $0 : nil }
    let begun = try await saved(stored, account) {
      $0.pendingRefresh = PendingRefresh(fingerprint: refreshToken.fingerprint, startedAt: time.now)
    }
    do {
      let reply = try await endpoint.redeem(.refreshToken(refreshToken), provider: begun.provider, client: client)
      try checkPerson(reply, begun)
      return try await keep(reply, in: begun, account)
    } catch TokenFailure.grantRefused(let error) {
      return try await refused(begun, account, refreshToken, error, interrupted: interrupted)
    } catch {
      await note(error, in: begun, account, interrupted: interrupted)
      throw error
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
    let transport = failure as? TransportError
    var isTransient = transport != nil
    var wait: Int?
    if case TokenFailure.transient(_, let retryAfter)? = failure as? TokenFailure {
      (isTransient, wait) = (true, retryAfter)
    }
    let mayBeSpent = Self.mayBeSpent(failure)
    let (counts, seconds) = (isTransient, wait)
    _ = try? await saved(session, account) {
      // The mark stays where the server may have spent the token, now or the time before, so that the next refresh is
      // able to say so.
      if !mayBeSpent { $0.pendingRefresh = interrupted }
      if counts { $0.backoff = Backoff.after($0.backoff, now: time.now, retryAfter: seconds) }
    }
  }

  /// Whether the server may have spent the refresh token, although no new one came: it may have the request, or has
  /// answered it with success.
  private static func mayBeSpent(_ failure: any Error) -> Bool {
    switch failure {
    case let failure as TransportError: failure.mayHaveArrived
    case TokenFailure.notATokenReply(let error, _): (200...299).contains(error.status ?? 0)
    case is CancellationError, is IDToken.Mismatch: true
    default: false
    }
  }

  /// An ID token that comes with a refresh must speak of the same person as the one from the login.
  private func checkPerson(_ reply: TokenSet, _ session: Session) throws {
    guard let first = session.tokens.idToken.flatMap(IDToken.init(unverified:)), let token = reply.idToken else {
      return
    }
    guard let next = IDToken(unverified: token) else {
      throw IDToken.Mismatch(claim: "id_token", expected: "a JWT", got: nil)
    }
    try first.validateSuccessor(next)
  }

  /// Saves the new tokens before anyone sees them.
  ///
  /// A keyring that fails now is tried for a while longer, through a restart of its service or a locked screen: these
  /// tokens exist nowhere else, and no Ctrl-C shortens the wait.
  private func keep(_ reply: TokenSet, in session: Session, _ account: Account) async throws -> Session {
    var lastError = StoreError.failed(detail: "")
    for delay in [0, 200, 500, 1000, 2000, 4000, 7000] {
      if delay > 0 { await Task { try? await time.sleep(for: .milliseconds(delay)) }.value }
      do {
        return try await saved(session, account) {
          $0.tokens = $0.tokens.updated(by: reply)
          $0.pendingRefresh = nil
          $0.refused = nil
          $0.backoff = nil
        }
      } catch {
        lastError = error as? StoreError ?? .failed(detail: "\(error)")
      }
    }
    throw FlowError.tokensNotSaved(account, lastError)
  }

  /// Marks the grant as refused, unless a process that did not hold the lock has stored a newer one meanwhile.
  private func refused(
    _ session: Session, _ account: Account, _ sent: Secret, _ error: ServerError, interrupted: PendingRefresh?
  ) async throws -> Session {
    // A keyring that fails now must not hide what the server said.
    let current = (try? await offPool { try sessions.load(account) }) ?? session
    if current.tokens.refreshToken != sent, current.isUsable(at: time.now, for: 0) { return current }
    if current.tokens.refreshToken == sent {
      _ = try? await saved(current, account) {
        $0.pendingRefresh = nil
        $0.refused = RefusedGrant(
          fingerprint: sent.fingerprint, at: time.now, status: error.status, error: error.code,
          description: error.description.map { PrintableText.printable($0, limit: 200) })
      }
    }
    throw FlowError.grantRefused(account, error, interrupted: interrupted)
  }

  private func saved(
    _ session: Session, _ account: Account, _ change: @Sendable (inout Session) -> Void
  ) async throws -> Session {
    var changed = session
    change(&changed)
    let next = changed
    return try await offPool {
      var session = next
      try sessions.save(&session, as: account)
      return session
    }
  }
}

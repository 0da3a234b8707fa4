public import Crypto
public import OAuth

/// Ends a login: revokes its tokens at the server, then forgets them.
public struct RevokeSession: Sendable {
  /// How it ended; in each case the session is no longer stored.
  public enum Outcome: Sendable, Equatable {
    /// The server revoked all tokens.
    case revoked
    /// The server was asked and would not; the tokens live on until they end by themselves.
    case refused(ServerError)
    /// The provider has no way to revoke a token.
    case noEndpoint
    /// The server was not asked, as the caller wanted.
    case forgotten
  }

  private let sessions: SessionStore
  private let clients: ClientStore
  private let lock: any AccountLock
  private let http: any HTTPClient

  /// Works on the given ports.
  public init(store: any SecretStore, lock: any AccountLock, http: any HTTPClient) {
    sessions = SessionStore(store)
    clients = ClientStore(store)
    self.lock = lock
    self.http = http
  }

  /// Revokes and forgets.
  ///
  /// - Parameters:
  ///   - isLocal: forget without asking the server; works on an item that cannot be read, too.
  ///   - forgetsClient: forget the client's registration and secret as well.
  ///   - secret: a client secret that wins over the keyring's.
  /// - Throws: ``AccountError`` where there is no such session; `TokenFailure.transient`, ``TransportError``: the server could not be asked
  ///   and nothing is forgotten; `TokenFailure.clientRefused`: the client's secret is wrong, and nothing is forgotten.
  public func revoke(
    _ account: Account, isLocal: Bool, forgetsClient: Bool, secret: Secret? = nil
  ) async throws -> Outcome {
    try await lock.withLock("\(account.provider)/\(account.name)", limit: RefreshSession.lockLimit) {
      let session: Session?
      do {
        session = try await offPool { try sessions.load(account) }
      } catch let error as SessionError where isLocal {
        _ = error
        try await offPool { try sessions.delete(account) }
        return .forgotten
      }
      guard let session else { throw AccountError.none(account, others: []) }
      let outcome = isLocal ? .forgotten : try await ask(session, secret: secret)
      try await offPool {
        try sessions.delete(account)
        if forgetsClient { try clients.delete(session.clientID, provider: account.provider) }
      }
      return outcome
    }
  }

  private func ask(_ session: Session, secret: Secret?) async throws -> Outcome {
    guard let endpoint = session.provider.endpoints?.revocation else { return .noEndpoint }
    var client = ClientRegistration(id: session.clientID, secret: secret, method: session.clientAuth)
    if client.secret == nil {
      client.secret = try await offPool { try clients.load(session.clientID, provider: session.provider.name) }?.secret
    }
    var refusal: ServerError?
    for request in Revocation.build(session.tokens, endpoint: endpoint, provider: session.provider, client: client) {
      let response = try await http.send(request)
      switch Revocation.validate(response, provider: session.provider) {
      case .revoked: continue
      case .transient(let error): throw TokenFailure.transient(error, retryAfter: nil)
      case .refused(let error):
        // A secret that can be mended is worth another try; a public client that the server lets revoke nothing is not.
        if error.code == "invalid_client", client.secret != nil { throw TokenFailure.clientRefused(error) }
        refusal = refusal ?? error
      }
    }
    return refusal.map(Outcome.refused) ?? .revoked
  }
}

internal import Crypto
internal import FoundationEssentials
public import OAuth

/// Puts the result of a login into the keyring, in the place of the account's former one.
public struct KeepLogin: Sendable {
  /// How long to wait for the account's lock.
  ///
  /// It is longer than any refresh can hold it, with a server and a keyring that are as slow as they may be: the tokens
  /// exist nowhere else.
  static let lockLimit = Duration.seconds(150)

  private let store: any SecretStore
  private let sessions: SessionStore
  private let clients: ClientStore
  private let lock: any AccountLock
  private let time: any TimeSource

  /// Works on the given ports.
  public init(store: any SecretStore, lock: any AccountLock, time: any TimeSource) {
    self.store = store
    sessions = SessionStore(store)
    clients = ClientStore(store)
    self.lock = lock
    self.time = time
  }

  /// Proves that the keyring takes what a login will bring, before a person is sent away or a server is asked for anything.
  ///
  /// - Throws: ``StoreError``.
  public func prove(for provider: String) async throws {
    try await offPool { try store.prove(for: provider) }
  }

  /// Keeps a session and the client that it belongs to.
  ///
  /// Cancelling does not reach it: at some servers the new tokens have ended the old ones by now. A keyring that fails is
  /// tried for a while longer.
  ///
  /// - Parameter read: the client as it was kept when the login began: what differs is what the login changed, and no more
  ///   is written, since another login of the same client may have ended meanwhile.
  /// - Parameter isOnlyCopy: whether the tokens cannot be had again by another login: then any place in the keyring will do.
  /// - Returns: the session as it is stored.
  /// - Throws: ``FlowError/loginNotSaved(_:_:)``, ``LockError``; for a grant that stands ``StoreError``; what was stored before is as it was then.
  public func keep(
    _ session: Session, client: ClientRegistration, read: ClientRegistration? = nil, as account: Account,
    isOnlyCopy: Bool = false
  ) async throws -> Session {
    try await Uninterrupted.run {
      try await lock.withLock(account.fullName, limit: Self.lockLimit) {
        // A grant that stands gives another token at any time: nothing is lost with this one, and nobody is kept waiting.
        if session.grant != nil { return try await offPool { try save(session, client, read, account) } }
        do {
          // Whoever logs in can unlock the keyring, and log in again: that is better than a place that does not last.
          return try await persevering(time, isHopeless: { !isOnlyCopy && ($0.isLock || $0 == .noCollection) }) {
            isLast in
            try save(session, client, read, account, isLastCopy: isOnlyCopy && isLast)
          }
        } catch let error as StoreError {
          throw FlowError.loginNotSaved(account, error)
        }
      }
    }
  }

  /// Saves the client first: tokens without the secret that renews them would be half a login.
  private func save(
    _ session: Session, _ client: ClientRegistration, _ read: ClientRegistration?, _ account: Account,
    isLastCopy: Bool = false
  ) throws -> Session {
    // A grant that tells the server who asks needs no client, and has none.
    if !client.id.isEmpty {
      var kept = read
      do {
        kept = try clients.load(client.id, provider: account.provider)
      } catch is StoreError where isLastCopy {
        // What cannot be read may still be written beside.
      }
      let changed = client.changing(kept, since: read)
      if changed != kept { try clients.save(changed, provider: account.provider, isLastCopy: isLastCopy) }
    }
    Checkpoint.clientSaved.reached()
    var session = session
    // At least the time: a copy of a former login that is out of sight, in a locked collection, is older however often it
    // was renewed.
    session.generation = Int(min(max(time.now.timeIntervalSince1970, 0), 1e12))
    do {
      session.generation = max(session.generation, try sessions.load(account)?.generation ?? 0)
    } catch is SessionError {
      // What cannot be read is replaced.
    } catch StoreError.otherKeyringLocked {
      // So is what is out of sight.
    } catch is StoreError where isLastCopy {
      // And what cannot be read now stands beside.
    }
    try sessions.save(&session, as: account, isLastCopy: isLastCopy)
    return session
  }
}

extension ClientRegistration {
  /// Gives what is kept now with what a login changed of it.
  ///
  /// What the login did without stays: other accounts of the client need it.
  fileprivate func changing(_ kept: ClientRegistration?, since read: ClientRegistration?) -> ClientRegistration {
    guard var changed = kept else { return self }
    if hasMeans, let server, let before = changed.knownServer, server.isAnother(than: before) {
      // What was given to the other server would be sent to this one. A registration tells by itself where it is.
      changed = self
      changed.management = management ?? kept?.management
      return changed
    }
    if let secret, secret != read?.secret { (changed.secret, changed.secretExpiresAt) = (secret, secretExpiresAt) }
    if let key, key != read?.key { changed.key = key }
    if let certificate, certificate != read?.certificate { changed.certificate = certificate }
    if let management, management != read?.management { changed.management = management }
    if hasMeans, let server, server != read?.server { changed.server = server }
    if let algorithm, algorithm != read?.algorithm { changed.algorithm = algorithm }
    // How one account authenticates is its session's, and what the client's others do stays as it is; but what was chosen for
    // the means that there were says nothing of new ones.
    if hasNewMeans(since: read) { changed.method = method }
    return changed
  }

  private func hasNewMeans(since read: ClientRegistration?) -> Bool {
    (secret != nil && secret != read?.secret) || (key != nil && key != read?.key)
      || (certificate != nil && certificate != read?.certificate)
  }
}

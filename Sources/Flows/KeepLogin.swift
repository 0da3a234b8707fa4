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

  private let sessions: SessionStore
  private let clients: ClientStore
  private let lock: any AccountLock
  private let time: any TimeSource

  /// Works on the given ports.
  public init(store: any SecretStore, lock: any AccountLock, time: any TimeSource) {
    sessions = SessionStore(store)
    clients = ClientStore(store)
    self.lock = lock
    self.time = time
  }

  /// Keeps a session and the client that it belongs to.
  ///
  /// Cancelling does not reach it: at some servers the new tokens have ended the old ones by now. A keyring that fails is
  /// tried for a while longer.
  ///
  /// - Returns: the session as it is stored.
  /// - Throws: ``FlowError/loginNotSaved(_:_:)``, ``LockError``; what was stored before is as it was then.
  public func keep(_ session: Session, client: ClientRegistration, as account: Account) async throws -> Session {
    try await Uninterrupted.run {
      try await lock.withLock(account.fullName, limit: Self.lockLimit) {
        do {
          // Whoever logs in can unlock the keyring, and log in again: that is better than a place that does not last.
          return try await persevering(time, isHopeless: { $0.isLock || $0 == .noCollection }) { _ in
            try save(session, client, account)
          }
        } catch let error as StoreError {
          throw FlowError.loginNotSaved(account, error)
        }
      }
    }
  }

  /// Saves the client first: tokens without the secret that renews them would be half a login.
  private func save(_ session: Session, _ client: ClientRegistration, _ account: Account) throws -> Session {
    // A grant that tells the server who asks needs no client, and has none.
    if !client.id.isEmpty, try clients.load(client.id, provider: account.provider) != client {
      try clients.save(client, provider: account.provider)
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
    }
    try sessions.save(&session, as: account)
    return session
  }
}

internal import Crypto
public import OAuth

/// Asks the provider who it is that has logged in, where the login itself did not say.
///
/// It comes after the login is stored: whatever fails here, the login stands.
public struct NameAccount: Sendable {
  private let sessions: SessionStore
  private let lock: any AccountLock
  private let network: Network
  private let warn: @Sendable (String) -> Void

  /// Works on the given ports.
  public init(
    store: any SecretStore, lock: any AccountLock, network: Network, warn: @escaping @Sendable (String) -> Void
  ) {
    sessions = SessionStore(store)
    self.lock = lock
    self.network = network
    self.warn = warn
  }

  /// Whether the login left open who it is, and the provider can be asked: it has OpenID Connect, or its data tells where
  /// the answer has the name.
  ///
  /// A client that has its own tokens is nobody's account, and a token that is not for access is shown to nobody.
  public static func isWorthAsking(_ session: Session) -> Bool {
    guard session.grant == nil, session.tokens.isForAccess, session.provider.endpoints?.userinfo != nil else {
      return false
    }
    let token = session.tokens.idToken.flatMap(IDToken.init(unverified:))
    let isAnswered = session.provider.effectiveQuirks.userinfo?.identity != nil
    return token?.name == nil && (isAnswered || session.requestedScopes.contains("openid"))
  }

  /// Gives the session with the name that the provider has for the person, stored; as it was where that fails.
  ///
  /// - Parameter client: whose tokens they are.
  public func named(_ session: Session, as account: Account, client: RequestingClient) async -> Session {
    guard Self.isWorthAsking(session) else { return session }
    do {
      var client = client
      client.provider = session.provider
      let subject = session.tokens.idToken.flatMap(IDToken.init(unverified:))?.subject
      let claims = try await AskAboutToken(network: network).userinfo(session.tokens, as: &client, subject: subject)
      let path = session.provider.effectiveQuirks.userinfo?.identity
      guard let name = Userinfo.identity(in: claims, path: path), name != session.identity else { return session }
      let binding = client.binding
      return try await lock.withLock(account.fullName, limit: RefreshSession.lockLimit) {
        try await offPool {
          try sessions.update(session, of: account) {
            $0.identity = name
            $0.binding = binding ?? $0.binding
          }.session
        }
      }
    } catch Userinfo.Failure.mismatch(let mismatch) {
      warn(
        "what the userinfo endpoint says is not used, for its '\(mismatch.claim)' does not hold: expected "
          + "\(PrintableText.printable(mismatch.expected, limit: 200)), "
          + "got \(mismatch.got.map { PrintableText.printable($0, limit: 200) } ?? "none")")
      return session
    } catch {
      // Who it is would be good to know, and no more.
      return session
    }
  }
}

extension Session {
  /// Whether it is another person's than an earlier one of the same account; a name that is missing tells nothing.
  public func isAnothers(than former: Session) -> Bool {
    let subjects = [self, former].map { $0.tokens.idToken.flatMap(IDToken.init(unverified:))?.subject }
    if let mine = subjects[0], let theirs = subjects[1] { return mine != theirs }
    guard let identity, let before = former.identity, identity != before else { return false }
    // The same person has an address, a name and a number: what was asked for decides which of them is known.
    let areAddresses = [identity, before].map { $0.contains("@") }
    if areAddresses[0] != areAddresses[1] { return false }
    return areAddresses[0] || Set(requestedScopes) == Set(former.requestedScopes)
  }
}

public import Crypto
public import FoundationEssentials
public import OAuth

/// A stored token, taken apart.
public struct InspectedToken: Sendable {
  /// The header; nil where it is no JWT that can be read.
  public var header: [String: JSONValue]?
  /// The claims; nil where it is no JWT that can be read.
  public var claims: [String: JSONValue]?
  /// Why it is not known that the issuer signed it; nil where that is known.
  public var doubt: String?
  /// What kept it from being found out now, where another time it may be.
  public var obstacle: (any Error)?

  /// Whether the issuer signed it.
  public var isVerified: Bool { claims != nil && doubt == nil }
  /// When it ends, by its own word.
  public var expiresAt: Date? { claims.flatMap { Introspection.expiry(of: $0) } }
}

/// Looks into the tokens of an account, and asks the provider about them.
public struct InspectAccount: Sendable {
  private let clients: ClientStore
  private let keySets: KeySetStore
  private let network: Network
  private let warn: @Sendable (String) -> Void

  /// Works on the given ports.
  ///
  /// - Parameter warn: tells of what went well, but not as well as it should.
  public init(store: any SecretStore, network: Network, warn: @escaping @Sendable (String) -> Void) {
    clients = ClientStore(store)
    keySets = KeySetStore(store)
    self.network = network
    self.warn = warn
  }

  /// What is looked into: a session, its client, and the issuer's keys.
  public struct Subject: Sendable {
    /// The session.
    public let session: Session
    /// The client, its provider complete as far as it is needed.
    var client: RequestingClient
    let keys: IssuerKeys
    /// Why the provider's metadata could not be had, where it was needed.
    let problem: (any Error)?

    /// Throws why an endpoint that will be asked is not known, where that may be known another time.
    func check(_ need: DiscoverProvider.Need) throws {
      if let problem, need.isMissing(in: client.provider.endpoints ?? Endpoints()) { throw problem }
    }
  }

  /// Gathers what the other calls need.
  ///
  /// The keyring has most of it; the issuer's metadata is asked for what is missing there.
  ///
  /// - Parameters:
  ///   - secret: a client secret that wins over the keyring's.
  ///   - needs: the endpoints that will be asked; where one cannot be found out now, the call that needs it throws.
  /// - Throws: ``StoreError``, `CancellationError`.
  public func prepare(
    _ session: Session, secret: Secret?, needs: [DiscoverProvider.Need]
  ) async throws -> Subject {
    let registration = try await offPool { try clients.client(of: session, secret: secret) }
    let isToken = [session.tokens.idToken, session.tokens.accessToken].contains { $0.flatMap(JWT.Parsed.init) != nil }
    let all = needs + (isToken ? [.jwks] : [])
    let found = try await DiscoverProvider(network: network).complete(session.provider, essentials: [], needs: all)
    let client = RequestingClient(provider: found.provider, registration: registration, binding: session.binding)
    return Subject(
      session: session, client: client,
      keys: IssuerKeys(found.provider, network: network, store: keySets, warn: warn), problem: found.problem)
  }

  /// Looks into the ID token; nil where there is none.
  ///
  /// Its time may be over; the rest must hold as it did at the login.
  ///
  /// - Throws: `JWT.Mismatch` where the issuer did not sign it, or not for this client; `CancellationError`.
  public func idToken(_ subject: Subject) async throws -> InspectedToken? {
    guard let token = subject.session.tokens.idToken else { return nil }
    guard let jwt = JWT.Parsed(token) else { return InspectedToken(doubt: Self.unreadable(token)) }
    let registration = subject.client.registration
    if jwt.algorithm?.isSymmetric == true, registration.secret == nil {
      return InspectedToken(
        header: jwt.header, claims: jwt.claims, doubt: "it is signed with the client's secret, which is not known here")
    }
    var expected = IDToken.Expectation(
      issuers: subject.client.provider.issuers(fitting: jwt.claims), clientID: registration.id,
      clientSecret: registration.secret)
    expected.mayHaveEnded = true
    let (start, now) = (expected, network.time.now)
    return try await checked(jwt, subject) { keys in
      var expected = start
      expected.keys = keys
      _ = try IDToken.verify(token, expecting: expected, now: now)
    }
  }

  /// Looks into the access token: for a client it is opaque, so that nothing of it must hold.
  public func accessToken(_ subject: Subject) async throws -> InspectedToken {
    guard let jwt = JWT.Parsed(subject.session.tokens.accessToken) else {
      return InspectedToken(doubt: Self.unreadable(subject.session.tokens.accessToken))
    }
    let issuers = subject.client.provider.issuers(fitting: jwt.claims)
    if let issuer = jwt.claims["iss"]?.text, !issuers.isEmpty, !issuers.contains(issuer) {
      return InspectedToken(header: jwt.header, claims: jwt.claims, doubt: "its issuer is not the provider's")
    }
    do {
      return try await checked(jwt, subject) { keys in
        try jwt.checkSignature(keys: keys ?? JSONWebKeySet(keys: []))
      }
    } catch let mismatch as JWT.Mismatch {
      return InspectedToken(
        header: jwt.header, claims: jwt.claims, doubt: "its '\(mismatch.claim)' is not one of the provider's")
    }
  }

  /// Asks the provider who it is.
  ///
  /// - Throws: what ``AskAboutToken/userinfo(_:as:subject:)`` throws; `DiscoveryFailure`, ``TransportError`` where its
  ///   endpoint cannot be found out now; ``FlowError/notForAccess(_:)``.
  public func userinfo(_ subject: Subject) async throws -> [String: JSONValue] {
    guard subject.session.tokens.isForAccess else {
      throw FlowError.notForAccess(Account(provider: subject.session.provider.name, name: subject.session.account))
    }
    try subject.check(.userinfo)
    var client = subject.client
    let person = subject.session.tokens.idToken.flatMap(IDToken.init(unverified:))?.subject
    return try await AskAboutToken(network: network, keys: subject.keys).userinfo(
      subject.session.tokens, as: &client, subject: person)
  }

  /// Asks the server what the access token is good for.
  ///
  /// - Throws: what ``AskAboutToken/introspection(_:hint:as:)`` throws; ``FlowError`` where the client lacks what it needs;
  ///   `DiscoveryFailure`, ``TransportError`` where its endpoint cannot be found out now.
  public func introspection(_ subject: Subject) async throws -> Introspection {
    try subject.check(.introspection)
    var client = subject.client
    if client.provider.effectiveQuirks.introspection?.auth ?? .client == .client,
      client.provider.endpoints?.introspection != nil
    {
      try TokenEndpoint.checkMeans(of: client)
    }
    return try await AskAboutToken(network: network).introspection(subject.session.tokens.accessToken, as: &client)
  }

  /// Checks a signature as far as keys are at hand.
  ///
  /// - Throws: what `check` throws, unless it may be for want of keys that cannot be had now, or any more.
  private func checked(
    _ jwt: JWT.Parsed, _ subject: Subject, _ check: @escaping @Sendable (JSONWebKeySet?) throws -> Void
  ) async throws -> InspectedToken {
    var token = InspectedToken(header: jwt.header, claims: jwt.claims)
    do {
      let hasKeys = try await subject.keys.checking { keys in
        try check(keys)
        return keys != nil
      }
      if !hasKeys, jwt.algorithm?.isSymmetric != true {
        token.doubt = "the provider's keys are not known"
        token.obstacle = subject.problem
      }
    } catch let error where error is TransportError || error is KeySetError {
      token.doubt = "the provider's keys cannot be read now"
      token.obstacle = error
    } catch  where IssuerKeys.isOfUnknownKey(error) {
      token.doubt = "the provider publishes no such key, or no longer"
    }
    return token
  }

  private static func unreadable(_ token: Secret) -> String {
    let parts = token.reveal().split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 5 && parts[0].hasPrefix("e") ? "it is encrypted" : "it is no JWT"
  }
}

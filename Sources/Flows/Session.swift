public import Crypto
public import FoundationEssentials
public import OAuth

/// All that is known of one account, as one keyring item holds it: its tokens and what a refresh needs.
public struct Session: TokenBearing, Equatable, Codable {
  /// The versions that this program reads: from the first release's to the one that it writes.
  ///
  /// A layout that an older program would read wrongly, or lose something of when it saves, gets the next number. What
  /// was read in an older layout is written in the newest.
  public static let readableVersions = 1...4
  /// The version that this program writes.
  ///
  /// 2 tells a back-off that the server asked for from one of our own; 3 has grants that are redeemed again, bound tokens
  /// and variants; 4 has what the login was asked for, which an older program would lose with the first refresh.
  public static var currentVersion: Int { readableVersions.upperBound }

  /// The layout's version.
  public var version: Int
  /// Counts the saves of the item, so that a newer one is told from an older.
  public var generation: Int
  /// The provider as it was at login: endpoints found and variables filled in, so that a refresh needs no discovery
  /// and no file.
  public var provider: Provider
  /// The account's name.
  public var account: String
  /// The client that the tokens belong to; its secret is an item of its own.
  public var clientID: String
  /// The client authentication that was chosen at login, if one was.
  public var clientAuth: ClientAuthMethod?
  /// The scopes that were asked for.
  public var requestedScopes: [String]
  /// The tokens.
  public var tokens: TokenSet
  /// Whose account it is, as the provider calls the person.
  public var identity: String?
  /// The server's refusal, where it refused the grant.
  public var refused: RefusedGrant?
  /// A refresh that was begun and whose end was not recorded.
  public var pendingRefresh: PendingRefresh?
  /// How long timers leave the server alone after it could not answer.
  public var backoff: Backoff?
  /// What gets new tokens in a refresh token's place.
  public var grant: StandingGrant?
  /// The key that the tokens are bound to, and what servers said must be in the next proof.
  public var binding: DPoPBinding?
  /// The resources that the tokens are for (RFC 8707), where the login named some.
  public var resources: [String]?
  /// The audience that the tokens are for, where the login named one.
  public var audience: String?
  /// Other tokens of the same grant.
  public var variants: [TokenVariant]?
  /// What the login's options asked for, beyond all this.
  public var choices: LoginChoices?

  enum CodingKeys: String, CodingKey {
    case version, generation, provider, account
    case clientID = "client_id"
    case clientAuth = "client_auth"
    case requestedScopes = "requested_scopes"
    case tokens, identity, refused
    case pendingRefresh = "pending_refresh"
    case backoff, grant
    case binding = "dpop"
    case resources, audience, variants, choices
  }

  /// Makes the session of a fresh login.
  public init(
    provider: Provider, account: String, clientID: String, clientAuth: ClientAuthMethod?, requestedScopes: [String],
    tokens: TokenSet, identity: String?
  ) {
    version = Self.currentVersion
    generation = 1
    self.provider = provider
    self.account = account
    self.clientID = clientID
    self.clientAuth = clientAuth
    self.requestedScopes = requestedScopes
    self.tokens = tokens
    self.identity = identity
  }

  /// Whether a token of unknown expiry is used until a server refuses it.
  public var assumesUnexpired: Bool { provider.effectiveQuirks.assumeUnexpired ?? true }
  /// What tells the standing grant from any other of the account.
  public var grantID: String? { grant?.id }
}

extension Session {
  /// The scopes for a refresh that repeats them: those granted, and the wish for a refresh token, which servers leave out
  /// of what they say they granted.
  var scopesToRepeat: [String] {
    let wish = ["offline_access"].filter { requestedScopes.contains($0) && !scope.contains($0) }
    return scope + wish
  }

  /// Gives the stored tokens of a request: the account's own where it asks for nothing else.
  public func tokens(for request: TokenVariant.Request) -> TokenSet? {
    request.isEmpty ? tokens : variants?.first { $0.request == request }?.tokens
  }

  /// A refresh with the stored refresh token that was begun and had no clear end: the server may have used that token
  /// up, unless the account's lock is held and it is under way.
  public var interruptedRefresh: PendingRefresh? {
    guard let pendingRefresh, pendingRefresh.fingerprint == tokens.refreshToken?.fingerprint else { return nil }
    return pendingRefresh
  }

  /// Gives the generation of a stored session without reading the rest; nil where it is none.
  public static func generation(of item: Secret) -> Int? {
    item.withBytes { LocatedJSON(parsing: $0) }?["generation"]?.integer
  }
}

extension Session {
  /// Says of what is stored that its tokens are about to be revoked.
  ///
  /// None of them is handed out any more, and all are there for another try. A refresh asks the server whether it has heard of
  /// it.
  mutating func markForRevocation(at now: Date) {
    refused = RefusedGrant(
      fingerprint: tokens.refreshToken?.fingerprint ?? grantID ?? tokens.accessToken.fingerprint, at: now,
      error: RefusedGrant.revocation)
    tokens.expiresAt = min(tokens.obtainedAt, now)
    variants = variants?.map { variant in
      var variant = variant
      variant.tokens.expiresAt = min(variant.tokens.obtainedAt, now)
      return variant
    }
  }
}

/// The server's word that a grant is no more.
public struct RefusedGrant: Sendable, Equatable, Codable {
  /// The code of what no server has refused: our own logout was about to end it.
  static let revocation = "oauthctl_revocation"

  /// Whether it is the mark of a logout that did not come to its end.
  public var isRevocation: Bool { error == Self.revocation }

  /// Whether only the server knows what became of that logout: it was cut off before the server's answer was written down.
  var isUndecided: Bool { isRevocation && status == nil }

  /// The fingerprint of the refresh token that was refused: a newer one is not meant.
  public var fingerprint: String
  /// When.
  public var at: Date
  /// The HTTP status.
  public var status: Int?
  /// The error code, if there was one.
  public var error: String?
  /// The server's description, if there was one.
  public var description: String?
}

/// Written before a refresh token is sent: it proves that the keyring takes writes, and it shows the next process that
/// this one may have spent the token.
public struct PendingRefresh: Sendable, Equatable, Codable {
  /// The fingerprint of the refresh token that was about to be sent.
  public var fingerprint: String
  /// When.
  public var startedAt: Date
  /// The set of locks that it was begun under; see ``AccountLock/identity``.
  public var lock: String?

  enum CodingKeys: String, CodingKey {
    case fingerprint
    case startedAt = "started_at"
    case lock
  }
}

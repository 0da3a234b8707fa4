public import Crypto
public import FoundationEssentials
public import OAuth

/// All that is known of one account, as one keyring item holds it: its tokens and what a refresh needs.
public struct Session: TokenBearing, Equatable, Codable {
  /// The versions that this program reads: from the first release's to the one that it writes.
  ///
  /// A layout that an older program would read wrongly, or lose something of when it saves, gets the next number. What
  /// was read in an older layout is written in the newest.
  public static let readableVersions = 1...2
  /// The version that this program writes.
  ///
  /// 2 tells a back-off that the server asked for from one of our own.
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

  enum CodingKeys: String, CodingKey {
    case version, generation, provider, account
    case clientID = "client_id"
    case clientAuth = "client_auth"
    case requestedScopes = "requested_scopes"
    case tokens, identity, refused
    case pendingRefresh = "pending_refresh"
    case backoff
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
}

extension Session {
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

/// The server's word that a grant is no more.
public struct RefusedGrant: Sendable, Equatable, Codable {
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

/// Kept across processes, so that timers and scripts do not hammer a server that is down.
///
/// A person who asks is not held back.
public struct Backoff: Sendable, Equatable, Codable {
  /// Who would ask the server.
  public enum Asker: Sendable {
    /// A run over all accounts, as from a timer: it comes again by itself.
    case timer
    /// A program that needs a token now.
    case script
    /// Somebody at a terminal, or who insists.
    case person
  }

  /// How often in a row the server could not answer.
  public var failures: Int
  /// When a timer may ask again.
  public var notBefore: Date
  /// Whether it was the server that named the time.
  public var isServersWish: Bool?

  /// The longest back-off, in seconds: a day.
  static let limit = 86400.0
  /// How many failures a script may meet before it is held back: the first ones are as often the network's.
  static let patienceOfScripts = 3

  enum CodingKeys: String, CodingKey {
    case failures
    case notBefore = "not_before"
    case isServersWish = "is_servers_wish"
  }

  /// Makes one.
  init(failures: Int, notBefore: Date, isServersWish: Bool? = nil) {
    self.failures = failures
    self.notBefore = notBefore
    self.isServersWish = isServersWish
  }

  /// What it tells, in words.
  public var sentence: String {
    let often = failures == 1 ? "" : ", \(failures) times in a row"
    return isServersWish == true ? "the server asked to be left alone\(often)" : "the server could not answer\(often)"
  }

  /// When the asker may ask, or nil where that is now.
  ///
  /// A time further ahead than any back-off was noted under a clock that was wrong, and counts for nothing.
  public func holdsBack(_ asker: Asker, at now: Date) -> Date? {
    guard notBefore > now, notBefore.timeIntervalSince(now) <= Self.limit else { return nil }
    return switch asker {
    case .timer: notBefore
    case .script: isServersWish == true || failures >= Self.patienceOfScripts ? notBefore : nil
    case .person: nil
    }
  }

  /// Refuses an asker that is held back.
  ///
  /// - Throws: ``FlowError/backingOff(_:_:seconds:)``.
  public func check(_ asker: Asker, _ account: Account, now: Date) throws(FlowError) {
    guard let until = holdsBack(asker, at: now) else { return }
    throw .backingOff(account, self, seconds: Int(until.timeIntervalSince(now).rounded(.up)))
  }

  /// Gives the back-off after the server was not reached: a minute, which holds no more scripts back than before.
  static func pause(_ previous: Backoff?, now: Date) -> Backoff {
    let next = now.addingTimeInterval(60)
    guard let previous, previous.notBefore > next, previous.holdsBack(.timer, at: now) != nil else {
      return Backoff(failures: min(max(previous?.failures ?? 0, 0), patienceOfScripts - 1), notBefore: next)
    }
    return previous
  }

  /// Gives the back-off after one more failure: a minute, doubled each time up to an hour; longer, up to a day, where
  /// the server asked for it (`Retry-After`, in seconds).
  static func after(_ previous: Backoff?, now: Date, retryAfter: Int?) -> Backoff {
    // What is stored may be any number.
    let failures = min(max(previous?.failures ?? 0, 0), 999) + 1
    let own = min(60.0 * Double(1 << min(failures - 1, 6)), 3600)
    let wish = min(Double(retryAfter ?? 0), limit)
    return Backoff(
      failures: failures, notBefore: now.addingTimeInterval(max(own, wish)), isServersWish: wish > 0 ? true : nil)
  }
}

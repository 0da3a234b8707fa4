internal import Crypto
public import FoundationEssentials
public import OAuth

/// What tells whether a stored token can be handed out.
public protocol TokenBearing: Sendable {
  /// The tokens.
  var tokens: TokenSet { get }
  /// The scopes that were asked for.
  var requestedScopes: [String] { get }
  /// The server's refusal, where it refused the grant.
  var refused: RefusedGrant? { get }
  /// Whether a token of unknown expiry is used until a server refuses it.
  var assumesUnexpired: Bool { get }
  /// What tells the grant that is redeemed again in a refresh token's place; nil where there is none.
  var grantID: String? { get }
}

extension TokenBearing {
  /// The granted scopes; those asked for where the server did not say.
  public var scope: [String] { tokens.scope ?? requestedScopes }

  /// Whether there is something that gets a new access token without a person.
  public var isRenewable: Bool { tokens.refreshToken != nil || grantID != nil }

  /// Whether the server has refused the very refresh token, or the very grant, that is stored; or a logout was cut short.
  public var isRefused: Bool {
    guard let refused else { return false }
    return refused.fingerprint == tokens.refreshToken?.fingerprint ?? grantID ?? tokens.accessToken.fingerprint
  }

  /// Gives the state at a time.
  public func state(at now: Date) -> TokenState {
    if isRefused { return .refused }
    return switch tokens.isValid(at: now, for: 0, isRenewable: isRenewable) {
    case true?: .valid
    case false?: .expired
    case nil: .unknownExpiry
    }
  }

  /// Whether the access token can be handed out at a time without asking the server.
  ///
  /// - Parameter margin: how long it must still be good, in seconds.
  public func isUsable(at now: Date, for margin: Int) -> Bool {
    isUsable(tokens, at: now, for: margin)
  }

  /// Whether an access token of the account, its own or another of the same grant, can be handed out at a time.
  public func isUsable(_ tokens: TokenSet, at now: Date, for margin: Int) -> Bool {
    tokens.isValid(at: now, for: margin, isRenewable: isRenewable) ?? (assumesUnexpired || !isRenewable)
  }
}

/// How an access token stands.
public enum TokenState: String, Sendable, CaseIterable {
  case valid, expired, refused
  case unknownExpiry = "unknown-expiry"
}

/// The part of a session that handing out its token needs.
///
/// It is read by hand, and without a dictionary: decoding a whole ``Session`` sets up machinery that would cost the most
/// frequent command of all a third of its time and memory. A test holds the two readings together.
public struct StoredToken: TokenBearing {
  /// The tokens, without the further fields of the reply.
  public let tokens: TokenSet
  /// The scopes that were asked for.
  public let requestedScopes: [String]
  /// The server's refusal, where it refused the grant.
  public let refused: RefusedGrant?
  /// Whether a token of unknown expiry is used until a server refuses it.
  public let assumesUnexpired: Bool
  /// What tells the grant that is redeemed again in a refresh token's place; nil where there is none.
  public let grantID: String?
  private let readFields: @Sendable () -> [String: JSONValue]

  /// The further fields of the reply; they are read when they are asked for.
  public var fields: [String: JSONValue] { readFields() }

  /// Takes it from a session that has been read whole: the account's own token, or another of the same grant.
  ///
  /// - Parameter request: which one; nil where there is none of that kind yet.
  public init?(_ session: Session, _ request: TokenVariant.Request) {
    guard var tokens = session.tokens(for: request) else { return nil }
    // What renews the account's own token renews this one.
    tokens.refreshToken = session.tokens.refreshToken
    self.init(session, tokens, requestedScopes: request.scopes.isEmpty ? session.requestedScopes : request.scopes)
  }

  /// Takes it from a session that has been read whole.
  init(_ session: Session) {
    self.init(session, session.tokens, requestedScopes: session.requestedScopes)
  }

  private init(_ session: Session, _ tokens: TokenSet, requestedScopes: [String]) {
    self.tokens = tokens
    self.requestedScopes = requestedScopes
    refused = session.refused
    assumesUnexpired = session.assumesUnexpired
    grantID = session.grantID
    readFields = { tokens.fields }
  }

  /// Reads it out of a session's JSON; nil where that is not one that this version knows, or not as this program writes
  /// it: then the whole reading tells.
  init?(_ json: LocatedJSON) {
    guard let version = json["version"]?.integer, Session.readableVersions.contains(version),
      let stored = json["tokens"], let tokens = TokenSet(stored: stored)
    else { return nil }
    self.tokens = tokens
    requestedScopes = json["requested_scopes"]?.texts ?? []
    refused = json["refused"].flatMap { RefusedGrant(stored: $0) }
    if refused == nil, json.has("refused") { return nil }
    if case .bool(false)? = json["provider"]?["quirks"]?["assume_unexpired"]?.value {
      assumesUnexpired = false
    } else {
      assumesUnexpired = true
    }
    grantID = json["grant"]?["id"]?.text
    if grantID == nil, json.has("grant") { return nil }
    let fields = stored["fields"]
    readFields = { fields?.plain.members ?? [:] }
  }
}

extension RefusedGrant {
  fileprivate init?(stored json: LocatedJSON) {
    guard let fingerprint = json["fingerprint"]?.text, let at = json["at"]?.date else { return nil }
    self.init(
      fingerprint: fingerprint, at: at, status: json["status"]?.integer, error: json["error"]?.text,
      description: json["description"]?.text)
  }
}

extension TokenSet {
  fileprivate init?(stored json: LocatedJSON) {
    guard let token = json["access_token"]?.text, let obtained = json["obtained_at"]?.date else { return nil }
    for name in ["expires_at", "refresh_expires_at"] where json.has(name) && json[name]?.date == nil { return nil }
    self.init(
      accessToken: Secret(token), tokenType: json["token_type"]?.text, obtainedAt: obtained,
      expiresAt: json["expires_at"]?.date, refreshToken: json["refresh_token"]?.text.map { Secret($0) },
      refreshExpiresAt: json["refresh_expires_at"]?.date, idToken: json["id_token"]?.text.map { Secret($0) },
      scope: json["scope"]?.texts)
  }
}

extension LocatedJSON {
  /// Whether there is a member of that name, other than null.
  fileprivate func has(_ name: String) -> Bool {
    switch self[name]?.value {
    case nil, .null: false
    default: true
    }
  }

  /// Whole seconds since 1970, as a session writes them.
  fileprivate var date: Date? { integer.map { Date(timeIntervalSince1970: Double($0)) } }
}

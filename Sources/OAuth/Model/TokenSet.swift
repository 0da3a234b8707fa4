public import Crypto
public import FoundationEssentials

/// What a token endpoint gave, read once and kept whole.
public struct TokenSet: Sendable, Equatable, Codable {
  /// The access token (RFC 6749 section 1.4): visible ASCII, never empty.
  public var accessToken: Secret
  /// The type as the server wrote it; nil where it said none, which means Bearer.
  public var tokenType: String?
  /// When it was received.
  public var obtainedAt: Date
  /// When the access token ends; nil where the server did not say.
  public var expiresAt: Date?
  /// The refresh token (RFC 6749 section 1.5).
  public var refreshToken: Secret?
  /// When the refresh token ends, where the server says so.
  public var refreshExpiresAt: Date?
  /// The ID token of OpenID Connect, as it came.
  public var idToken: Secret?
  /// The granted scopes; nil where the server did not say, which means those asked for.
  public var scope: [String]?
  /// All other fields of the reply, kept as they came.
  public var fields: [String: JSONValue]

  enum CodingKeys: String, CodingKey {
    case accessToken = "access_token"
    case tokenType = "token_type"
    case obtainedAt = "obtained_at"
    case expiresAt = "expires_at"
    case refreshToken = "refresh_token"
    case refreshExpiresAt = "refresh_expires_at"
    case idToken = "id_token"
    case scope, fields
  }

  /// Makes a token set.
  public init(
    accessToken: Secret, tokenType: String? = nil, obtainedAt: Date, expiresAt: Date? = nil,
    refreshToken: Secret? = nil, refreshExpiresAt: Date? = nil, idToken: Secret? = nil, scope: [String]? = nil,
    fields: [String: JSONValue] = [:]
  ) {
    self.accessToken = accessToken
    self.tokenType = tokenType
    self.obtainedAt = obtainedAt
    self.expiresAt = expiresAt
    self.refreshToken = refreshToken
    self.refreshExpiresAt = refreshExpiresAt
    self.idToken = idToken
    self.scope = scope
    self.fields = fields
  }

  /// The scheme for the Authorization header: `DPoP` for such a token, else exactly `Bearer`, whatever case or
  /// name the server used: resource servers compare it more strictly than token endpoints write it.
  public var authorizationScheme: String {
    tokenType?.lowercased() == "dpop" ? "DPoP" : "Bearer"
  }

  /// How far a clock may be set back before what it said at the time of a reply counts for nothing, in seconds.
  private static let clockLeeway = 300.0

  /// Whether the access token is still good for `margin` seconds at that time; nil where its expiry is unknown.
  ///
  /// A token from the future was stored under a clock that was wrong and has been set right since: its expiry is as far
  /// off as that clock was. It counts as ended where it can be renewed, and as unknown where it cannot.
  ///
  /// - Parameter isRenewable: whether a new one can be had without a person; nil where the refresh token alone tells.
  public func isValid(at now: Date, for margin: Int, isRenewable: Bool? = nil) -> Bool? {
    guard let expiresAt else { return nil }
    if obtainedAt.timeIntervalSince(now) > Self.clockLeeway {
      return isRenewable ?? (refreshToken != nil) ? false : nil
    }
    return expiresAt.timeIntervalSince(now) >= Double(margin) && expiresAt > now
  }

  /// Gives the set that holds after a refresh: what the reply leaves out is kept from this one.
  ///
  /// A missing, null or empty `refresh_token` means that the old one stays (RFC 6749 section 6); an absent scope
  /// means that it did not change.
  public func updated(by reply: TokenSet) -> TokenSet {
    var next = reply
    if reply.refreshToken == nil {
      next.refreshToken = refreshToken
      next.refreshExpiresAt = reply.refreshExpiresAt ?? refreshExpiresAt
    }
    next.idToken = reply.idToken ?? idToken
    next.scope = reply.scope ?? scope
    next.fields = fields.merging(reply.fields) { _, new in new }
    return next
  }
}

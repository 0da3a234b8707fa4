/// The URLs of an authorization server; the names are those of its metadata (RFC 8414 section 2) less `_endpoint`.
public struct Endpoints: Sendable, Equatable, Codable {
  /// Where the browser is sent (RFC 6749 section 3.1).
  public var authorization: String?
  /// Where tokens come from (RFC 6749 section 3.2).
  public var token: String?
  /// Where refreshes go instead of `token`.
  public var refresh: String?
  /// Where a device login begins (RFC 8628 section 3.1).
  public var deviceAuthorization: String?
  /// Where a device login is polled instead of `token`.
  public var deviceToken: String?
  /// Where tokens are revoked (RFC 7009); it may hold `{client_id}`.
  public var revocation: String?
  /// What a token is good for (RFC 7662).
  public var introspection: String?
  /// Who the user is (OpenID Connect Core section 5.3).
  public var userinfo: String?
  /// Where a client registers itself (RFC 7591).
  public var registration: String?
  /// The keys that ID tokens are signed with (RFC 7517).
  public var jwks: String?
  /// Where an authorization request is left beforehand (RFC 9126).
  public var pushedAuthorizationRequest: String?
  /// Where the user logs out (OpenID Connect RP-Initiated Logout).
  public var endSession: String?

  enum CodingKeys: String, CodingKey, CaseIterable {
    case authorization, token, refresh
    case deviceAuthorization = "device_authorization"
    case deviceToken = "device_token"
    case revocation, introspection, userinfo, registration, jwks
    case pushedAuthorizationRequest = "pushed_authorization_request"
    case endSession = "end_session"
  }

  /// Makes a set without any.
  public init() {}

  /// Each endpoint's key and where it is kept, so that all of them are treated alike.
  public static var all: [(key: String, keyPath: WritableKeyPath<Endpoints, String?>)] {
    [
      ("authorization", \.authorization), ("token", \.token), ("refresh", \.refresh),
      ("device_authorization", \.deviceAuthorization), ("device_token", \.deviceToken), ("revocation", \.revocation),
      ("introspection", \.introspection), ("userinfo", \.userinfo), ("registration", \.registration), ("jwks", \.jwks),
      ("pushed_authorization_request", \.pushedAuthorizationRequest), ("end_session", \.endSession),
    ]
  }

  /// The endpoints that no server's metadata has: they stand in for another one.
  static let ownKeys: Set<String> = ["refresh", "device_token"]

  /// Gives these endpoints, the gaps filled from others.
  public func filled(from others: Endpoints) -> Endpoints {
    var result = self
    for (_, path) in Self.all where result[keyPath: path] == nil { result[keyPath: path] = others[keyPath: path] }
    return result
  }
}

/// The redirect URI that is registered with the provider (RFC 8252 section 7.3).
public struct Redirect: Sendable, Equatable, Codable {
  /// `127.0.0.1` unless the provider wants another spelling of loopback.
  public var host: String?
  /// The ports that are registered; 0 stands for any free one.
  public var port: [Int]?
  /// The path, `/callback` by default.
  public var path: String?

  enum CodingKeys: String, CodingKey, CaseIterable { case host, port, path }

  /// Makes one; what is left out has its default.
  public init(host: String? = nil, port: [Int]? = nil, path: String? = nil) {
    self.host = host
    self.port = port
    self.path = path
  }

  /// The hosts that may stand in a loopback redirect, as they are written in one.
  public static let loopbackHosts = ["127.0.0.1", "localhost", "[::1]"]

  /// The host, its default filled in.
  public var effectiveHost: String { host ?? "127.0.0.1" }
  /// The ports, their default filled in.
  public var effectivePorts: [Int] { port ?? [0] }
  /// The path, its default filled in.
  public var effectivePath: String { path ?? "/callback" }
}

/// Named, typed deviations from the RFCs.
///
/// A provider that needs what has no field here is not supported.
public struct Quirks: Sendable, Equatable, Codable {
  /// HTTP Basic without the form-encoding of RFC 6749 section 2.3.1.
  public var basicRaw: Bool?
  /// What the characters of the id and the secret become bytes by before HTTP Basic has them; UTF-8 by default.
  public var basicCharset: BasicCharset?
  /// Whether a client without a secret uses HTTP Basic all the same, with an empty password.
  public var basicEmpty: Bool?
  /// Whom a client's assertion is for (RFC 7523 section 3, item 3); the token endpoint by default.
  public var assertionAudience: AssertionAudience?
  /// The parameter of the authorization request that carries the scopes; `scope` by default.
  public var scopeParam: String?
  /// Where the token request's parameters go.
  public var tokenRequest: TokenRequestFormat?
  /// The member of the reply that holds the token fields.
  public var tokenPath: String?
  /// Names of this provider's own for the fields of the token reply, and the RFC's name for each.
  public var fieldAliases: [String: String]?
  /// The member of the reply whose `false` means failure whatever the status.
  public var okField: String?
  /// The unit of `expires_in`.
  public var expiresInUnit: ExpiryUnit?
  /// Whether a token of unknown expiry is used until a server refuses it; true by default.
  public var assumeUnexpired: Bool?
  /// The steps that carry the client secret; all by default.
  public var secretOn: [SecretStep]?
  /// The steps that repeat the scopes, although the authorization request has named them; none by default.
  public var scopeOn: [ScopeStep]?
  /// Error codes of this provider's own, and the RFC's code that each means.
  public var errorAliases: [String: String]?
  /// Other values of the ID token's `iss` that stand for the issuer; `{claim}` is that claim of the token.
  public var issuerAliases: [String]?
  /// For how many seconds the server takes a refresh token again that it has replaced: within them a request whose
  /// answer was lost is sent once more.
  public var refreshReuseSeconds: Int?
  /// Whether a refresh repeats the resources of the login; false where the refresh token itself is narrowed to them.
  public var resourceOnRefresh: Bool?
  /// How a device login differs from RFC 8628.
  public var device: DeviceStyle?
  /// How a token is revoked where that is not RFC 7009.
  public var revocation: RevocationStyle?
  /// How a token is inspected where that is not RFC 7662.
  public var introspection: IntrospectionStyle?
  /// How the server tells who the user is where that is not OpenID Connect.
  public var userinfo: UserinfoStyle?

  enum CodingKeys: String, CodingKey, CaseIterable {
    case basicRaw = "basic_raw"
    case basicCharset = "basic_charset"
    case basicEmpty = "basic_empty"
    case assertionAudience = "assertion_audience"
    case scopeParam = "scope_param"
    case tokenRequest = "token_request"
    case tokenPath = "token_path"
    case fieldAliases = "field_aliases"
    case okField = "ok_field"
    case expiresInUnit = "expires_in_unit"
    case assumeUnexpired = "assume_unexpired"
    case secretOn = "secret_on"
    case scopeOn = "scope_on"
    case errorAliases = "error_aliases"
    case issuerAliases = "issuer_aliases"
    case refreshReuseSeconds = "refresh_reuse_seconds"
    case resourceOnRefresh = "resource_on_refresh"
    case device, revocation, introspection, userinfo
  }

  /// Makes a set without any.
  public init() {}

  /// The parameter that carries the scopes, its default filled in.
  public var effectiveScopeParam: String { scopeParam ?? "scope" }
}

/// Where a token request's parameters go.
public enum TokenRequestFormat: String, Codable, Sendable, CaseIterable { case form, json, query }

/// What the characters of HTTP Basic become bytes by (RFC 7617 section 2.1 leaves it open).
public enum BasicCharset: String, Codable, Sendable, CaseIterable {
  case utf8 = "utf-8"
  case latin1
}

/// The unit of `expires_in`: seconds, as RFC 6749 has it, or milliseconds.
public enum ExpiryUnit: String, Codable, Sendable, CaseIterable {
  case seconds = "s"
  case milliseconds = "ms"
}

/// Whom a client's assertion is for: the URL of the token endpoint, or the issuer.
public enum AssertionAudience: String, Codable, Sendable, CaseIterable { case token, issuer, endpoint }

/// A step that may repeat the scopes.
public enum ScopeStep: String, Codable, Sendable, CaseIterable { case code, refresh }

/// A step that may carry the client secret.
public enum SecretStep: String, Codable, Sendable, CaseIterable { case code, refresh, device }

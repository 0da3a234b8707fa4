/// A provider's own way through a device login, where it is not RFC 8628's.
public struct DeviceStyle: Sendable, Equatable, Codable {
  /// The `grant_type` of a poll.
  public var grantType: String?
  /// The parameter of a poll that carries the device code, `device_code` by default.
  public var codeParam: String?
  /// The parameter of a poll that carries the user code as well; none by default.
  public var userCodeParam: String?
  /// The parameter that carries the scopes in the device authorization request, and in each poll as well.
  public var scopeParam: String?
  /// Names of this provider's own for the fields of the device authorization response, and the RFC's name for each.
  public var fieldAliases: [String: String]?
  /// The unit of the response's `expires_in`.
  public var expiresInUnit: ExpiryUnit?
  /// The member of a poll's answer that holds the error code, `error` by default.
  public var errorField: String?
  /// What the HTTP status of a poll's answer means where its body names no error.
  public var statusErrors: [String: String]?

  enum CodingKeys: String, CodingKey, CaseIterable {
    case grantType = "grant_type"
    case codeParam = "code_param"
    case userCodeParam = "user_code_param"
    case scopeParam = "scope_param"
    case fieldAliases = "field_aliases"
    case expiresInUnit = "expires_in_unit"
    case errorField = "error_field"
    case statusErrors = "status_errors"
  }

  /// The grant type of RFC 8628 section 3.4.
  public static let grantType = "urn:ietf:params:oauth:grant-type:device_code"

  /// Makes RFC 8628's own way.
  public init() {}

  /// The grant type, its default filled in.
  public var effectiveGrantType: String { grantType ?? Self.grantType }
  /// The parameter of the device code, its default filled in.
  public var effectiveCodeParam: String { codeParam ?? "device_code" }
}

/// A provider's own way to revoke a token.
public struct RevocationStyle: Sendable, Equatable, Codable {
  /// The method, `POST` by default.
  public var method: Method?
  /// What authenticates the request; the client, as at the token endpoint, by default.
  public var auth: Authentication?
  /// How the token is sent.
  public var body: Body?
  /// The parameter that holds the token, `token` by default.
  public var tokenParam: String?
  /// Which tokens are revoked, in order; by default the refresh token, then the access token.
  public var tokens: [Kind]?
  /// Whether a token's end may end others of the same person and client, as RFC 7009 section 2.1 allows; true by
  /// default.
  ///
  /// Only with `false` does a new login revoke the tokens that it replaces: else it might end itself.
  public var cascades: Bool?

  /// The method of the HTTP request.
  public enum Method: String, Codable, Sendable, CaseIterable { case post = "POST", delete = "DELETE" }
  /// What authenticates the request: the client's own method, HTTP Basic, the access token, nothing.
  public enum Authentication: String, Codable, Sendable, CaseIterable { case client, basic, bearer, none }
  /// How parameters are sent.
  public enum Body: String, Codable, Sendable, CaseIterable { case form, json, none }
  /// A kind of token.
  public enum Kind: String, Codable, Sendable, CaseIterable { case refresh, access }

  enum CodingKeys: String, CodingKey, CaseIterable {
    case method, auth, body
    case tokenParam = "token_param"
    case tokens, cascades
  }

  /// Makes RFC 7009's own way.
  public init() {}
}

/// A provider's own way to tell what a token is good for.
public struct IntrospectionStyle: Sendable, Equatable, Codable {
  /// The method, `POST` by default.
  public var method: Method?
  /// What authenticates the request; the client, as at the token endpoint, by default.
  public var auth: Authentication?
  /// The scheme before the token in the Authorization header, `Bearer` by default.
  public var scheme: String?
  /// Where the token stands; in a form by default.
  public var tokenIn: Place?

  /// The method of the HTTP request.
  public enum Method: String, Codable, Sendable, CaseIterable { case post = "POST", get = "GET" }
  /// What authenticates the request: the client's own method, HTTP Basic, the client's id alone, the token that is
  /// asked about, nothing.
  public enum Authentication: String, Codable, Sendable, CaseIterable { case client, basic, id, bearer, none }
  /// Where the token stands: in a form, a JSON object, the query, the last segment of the path, or in the
  /// Authorization header alone.
  public enum Place: String, Codable, Sendable, CaseIterable { case form, json, query, path, header }

  enum CodingKeys: String, CodingKey, CaseIterable {
    case method, auth, scheme
    case tokenIn = "token_in"
  }

  /// Makes RFC 7662's own way.
  public init() {}
}

/// A provider's own way to tell who the user is.
public struct UserinfoStyle: Sendable, Equatable, Codable {
  /// The method, `GET` by default.
  public var method: Method?
  /// The scheme before the token in the Authorization header; by default the token's own.
  public var scheme: String?
  /// Header lines of the request.
  public var headers: [String: String]?
  /// The member of the answer that names the person, as `data.username`.
  public var identity: String?

  /// The method of the HTTP request.
  public enum Method: String, Codable, Sendable, CaseIterable { case get = "GET", post = "POST" }

  enum CodingKeys: String, CodingKey, CaseIterable { case method, scheme, headers, identity }

  /// Makes OpenID Connect's own way (OpenID Connect Core section 5.3.1).
  public init() {}
}

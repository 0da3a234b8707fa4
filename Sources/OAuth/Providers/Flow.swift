/// A way to get tokens, by the name that `--flow` takes.
public enum Flow: String, Codable, Sendable, CaseIterable {
  /// A code that a browser brings back (RFC 6749 section 4.1).
  case code
  /// A code that the user types elsewhere (RFC 8628).
  case device
  /// The client's own credentials (RFC 6749 section 4.4).
  case clientCredentials = "client-credentials"
  /// The user's password (RFC 6749 section 4.3).
  case password
  /// A token that a browser brings back (RFC 6749 section 4.2).
  case implicit
  /// An assertion (RFC 7523 section 2.1).
  case jwtBearer = "jwt-bearer"
  /// Another token (RFC 8693).
  case tokenExchange = "token-exchange"
  /// A refresh token that another program was given (RFC 6749 section 6).
  case refreshToken = "refresh-token"
}

/// A grant that only this provider has (RFC 6749 section 4.5).
public struct ExtensionGrant: Sendable, Equatable, Codable {
  /// The `grant_type`: an absolute URI, or a word where the provider minds no RFC.
  public var grantType: String
  /// Its further parameters; the user has to give those that are empty.
  public var params: [String: String]?

  enum CodingKeys: String, CodingKey, CaseIterable {
    case grantType = "grant_type"
    case params
  }

  /// Makes one.
  public init(grantType: String, params: [String: String]? = nil) {
    self.grantType = grantType
    self.params = params
  }

  /// The parameters that the user has to give.
  public var neededParams: [String] { (params ?? [:]).filter(\.value.isEmpty).keys.sorted() }
}

extension Provider {
  /// The flows that the provider offers; where its data does not say, those that its endpoints tell of.
  public var effectiveFlows: [Flow] {
    if let flows { return flows }
    return (issuer != nil || endpoints?.authorization != nil ? [.code] : [])
      + (endpoints?.deviceAuthorization != nil ? [.device] : [])
  }

  /// The names that `--flow` takes for what the provider offers, its own grants last.
  public var flowNames: [String] { effectiveFlows.map(\.rawValue) + (grants ?? [:]).keys.sorted() }
}

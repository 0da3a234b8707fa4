internal import Crypto

/// A server's own description of itself (OpenID Connect Discovery 1.0, RFC 8414).
public struct ServerMetadata: Sendable, Equatable {
  /// The issuer, exactly as it was asked for.
  public var issuer: String
  /// Its endpoints.
  public var endpoints: Endpoints
  /// The client authentication methods it lists; nil where it lists none.
  public var authMethods: [String]?
  /// The scopes it lists; nil where it lists none.
  public var scopes: [String]?
  /// Whether it promises `iss` in each authorization response (RFC 9207 section 3).
  public var sendsIssuer: Bool

  /// Gives this metadata, the gaps filled from the other document of the same issuer.
  public func filled(from other: ServerMetadata) -> ServerMetadata {
    var result = self
    result.endpoints = endpoints.filled(from: other.endpoints)
    result.authMethods = authMethods ?? other.authMethods
    result.scopes = scopes ?? other.scopes
    result.sendsIssuer = sendsIssuer || other.sendsIssuer
    return result
  }
}

/// Why a metadata document cannot be used.
public enum DiscoveryFailure: Error, Sendable, Equatable {
  /// There is no document at this URL (a 4xx, or something that is not one).
  case notFound(url: String, status: Int)
  /// What is there says `200` and is no metadata.
  case unreadable(url: String)
  /// The server could not be asked.
  case transient(ServerError)
  /// The document names another issuer: it may be anybody's (RFC 8414 section 3.3).
  case issuerMismatch(expected: String, got: String)
  /// It names an endpoint that must not be given secrets.
  case badEndpoint(name: String, url: String)
}

/// Finding the metadata of an issuer.
public enum Discovery {
  /// Gives the URLs to try, in order: OpenID Connect's suffix, then RFC 8414's insertion before the path,
  /// then, since servers do it, RFC 8414's name as a suffix.
  ///
  /// - See: https://www.rfc-editor.org/rfc/rfc8414#section-3.1
  public static func urls(for issuer: String) -> [String] {
    let plain = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
    var urls = [plain + "/.well-known/openid-configuration"]
    if let url = WebURL(plain) {
      let origin = "\(url.scheme)://\(url.host)" + (url.port.map { ":\($0)" } ?? "")
      urls.append(origin + "/.well-known/oauth-authorization-server" + url.rest)
      if !url.rest.isEmpty { urls.append(plain + "/.well-known/oauth-authorization-server") }
    }
    return urls
  }

  /// The request for one document.
  public static func request(url: String) -> HTTPRequest {
    HTTPRequest(method: .get, url: url, headers: [HTTPHeader("Accept", "application/json")])
  }

  /// Reads a metadata document; its `issuer` must equal the one asked for, byte for byte.
  ///
  /// - Throws: ``DiscoveryFailure``.
  /// - See: https://www.rfc-editor.org/rfc/rfc8414#section-3.3
  public static func validate(
    _ response: HTTPResponse, url: String, issuer: String
  ) throws(DiscoveryFailure) -> ServerMetadata {
    switch response.status {
    case 200: break
    case 408, 425, 429, 500...599: throw .transient(ServerError(status: response.status))
    default: throw .notFound(url: url, status: response.status)
    }
    let body = ReplyBody(response)
    if body == .html { throw .notFound(url: url, status: response.status) }
    guard case .fields(let fields) = body, let got = fields["issuer"]?.text else { throw .unreadable(url: url) }
    guard got == issuer else { throw .issuerMismatch(expected: issuer, got: got) }
    var endpoints = Endpoints()
    for (key, path) in Endpoints.all where !Endpoints.ownKeys.contains(key) {
      guard let value = fields[key == "jwks" ? "jwks_uri" : key + "_endpoint"]?.text, !value.isEmpty else { continue }
      guard WebURL.isAcceptable(value) else { throw .badEndpoint(name: key, url: value) }
      endpoints[keyPath: path] = value
    }
    return ServerMetadata(
      issuer: issuer, endpoints: endpoints,
      authMethods: strings(fields["token_endpoint_auth_methods_supported"]),
      scopes: strings(fields["scopes_supported"]),
      sendsIssuer: fields["authorization_response_iss_parameter_supported"] == .bool(true))
  }

  private static func strings(_ value: JSONValue?) -> [String]? {
    guard case .array(let items) = value else { return nil }
    return items.compactMap(\.text)
  }
}

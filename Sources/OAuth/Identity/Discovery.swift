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
  /// What it says under a signature does not hold (RFC 8414 section 2.1).
  case unverified(JWT.Mismatch)
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
      urls.append(url.base + "/.well-known/oauth-authorization-server" + url.rest)
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
    guard issuer.hasSameBytes(as: got) else { throw .issuerMismatch(expected: issuer, got: got) }
    return try ServerMetadata(issuer: issuer, members: fields)
  }
}

extension WebURL {
  /// What stands before the path, the port only where it was written.
  var base: String { "\(scheme)://\(host)" + (port.map { ":\($0)" } ?? "") }
}

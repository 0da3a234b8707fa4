/// Finding out which server gives tokens for a resource (RFC 9728).
public enum ProtectedResource {
  /// What a resource says when it is asked without a token.
  public struct Demand: Sendable, Equatable {
    /// Where its metadata is (`resource_metadata`), where it says so.
    public var metadataURL: String?
    /// The scopes that it wants (RFC 6750 section 3).
    public var scopes: [String]?
    /// The scheme of the challenge.
    public var scheme: String
  }

  /// The request that a resource refuses: without a token.
  ///
  /// It asks for JSON and no event stream, which would have no end.
  public static func probe(_ resource: String) -> HTTPRequest {
    HTTPRequest(method: .get, url: resource, headers: [HTTPHeader("Accept", "application/json")])
  }

  /// Reads what a resource demands; nil where it demands no token.
  ///
  /// - See: https://www.rfc-editor.org/rfc/rfc9728#section-5.1
  public static func demand(in response: HTTPResponse) -> Demand? {
    guard response.status == 401 else { return nil }
    let challenges = AuthenticationChallenge.all(in: response)
    // Any scheme may carry the parameter; Basic and the like say nothing of tokens by themselves.
    let chosen =
      challenges.first { $0.parameter("resource_metadata")?.isEmpty == false }
      ?? challenges.first { $0.isOf("Bearer") || $0.isOf("DPoP") }
    return chosen.map { challenge in
      Demand(
        metadataURL: challenge.parameter("resource_metadata").flatMap { $0.isEmpty ? nil : $0 },
        scopes: challenge.parameter("scope").flatMap { Scope.split($0).isEmpty ? nil : Scope.split($0) },
        scheme: challenge.scheme)
    }
  }

  /// A place where metadata may be, and the resource that it must be of there.
  public struct Place: Sendable, Equatable {
    /// The URL of the document.
    public var url: String
    /// What its `resource` may be, the first of which is the name that is likely.
    public var resources: [String]

    /// Makes one.
    public init(url: String, resources: [String]) {
      self.url = url
      self.resources = resources
    }
  }

  private static let name = "/.well-known/oauth-protected-resource"

  /// Gives the places to look, in order: the resource's own, then that of its host as a whole.
  ///
  /// - See: https://www.rfc-editor.org/rfc/rfc9728#section-3.1
  public static func places(of resource: String) -> [Place] {
    guard let url = WebURL(resource) else { return [] }
    let origin = url.base
    let path = url.rest == "/" ? "" : url.rest
    let own = Place(url: origin + name + path, resources: [resource])
    // Inserted into the host's either spelling, the name gives the same URL; and many servers have one document alone,
    // which they put here and which names the very resource.
    return path.isEmpty ? [own] : [own, Place(url: origin + name, resources: [resource, origin, origin + "/"])]
  }

  /// Gives the host as a whole, as a URL without a path; nil where the text is no URL.
  public static func host(of text: String) -> String? { WebURL(text)?.base }

  /// Gives the place that a resource's demand points to.
  ///
  /// The document there must be of the very URL that was asked, or, where it is the one of its whole host, of that.
  ///
  /// - Throws: ``ResourceFailure/badURL(name:url:)``.
  /// - See: https://www.rfc-editor.org/rfc/rfc9728#section-3.3
  public static func place(_ metadataURL: String, of resource: String) throws(ResourceFailure) -> Place {
    guard isReachable(metadataURL, from: resource) else {
      throw .badURL(name: "resource_metadata", url: metadataURL)
    }
    return places(of: resource).first { $0.url == metadataURL } ?? Place(url: metadataURL, resources: [resource])
  }

  /// Whether a resource may send us to a URL: one that is not on this machine has no business there.
  private static func isReachable(_ text: String, from resource: String) -> Bool {
    WebURL.isAcceptable(text, from: resource)
  }

  /// The request for one document.
  public static func request(_ place: Place) -> HTTPRequest { Discovery.request(url: place.url) }

  /// Reads a resource's metadata; its `resource` must equal the one expected, byte for byte.
  ///
  /// - Throws: ``ResourceFailure``.
  /// - See: https://www.rfc-editor.org/rfc/rfc9728#section-3.3
  public static func validate(_ response: HTTPResponse, of place: Place) throws(ResourceFailure) -> ResourceMetadata {
    switch response.status {
    case 200: break
    case 408, 425, 429, 500...599: throw .transient(ServerError(status: response.status))
    default: throw .notFound(url: place.url, status: response.status)
    }
    let body = ReplyBody(response)
    if body == .html { throw .notFound(url: place.url, status: response.status) }
    guard case .fields(let fields) = body, let got = fields["resource"]?.text else {
      throw .unreadable(url: place.url)
    }
    guard place.resources.contains(where: got.hasSameBytes) else {
      throw .resourceMismatch(expected: place.resources.first ?? "", got: got)
    }
    return try metadata(of: got, fields)
  }

  /// Gives the metadata with the claims of its signed form, which win over the plain members.
  ///
  /// - Parameter claims: the claims of `signed_metadata`, verified.
  /// - Throws: ``ResourceFailure/badURL(name:url:)``.
  /// - See: https://www.rfc-editor.org/rfc/rfc9728#section-2.2
  public static func overridden(
    _ metadata: ResourceMetadata, by claims: [String: JSONValue]
  ) throws(ResourceFailure) -> ResourceMetadata {
    try Self.metadata(of: metadata.resource, metadata.members.merging(claims) { _, signed in signed })
  }

  /// Gives where a resource's own keys are; nil where it does not say.
  ///
  /// - Throws: ``ResourceFailure/badURL(name:url:)``.
  public static func keys(of metadata: ResourceMetadata) throws(ResourceFailure) -> String? {
    guard let url = metadata.members["jwks_uri"]?.text, !url.isEmpty else { return nil }
    guard isReachable(url, from: metadata.resource) else { throw .badURL(name: "jwks_uri", url: url) }
    return url
  }

  /// Reads the members of a document, of which the resource is known to be the right one.
  private static func metadata(
    of resource: String, _ fields: [String: JSONValue]
  ) throws(ResourceFailure) -> ResourceMetadata {
    var servers: [String] = []
    if case .array(let items) = fields["authorization_servers"] {
      for issuer in items.prefix(16).compactMap(\.text) {
        guard isReachable(issuer, from: resource), !issuer.contains("?"), !issuer.contains("#") else {
          throw .badURL(name: "authorization_servers", url: issuer)
        }
        servers.append(issuer)
      }
    }
    return ResourceMetadata(resource: resource, authorizationServers: servers, members: fields)
  }
}

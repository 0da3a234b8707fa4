public import Crypto
public import FoundationEssentials

/// What an authorization server says of a token (RFC 7662).
public struct Introspection: Sendable, Equatable {
  /// Whether the token is good now.
  public let isActive: Bool
  /// All that the server says of it.
  public let claims: [String: JSONValue]

  /// When the token ends; nil where the server does not say.
  public var expiresAt: Date? { Self.expiry(of: claims) }
  /// When a token of these claims ends (RFC 7519 section 4.1.4); nil where they do not say.
  public static func expiry(of claims: [String: JSONValue]) -> Date? {
    claims.seconds("exp").map { Date(timeIntervalSince1970: $0) }
  }

  /// The scopes of the token; nil where the server does not say.
  public var scopes: [String]? { Scope.read(claims["scope"]) }
  /// Whose token it is: a name for people, else the subject.
  public var subject: String? { claims["username"]?.text ?? claims["sub"]?.text }

  /// Why there is no answer.
  public enum Failure: Error, Sendable, Equatable {
    /// It may work later; the seconds of `Retry-After`, where given.
    case transient(ServerError, retryAfter: Int?)
    /// The client may not ask, or not like this.
    case refused(ServerError)
    /// What came is no answer; the reason in words.
    case unreadable(ServerError, reason: String)

    /// Gives the same failure with its words redacted.
    public func redacted(by redactor: Redactor) -> Failure {
      switch self {
      case .transient(let error, let seconds): .transient(error.redacted(by: redactor), retryAfter: seconds)
      case .refused(let error): .refused(error.redacted(by: redactor))
      case .unreadable(let error, let reason): .unreadable(error.redacted(by: redactor), reason: reason)
      }
    }
  }

  /// Builds the request, in the provider's own way where its data has one.
  ///
  /// - Parameter hint: `access_token` or `refresh_token`.
  /// - Throws: `KeyError` where an assertion cannot be signed.
  /// - See: https://www.rfc-editor.org/rfc/rfc7662#section-2.1
  public static func request(
    _ token: Secret, hint: String? = "access_token", endpoint: String, as client: RequestingClient,
    stamp: RequestStamp
  ) throws(KeyError) -> HTTPRequest {
    let style = client.provider.effectiveQuirks.introspection ?? IntrospectionStyle()
    var parameters: [Parameter] = []
    var headers = [HTTPHeader("Accept", "application/json")]
    var certificate: ClientCertificate?
    if style.tokenIn != .path, style.tokenIn != .header { parameters.append(Parameter("token", token.reveal())) }
    let registration = client.registration
    switch style.auth ?? .client {
    case .client:
      if let hint { parameters.append(Parameter("token_type_hint", hint)) }
      let credentials = try ClientAuthentication.credentials(
        of: client, step: nil, stamp: stamp, audience: ServerRequest.audience(client.provider, endpoint))
      parameters += credentials.parameters
      if let header = credentials.header { headers.append(header) }
      certificate = credentials.certificate
    case .basic:
      if let secret = registration.secret {
        headers.append(ClientAuthentication.basic(id: registration.id, secret: secret, client.provider.effectiveQuirks))
      }
    case .id: parameters.append(Parameter("client_id", registration.id))
    case .bearer: headers.append(HTTPHeader("Authorization", "\(style.scheme ?? "Bearer") \(token.reveal())"))
    case .none: break
    }
    headers += client.provider.headerLines
    var request = HTTPRequest(method: style.method == .get ? .get : .post, url: endpoint, headers: headers)
    request.clientCertificate = certificate
    place(parameters, token, style, in: &request)
    return request
  }

  private static func place(
    _ parameters: [Parameter], _ token: Secret, _ style: IntrospectionStyle, in request: inout HTTPRequest
  ) {
    let isPost = request.method == .post
    switch style.tokenIn ?? .form {
    case .form where isPost:
      request.headers.append(HTTPHeader("Content-Type", "application/x-www-form-urlencoded"))
      request.body = Secret(FormEncoding.encode(parameters))
    case .json where isPost:
      request.headers.append(HTTPHeader("Content-Type", "application/json"))
      request.body = ServerRequest.json(parameters)
    case .form, .json, .query, .header, .path:
      if style.tokenIn == .path {
        request.secrets.append(token)
        request.url += (request.url.hasSuffix("/") ? "" : "/") + FormEncoding.encodeForQuery(token.reveal())
      }
      request.url = FormEncoding.url(request.url, adding: parameters)
      if isPost { request.body = Secret("") }
    }
  }

  /// Reads the reply.
  ///
  /// - Parameters:
  ///   - provider: whose answer it is; one with a way of its own need not say `active`, and answers only for tokens that
  ///     are.
  ///   - now: when it came.
  /// - Throws: ``Failure``.
  /// - See: https://www.rfc-editor.org/rfc/rfc7662#section-2.2
  public static func validate(
    _ response: HTTPResponse, provider: Provider, now: Date
  ) throws(Failure) -> Introspection {
    let body = ReplyBody(response)
    var error = ServerError(status: response.status)
    if case .fields(let fields) = body {
      if (200...299).contains(response.status), case .bool(let isActive) = fields["active"] {
        return Introspection(isActive: isActive, claims: fields)
      }
      if let said = ServerError(status: response.status, fields: fields) {
        error = said
      } else if response.status == 200, fields["active"] == nil, provider.effectiveQuirks.introspection != nil {
        return Introspection(isActive: true, claims: fields)
      }
    }
    let retryAfter = response.retryAfter(now: now)
    if let code = error.code, TokenFailure.outages.contains(code) { throw .transient(error, retryAfter: retryAfter) }
    switch response.status {
    case 408, 425, 429, 500...599: throw .transient(error, retryAfter: retryAfter)
    case 200...299:
      guard error.code == nil else { throw .refused(error) }
      throw .unreadable(error, reason: "it does not say whether the token is active")
    case 300...399: throw .unreadable(error, reason: "a redirect instead of a reply")
    default: throw .refused(error)
    }
  }
}

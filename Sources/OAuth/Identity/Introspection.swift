public import Crypto
public import FoundationEssentials

/// What an authorization server says of a token (RFC 7662).
public struct Introspection: Sendable, Equatable {
  /// Whether the token is good now.
  public let isActive: Bool
  /// All that the server says of it.
  public let claims: [String: JSONValue]

  /// When the token ends; nil where the server does not say.
  public var expiresAt: Date? { claims.seconds("exp").map { Date(timeIntervalSince1970: $0) } }
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

  /// Builds the request.
  ///
  /// - Parameter hint: `access_token` or `refresh_token`.
  /// - Throws: `KeyError` where an assertion cannot be signed.
  /// - See: https://www.rfc-editor.org/rfc/rfc7662#section-2.1
  public static func request(
    _ token: Secret, hint: String? = "access_token", endpoint: String, as client: RequestingClient,
    stamp: RequestStamp
  ) throws(KeyError) -> HTTPRequest {
    var parameters = [Parameter("token", token.reveal())]
    if let hint { parameters.append(Parameter("token_type_hint", hint)) }
    return try ServerRequest.post(parameters, to: endpoint, as: client, isBound: false, stamp: stamp)
  }

  /// Reads the reply.
  ///
  /// - Parameter now: when it came.
  /// - Throws: ``Failure``.
  /// - See: https://www.rfc-editor.org/rfc/rfc7662#section-2.2
  public static func validate(_ response: HTTPResponse, now: Date) throws(Failure) -> Introspection {
    let body = ReplyBody(response)
    var error = ServerError(status: response.status)
    if case .fields(let fields) = body {
      if (200...299).contains(response.status), case .bool(let isActive) = fields["active"] {
        return Introspection(isActive: isActive, claims: fields)
      }
      error = ServerError(status: response.status, fields: fields) ?? error
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

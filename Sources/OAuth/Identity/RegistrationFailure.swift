internal import FoundationEssentials

/// Why a server did not register a client, by what has to be done about it.
public enum RegistrationFailure: Error, Sendable, Equatable {
  /// It may work later; the seconds of `Retry-After`, where given.
  case transient(ServerError, retryAfter: Int?)
  /// There is no registration here.
  case notOffered(url: String, status: Int)
  /// The server registers only who brings an initial access token, or did not take the one that was brought.
  case tokenRefused(ServerError, wasSent: Bool)
  /// What the client says of itself, or brings, is not taken.
  case refused(ServerError, Reason)
  /// It is no registration; the reason in words.
  case unreadable(ServerError, reason: String)
  /// The server registered the client for an authentication that this program, or this client, cannot do.
  case unusableMethod(String, reason: String)
  /// The registration that there is cannot be read, changed or ended now; the seconds of `Retry-After`, where given.
  case upkeepTransient(ServerError, retryAfter: Int?)
  /// The server does not let the registration that there is be read, changed or ended.
  case upkeepRefused(ServerError)
  /// The server registered other redirect URIs than the one that is used.
  case otherRedirects(asked: String, got: [String])

  /// What was refused.
  public enum Reason: Sendable, Equatable {
    /// A redirect URI (`invalid_redirect_uri`).
    case redirectURI
    /// Another member (`invalid_client_metadata`).
    case clientMetadata
    /// The software statement (`invalid_software_statement`, `unapproved_software_statement`).
    case softwareStatement(isApproved: Bool)
    /// Something else.
    case other
  }

  /// What the server said; nil where it is not its word that failed.
  public var serverError: ServerError? {
    switch self {
    case .transient(let error, _), .tokenRefused(let error, _), .refused(let error, _), .unreadable(let error, _),
      .upkeepTransient(let error, _), .upkeepRefused(let error):
      error
    case .notOffered, .unusableMethod, .otherRedirects: nil
    }
  }

  /// Whether it is what the client says of itself that the server does not take.
  public var isAboutMetadata: Bool {
    if case .refused(_, let reason) = self { reason == .redirectURI || reason == .clientMetadata } else { false }
  }

  /// Whether it may work later.
  public var isTransient: Bool {
    switch self {
    case .transient, .upkeepTransient: true
    default: false
    }
  }

  /// Gives the same failure with its words redacted: servers echo what they were sent.
  public func redacted(by redactor: Redactor) -> RegistrationFailure {
    switch self {
    case .transient(let error, let seconds): .transient(error.redacted(by: redactor), retryAfter: seconds)
    case .tokenRefused(let error, let wasSent): .tokenRefused(error.redacted(by: redactor), wasSent: wasSent)
    case .refused(let error, let reason): .refused(error.redacted(by: redactor), reason)
    case .unreadable(let error, let reason): .unreadable(error.redacted(by: redactor), reason: reason)
    case .upkeepTransient(let error, let seconds): .upkeepTransient(error.redacted(by: redactor), retryAfter: seconds)
    case .upkeepRefused(let error): .upkeepRefused(error.redacted(by: redactor))
    case .notOffered, .unusableMethod, .otherRedirects: self
    }
  }

  /// Sorts a reply that is no success.
  ///
  /// - Parameter isOfUpkeep: whether a registration that there is was to be read, changed or ended (RFC 7592).
  /// - See: https://www.rfc-editor.org/rfc/rfc7591#section-3.2.2
  static func classify(
    _ response: HTTPResponse, body: ReplyBody, url: String, isOfUpkeep: Bool, sentToken: Bool, now: Date
  ) -> RegistrationFailure {
    var error = ServerError(status: response.status)
    if case .fields(let fields) = body, let said = ServerError(status: response.status, fields: fields) { error = said }
    let retryAfter = response.retryAfter(now: now)
    switch error.code {
    case "invalid_redirect_uri": return .refused(error, .redirectURI)
    case "invalid_client_metadata": return .refused(error, .clientMetadata)
    case "invalid_software_statement": return .refused(error, .softwareStatement(isApproved: true))
    case "unapproved_software_statement": return .refused(error, .softwareStatement(isApproved: false))
    // RFC 6750 section 3.1: the words for a token that is missing, wrong or too weak.
    case "invalid_token", "insufficient_scope":
      return isOfUpkeep ? .upkeepRefused(error) : .tokenRefused(error, wasSent: sentToken)
    case .some(let code) where TokenFailure.outages.contains(code):
      return isOfUpkeep
        ? .upkeepTransient(error, retryAfter: retryAfter) : .transient(error, retryAfter: retryAfter)
    default: break
    }
    switch response.status {
    case 408, 425, 429, 500, 502...599: if isOfUpkeep { return .upkeepTransient(error, retryAfter: retryAfter) }
    case 400...499, 501: if isOfUpkeep { return .upkeepRefused(error) }
    default: break
    }
    switch response.status {
    case 408, 425, 429, 500, 502...599: return .transient(error, retryAfter: retryAfter)
    case 401, 403: return .tokenRefused(error, wasSent: sentToken)
    case 404, 405, 410, 501: return .notOffered(url: url, status: response.status)
    case 200...299: return .unreadable(error, reason: reason(body))
    case 300...399: return .unreadable(error, reason: "a redirect instead of a reply")
    default: return .refused(error, .other)
    }
  }

  /// What keeps a success from being a registration.
  private static func reason(_ body: ReplyBody) -> String {
    guard case .fields(let fields) = body, let id = fields["client_id"], id != .null, id != .string("") else {
      return "no client_id in it"
    }
    return id.text == nil ? "its client_id is no text" : "its status is none of a registration's"
  }
}

internal import FoundationEssentials

/// Why the token endpoint's reply brought no token, by what has to be done about it.
public enum TokenFailure: Error, Sendable, Equatable {
  /// It may work later: overload, an outage, a page from a proxy. The seconds of `Retry-After`, where given.
  case transient(ServerError, retryAfter: Int?)
  /// The grant is denied, expired or revoked: only a new login helps.
  case grantRefused(ServerError)
  /// The client, its rights or what it asked for are wrong: only another configuration helps.
  case clientRefused(ServerError)
  /// It is not a token reply, whatever it is; the reason in words.
  case notATokenReply(ServerError, reason: String)

  /// What the server said.
  public var serverError: ServerError {
    switch self {
    case .transient(let error, _), .grantRefused(let error), .clientRefused(let error), .notATokenReply(let error, _):
      error
    }
  }
}

extension TokenFailure {
  /// Gives the same failure with its words redacted: servers echo what they were sent.
  public func redacted(by redactor: Redactor) -> TokenFailure {
    switch self {
    case .transient(let error, let retryAfter): .transient(error.redacted(by: redactor), retryAfter: retryAfter)
    case .grantRefused(let error): .grantRefused(error.redacted(by: redactor))
    case .clientRefused(let error): .clientRefused(error.redacted(by: redactor))
    case .notATokenReply(let error, let reason):
      .notATokenReply(
        error.redacted(by: redactor), reason: PrintableText.printable(redactor.redact(reason), limit: 300))
    }
  }

  /// Gives the same failure as one of another endpoint than the token endpoint.
  public func of(_ endpoint: ServerError.Endpoint) -> TokenFailure {
    func named(_ error: ServerError) -> ServerError {
      var named = error
      named.endpoint = endpoint
      return named
    }
    return switch self {
    case .transient(let error, let retryAfter): .transient(named(error), retryAfter: retryAfter)
    case .grantRefused(let error): .grantRefused(named(error))
    case .clientRefused(let error): .clientRefused(named(error))
    case .notATokenReply(let error, let reason): .notATokenReply(named(error), reason: reason)
    }
  }

  /// Gives the same failure with what the client had shown, where that may be what was refused.
  public func telling(_ shown: ServerError.Shown) -> TokenFailure {
    guard case .clientRefused(var error) = self else { return self }
    // A server that wants yet another nonce than the one that it has just given cannot make up its mind.
    if error.code == "use_dpop_nonce", shown.isBound { return .transient(error, retryAfter: nil) }
    let isOfClient = error.code == "invalid_client" || error.code == "unauthorized_client"
    guard error.isOfProof || isOfClient && !shown.method.usesSecretAlone else { return self }
    error.shown = shown
    return .clientRefused(error)
  }

  /// The codes that tell of a grant that is no more, or was never given (RFC 6749 section 5.2, RFC 8628 section 3.5,
  /// RFC 9470 section 3, OpenID Connect Core section 3.1.2.6).
  private static let refusals: Set<String> = [
    "invalid_grant", "access_denied", "interaction_required", "login_required", "consent_required",
    "account_selection_required", "expired_token", "invalid_token", "unmet_authentication_requirements",
    "insufficient_user_authentication",
  ]
  private static let configuration: Set<String> = [
    "invalid_client", "unauthorized_client", "unsupported_grant_type", "invalid_scope", "invalid_target",
    "invalid_request", "unsupported_response_type", "invalid_dpop_proof", "use_dpop_nonce",
    "invalid_authorization_details", "invalid_request_object", "invalid_request_uri", "request_not_supported",
    "request_uri_not_supported", "registration_not_supported",
  ]
  static let outages: Set<String> = ["temporarily_unavailable", "server_error", "slow_down"]

  /// Whether a code tells of a grant that is no more, or was never given.
  static func isRefusal(_ code: String) -> Bool { refusals.contains(code) }

  /// Sorts a reply without a token.
  ///
  /// A code that is known decides, whatever the status: servers send `invalid_grant` with 200, 400, 401, 403 and 500.
  /// Then an HTML page is never the authorization server's own word; then the status decides. A bare 400, 401 or 403
  /// is how real servers answer a revoked token.
  static func classify(
    _ response: HTTPResponse, body: ReplyBody, error: ServerError?, now: Date
  ) -> TokenFailure {
    let said = error ?? ServerError(status: response.status, description: excerpt(response, body))
    let retryAfter = response.retryAfter(now: now)
    if let code = said.code {
      if refusals.contains(code) { return .grantRefused(said) }
      if configuration.contains(code) { return .clientRefused(said) }
      if outages.contains(code) { return .transient(said, retryAfter: retryAfter) }
    }
    if body == .html { return .transient(said, retryAfter: retryAfter) }
    switch response.status {
    case 408, 425, 429, 500...599:
      return .transient(said, retryAfter: retryAfter)
    case 400, 401, 403:
      return .grantRefused(said)
    case 200...299:
      return .notATokenReply(said, reason: said.code == nil ? reason(body) : "an error with a success status")
    case 300...399:
      return .notATokenReply(said, reason: "a redirect instead of a reply")
    default:
      return .notATokenReply(said, reason: "a status that a token endpoint does not use")
    }
  }

  /// What there is to show of a body that says nothing by itself: often the only word there is.
  private static func excerpt(_ response: HTTPResponse, _ body: ReplyBody) -> String? {
    if body == .html { return "a web page instead of a reply" }
    guard body == .unreadable, response.status >= 300 else { return nil }
    let text = PrintableText.printable(String(decoding: response.body.prefix(2000), as: UTF8.self), limit: 200)
    return text.isEmpty ? nil : text
  }

  private static func reason(_ body: ReplyBody) -> String {
    switch body {
    case .empty: "an empty body"
    case .fields: "no usable access_token in it"
    case .html, .unreadable: "neither JSON nor a form"
    }
  }
}

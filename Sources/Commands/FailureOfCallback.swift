internal import Flows
internal import OAuth

/// The answer that the browser brings back, where it ends a login.
extension Failure {
  /// Tells of an error of the authorization endpoint.
  ///
  /// - Parameter login: what to type to log in again; empty where only the provider is known.
  /// - See: https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.1,
  ///   https://openid.net/specs/openid-connect-core-1_0.html#AuthError
  init(callback failure: CallbackFailure, login: String) {
    let message = "login failed: \(failure.sentence)"
    guard case .server(let error) = failure else {
      self.init(.protocolViolation, message, hint: "nothing was stored")
      return
    }
    let again = "'oauthctl login \(login.isEmpty ? "NAME" : login)"
    switch error.code {
    case "temporarily_unavailable", "server_error":
      self.init(.temporary, message, hint: "try again later", server: error)
    // What `prompt=none` forbids (OpenID Connect Core section 3.1.2.6).
    case "login_required", "interaction_required", "consent_required", "account_selection_required":
      self.init(
        .loginRequired, message, hint: "the provider has to ask the person: log in without --prompt none",
        server: error)
    case "unmet_authentication_requirements":
      self.init(
        .loginRequired, message,
        hint: "the provider cannot be as sure of the person as that: give another --acr-values",
        server: error)
    case "invalid_request", "registration_not_supported":
      self.init(
        .configuration, message,
        hint: "check the client's registration, its redirect URI above all, and what --param adds", server: error)
    case "unauthorized_client", "invalid_client":
      self.init(
        .configuration, message,
        hint:
          "check the client id, and at the provider what the client may do; another client: \(again) --client-id ID'",
        server: error)
    case "unsupported_response_type":
      self.init(
        .configuration, message,
        hint: "check the client's registration, or choose another grant: \(again) --flow FLOW'",
        server: error)
    // RFC 6749, RFC 8707 section 2, RFC 9396 section 5, RFC 9101 section 7: said by the token endpoint, too.
    case "invalid_scope", "invalid_target", "invalid_authorization_details", "invalid_request_object",
      "invalid_request_uri", "request_not_supported", "request_uri_not_supported":
      self.init(.configuration, message, hint: Self.clientHint(error, login), server: error)
    default:
      self.init(.loginRequired, message, hint: "log in again, and allow the request", server: error)
    }
  }
}

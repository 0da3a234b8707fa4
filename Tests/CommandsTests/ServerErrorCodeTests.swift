import OAuth
import TestSupport
import Testing

@testable import Commands
@testable import Flows

/// The error codes that the RFCs have, each with the exit code and the hint that the command line's contract gives it.
struct ServerErrorCodeTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let code: String
    let kind: FailureKind
    /// What the hint has in it; empty where there is none to give.
    let hint: String
    let shown: ServerError.Shown?

    init(_ code: String, _ kind: FailureKind, _ hint: String, _ shown: ServerError.Shown? = nil) {
      (self.code, self.kind, self.hint, self.shown) = (code, kind, hint, shown)
    }

    var testDescription: String { code + (shown.map { " after \($0.method)\($0.isBound ? ", bound" : "")" } ?? "") }
  }

  private static let again = "run 'oauthctl login acme/work'"
  private static let secret = ServerError.Shown(method: .basic, isBound: false)
  private static let key = ServerError.Shown(method: .privateKeyJWT, isBound: false)
  private static let certificate = ServerError.Shown(method: .tls, isBound: false)
  private static let bound = ServerError.Shown(method: .none, isBound: true)

  static let token: [Row] = [
    // RFC 6749 section 5.2
    Row("invalid_request", .configuration, "providers show"), Row("invalid_grant", .loginRequired, again),
    Row("invalid_client", .configuration, "check client id and secret", secret),
    Row("invalid_client", .configuration, "--private-key-file", key),
    Row("invalid_client", .configuration, "--certificate-file", certificate),
    Row("unauthorized_client", .configuration, "check client id and secret", secret),
    Row("unauthorized_client", .configuration, "--private-key-file", key),
    Row("unauthorized_client", .configuration, "--certificate-file", certificate),
    Row("unsupported_grant_type", .configuration, "providers show"), Row("invalid_scope", .configuration, "--scope"),
    // RFC 6749 section 4.1.2.1, where servers send them from here
    Row("access_denied", .loginRequired, again), Row("temporarily_unavailable", .temporary, "try again later"),
    Row("server_error", .temporary, "try again later"), Row("unsupported_response_type", .configuration, ""),
    // RFC 8628 section 3.5
    Row("expired_token", .loginRequired, again), Row("slow_down", .temporary, "try again later"),
    // RFC 8693 section 2.2.2, RFC 8707 section 2
    Row("invalid_target", .configuration, "--resource"),
    // RFC 9396 section 5
    Row("invalid_authorization_details", .configuration, "--authorization-details"),
    // RFC 9449 sections 5 and 8
    Row("invalid_dpop_proof", .configuration, "clock", bound),
    Row("invalid_dpop_proof", .configuration, "--dpop", secret),
    // Once more, with the nonce that the server has just given.
    Row("use_dpop_nonce", .temporary, "try again later", bound),
    Row("use_dpop_nonce", .configuration, "--dpop", secret),
    // RFC 9101 section 7, RFC 9126 section 2.3, OpenID Connect Core section 3.1.2.6
    Row("invalid_request_object", .configuration, "--sign-request"),
    Row("request_not_supported", .configuration, "--sign-request"),
    Row("invalid_request_uri", .configuration, "--par"), Row("request_uri_not_supported", .configuration, "--par"),
    Row("registration_not_supported", .configuration, ""),
    Row("login_required", .loginRequired, again), Row("interaction_required", .loginRequired, again),
    Row("consent_required", .loginRequired, again), Row("account_selection_required", .loginRequired, again),
    // RFC 9470 section 3, Unmet Authentication Requirements 1.0
    Row("insufficient_user_authentication", .loginRequired, "--acr-values"),
    Row("unmet_authentication_requirements", .loginRequired, "--acr-values"),
    // RFC 6750 section 3.1
    Row("invalid_token", .loginRequired, again),
  ]

  @Test(arguments: token) func `an error of the token endpoint has its exit code, whatever the status`(_ row: Row) {
    for status in [200, 400, 401, 403, 500] {
      let failure = #expect(throws: TokenFailure.self) {
        try TokenResponse.validate(
          .json(#"{"error":"\#(row.code)"}"#, status: status), provider: Sample.provider(), now: Sample.now)
      }
      let told = failure.map { Failure(row.shown.map($0.telling) ?? $0, login: "acme/work") }
      #expect(told?.kind == row.kind && told?.hint?.contains(row.hint) == true || row.hint.isEmpty, "\(status)")
      #expect(told?.message.contains(row.code) == true)
    }
  }

  static let callbacks: [Row] = [
    Row("invalid_request", .configuration, ""), Row("unauthorized_client", .configuration, ""),
    Row("access_denied", .loginRequired, "allow"), Row("unsupported_response_type", .configuration, ""),
    Row("invalid_scope", .configuration, "--scope"), Row("server_error", .temporary, "try again"),
    Row("temporarily_unavailable", .temporary, "try again"), Row("invalid_client", .configuration, ""),
    Row("login_required", .loginRequired, ""), Row("interaction_required", .loginRequired, ""),
    Row("consent_required", .loginRequired, ""), Row("account_selection_required", .loginRequired, ""),
    Row("invalid_request_uri", .configuration, ""), Row("invalid_request_object", .configuration, ""),
    Row("request_not_supported", .configuration, ""), Row("request_uri_not_supported", .configuration, ""),
    Row("registration_not_supported", .configuration, ""), Row("invalid_target", .configuration, ""),
    Row("invalid_authorization_details", .configuration, ""),
    Row("unmet_authentication_requirements", .loginRequired, ""),
  ]

  @Test(arguments: callbacks) func `an error that the browser brings back has its exit code`(_ row: Row) {
    let failure = Failure(FlowError.callback(.server(ServerError(code: row.code))))
    #expect(failure.kind == row.kind && failure.message.contains(row.code))
    #expect(failure.hint.map { $0.contains(row.hint) || row.hint.isEmpty } == true)
  }

  @Test func `a reply is told as that of the endpoint that gave it`() {
    let said = ServerError(status: 400, code: "invalid_scope")
    let failures: [(TokenFailure, FailureKind, String)] = [
      (.transient(said, retryAfter: nil), .temporary, "cannot answer now"),
      (.grantRefused(said), .loginRequired, "refused"),
      (.clientRefused(said), .configuration, "refused"), (.notATokenReply(said, reason: "r"), .protocolViolation, ""),
    ]
    for (failure, kind, words) in failures {
      let own = Failure(failure, login: "acme")
      #expect(own.kind == kind && own.message.contains("the server \(words)") || words.isEmpty)
      for endpoint in [ServerError.Endpoint.deviceAuthorization, .pushedAuthorizationRequest] {
        let told = Failure(failure.of(endpoint), login: "acme")
        #expect(told.kind == kind && told.message.contains("the server's \(endpoint.rawValue)"))
        #expect(!told.message.contains("token reply") && told.hint?.contains("token endpoint") != true)
      }
    }
    #expect(
      Failure(TokenFailure.notATokenReply(said, reason: "r").of(.deviceAuthorization)).hint
        == "check the provider's device authorization endpoint")
  }

  @Test(arguments: [JWT.Subject.idToken, .userinfo, .serverMetadata, .resourceMetadata, .other])
  func `a token that does not hold is told by its name`(_ subject: JWT.Subject) {
    let failure = Failure(JWT.Mismatch(of: subject, claim: "aud", expected: "a", got: nil))
    #expect(failure.kind == .protocolViolation)
    #expect(failure.message == "\(subject.name)'s 'aud' does not hold: expected a, got none")
  }

  @Test func `an encrypted token is told as that, with what to have the client registered for`() {
    let token = JWT.Mismatch(of: .idToken, claim: "id_token", expected: "a signed JWT", got: "an encrypted one")
    let failure = Failure(token)
    #expect(failure.kind == .protocolViolation)
    #expect(failure.message == "the ID token is encrypted, and only signed ones can be read here")
    #expect(failure.hint?.hasPrefix("nothing was stored; have the client registered for signed ID tokens") == true)
    let userinfo = Failure(
      Userinfo.Failure.mismatch(
        JWT.Mismatch(of: .userinfo, claim: "userinfo", expected: "a signed JWT", got: "an encrypted one")))
    #expect(userinfo.kind == .protocolViolation && userinfo.hint?.contains("userinfo_encrypted_response_alg") == true)
    #expect(
      userinfo.message == "the answer of the userinfo endpoint is encrypted, and only signed ones can be read here")
  }
}

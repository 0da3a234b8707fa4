/// How the authorization server's answer comes back through the browser (`response_mode`).
///
/// - See: https://openid.net/specs/oauth-v2-multiple-response-types-1_0.html#ResponseModes
public enum ResponseMode: String, Codable, Sendable, CaseIterable {
  /// In the query of the redirect's address.
  case query
  /// In its fragment.
  case fragment
  /// As a form that the server's page posts (OAuth 2.0 Form Post Response Mode).
  case formPost = "form_post"
  /// Signed, where the response type has its answer by default (JARM section 2.3.4).
  case jwt
  /// Signed, in the query (JARM section 2.3.1).
  case queryJWT = "query.jwt"
  /// Signed, in the fragment (JARM section 2.3.2).
  case fragmentJWT = "fragment.jwt"
  /// Signed, as a form (JARM section 2.3.3).
  case formPostJWT = "form_post.jwt"

  /// Whether the answer is a JWT that the server has signed.
  public var isSigned: Bool {
    switch self {
    case .query, .fragment, .formPost: false
    case .jwt, .queryJWT, .fragmentJWT, .formPostJWT: true
    }
  }

  /// Whether the browser posts the answer, so that no address has it.
  public var isPosted: Bool { self == .formPost || self == .formPostJWT }

  /// Whether it may carry tokens: they must not be in an address that is sent to a server and logged (OAuth 2.0 Multiple
  /// Response Type Encoding Practices section 3).
  public var maySendTokens: Bool { self != .query && self != .queryJWT }
}

public import Crypto

/// How a client proves who it is at the token endpoint (RFC 6749 section 2.3).
public enum ClientAuthMethod: String, Codable, Sendable, CaseIterable {
  /// It does not: a public client sends its id alone (RFC 8252 section 8.5).
  case none
  /// HTTP Basic, id and secret form-encoded first.
  case basic
  /// Id and secret as parameters of the request.
  case post
  /// A short-lived JWT that the client secret signs (RFC 7523 section 2.2, OpenID Connect Core section 9).
  case clientSecretJWT = "client-secret-jwt"
  /// A short-lived JWT that a private key signs (RFC 7523 section 2.2, OpenID Connect Core section 9).
  case privateKeyJWT = "private-key-jwt"
  /// The certificate of the TLS connection (RFC 8705 section 2).
  case tls
}

/// A client as the authorization server knows it.
public struct ClientRegistration: Sendable, Equatable, Codable {
  /// The client id.
  ///
  /// It is no secret.
  public var id: String
  /// The client secret; nil for a public client.
  public var secret: Secret?
  /// The method that was chosen for it; nil where the provider's data or the secret's presence decides.
  public var method: ClientAuthMethod?

  enum CodingKeys: String, CodingKey {
    case id = "client_id"
    case secret = "client_secret"
    case method = "client_auth"
  }

  /// Makes a registration.
  public init(id: String, secret: Secret? = nil, method: ClientAuthMethod? = nil) {
    self.id = id
    self.secret = secret
    self.method = method
  }
}

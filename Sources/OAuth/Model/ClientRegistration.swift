public import Crypto
public import FoundationEssentials

/// How a client proves who it is at the token endpoint (RFC 6749 section 2.3).
public enum ClientAuthMethod: String, Codable, Sendable, CaseIterable {
  /// It does not: a public client sends its id alone (RFC 8252 section 8.5).
  case none
  /// HTTP Basic, id and secret form-encoded first.
  case basic
  /// Id and secret as parameters of the request.
  case post
  /// An assertion that the client's secret signs (OpenID Connect Core section 9, RFC 7523).
  case clientSecretJWT = "client-secret-jwt"
  /// An assertion that the client's private key signs (OpenID Connect Core section 9, RFC 7523).
  case privateKeyJWT = "private-key-jwt"
  /// The certificate of the connection (RFC 8705), from an authority or self-signed.
  case tls

  /// Whether it needs the client's secret.
  public var needsSecret: Bool { [.basic, .post, .clientSecretJWT].contains(self) }

  /// Whether nothing but an id and a secret, if that, stands for the client.
  var usesSecretAlone: Bool { self == .none || needsSecret }

  /// The name in a server's metadata (RFC 8414 section 2, IANA's registry); the certificate's has two.
  public var registeredNames: [String] {
    switch self {
    case .none: ["none"]
    case .basic: ["client_secret_basic"]
    case .post: ["client_secret_post"]
    case .clientSecretJWT: ["client_secret_jwt"]
    case .privateKeyJWT: ["private_key_jwt"]
    case .tls: ["tls_client_auth", "self_signed_tls_client_auth"]
    }
  }
}

/// A client as the authorization server knows it.
public struct ClientRegistration: Sendable, Equatable, Codable {
  /// The client id.
  ///
  /// It is no secret.
  public var id: String
  /// The client secret; nil for a public client.
  public var secret: Secret?
  /// The method that was chosen for it; nil where the provider's data or what the client has decides.
  public var method: ClientAuthMethod?
  /// The algorithm that was chosen for its assertions; nil for the usual one of what signs them.
  public var algorithm: SignatureAlgorithm?
  /// The private key that signs its assertions.
  public var key: ClientKey?
  /// The certificate that it shows.
  public var certificate: ClientCertificate?
  /// When the secret ends, where the server that gave it says so (RFC 7591 section 3.2.1).
  public var secretExpiresAt: Date?
  /// How a registration that was made by this program is managed (RFC 7592).
  public var management: RegistrationManagement?

  enum CodingKeys: String, CodingKey {
    case id = "client_id"
    case secret = "client_secret"
    case method = "client_auth"
    case algorithm = "client_auth_alg"
    case key, certificate
    case secretExpiresAt = "client_secret_expires_at"
    case management
  }

  /// Makes a registration.
  public init(id: String, secret: Secret? = nil, method: ClientAuthMethod? = nil) {
    self.id = id
    self.secret = secret
    self.method = method
  }

  /// All that is secret in it.
  public var secrets: [Secret] {
    [secret, key?.pem, certificate?.key, management?.token].compactMap(\.self)
  }
}

/// A client's private key, as it is kept.
public struct ClientKey: Sendable, Equatable, Codable {
  /// The key, PKCS#8 in PEM.
  public var pem: Secret
  /// What the server calls it (`kid`), where it has several.
  public var keyID: String?
  /// The algorithm to sign with; nil for the usual one of its kind.
  public var algorithm: SignatureAlgorithm?

  enum CodingKeys: String, CodingKey {
    case pem
    case keyID = "kid"
    case algorithm = "alg"
  }

  /// Makes one.
  public init(pem: Secret, keyID: String? = nil, algorithm: SignatureAlgorithm? = nil) {
    self.pem = pem
    self.keyID = keyID
    self.algorithm = algorithm
  }
}

/// A registration that this program made, and what reads, changes and ends it where the server lets it be managed.
///
/// - See: https://www.rfc-editor.org/rfc/rfc7592#section-3
public struct RegistrationManagement: Sendable, Equatable, Codable {
  /// The registration's own endpoint; nil at a server that only registers.
  public var uri: String?
  /// The access token for it.
  public var token: Secret?
  /// The redirect URIs that are registered.
  public var redirectURIs: [String]
  /// The issuer that it was registered with; nil where that is not known.
  ///
  /// What a server gave is for that server alone, whoever a resource names later on.
  public var issuer: String?
  /// Whether the server registered something else than was asked for, so that the client is only to be changed or ended.
  public var isUnfit: Bool?

  enum CodingKeys: String, CodingKey {
    case uri = "registration_client_uri"
    case token = "registration_access_token"
    case redirectURIs = "redirect_uris"
    case issuer
    case isUnfit = "unfit"
  }

  /// Makes one.
  public init(uri: String? = nil, token: Secret? = nil, redirectURIs: [String]) {
    self.uri = uri
    self.token = token
    self.redirectURIs = redirectURIs
  }
}

public import Crypto

/// What is known about one provider.
///
/// It is data alone, the same for the built-in catalogue, a user's file, `providers show` and the snapshot that a
/// session keeps. The man page oauthctl-providers(5) documents each key.
///
/// Everything but the name may be left out; the `effective…` members give what then holds.
public struct Provider: Sendable, Equatable, Codable {
  /// The name that the user types: `[A-Za-z0-9._@+-]{1,64}`.
  public var name: String
  /// The name for people.
  public var title: String?
  /// The issuer (OpenID Connect Discovery 1.0 section 3, RFC 8414 section 2), compared byte for byte.
  public var issuer: String?
  /// The endpoints; what discovery finds fills the gaps.
  public var endpoints: Endpoints?
  /// The user's client id at this provider.
  public var clientID: String?
  /// How the client authenticates; left out, a client with a secret uses Basic and one without sends its id alone.
  public var clientAuth: ClientAuthMethod?
  /// The algorithm that signs the JWTs of `client-secret-jwt` and `private-key-jwt`; left out, the key's usual one.
  public var clientAuthAlg: SignatureAlgorithm?
  /// The grants that the provider offers; left out, what its endpoints tell.
  public var flows: [Flow]?
  /// Grants of the provider's own (RFC 6749 section 4.5), by the name that `--flow` takes.
  public var grants: [String: ExtensionGrant]?
  /// The scopes to ask for where the user names none.
  public var scopes: [String]?
  /// What stands between scopes in a request.
  public var scopeSeparator: String?
  /// The `audience` to ask for where the user names none.
  public var audience: String?
  /// The resources (RFC 8707) to ask for where the user names none.
  public var resource: [String]?
  /// The code challenge method (RFC 7636).
  public var pkce: CodeChallengeMethod?
  /// Whether the authorization request is pushed (RFC 9126); left out, where the server's metadata requires it.
  public var par: Bool?
  /// Whether the authorization request is a JWT that the client's key signs (RFC 9101).
  public var requestObject: Bool?
  /// How the authorization server's answer comes back through the browser; left out, as its response type has it.
  public var responseMode: ResponseMode?
  /// Whether tokens are bound to a key of the account's own (RFC 9449).
  public var dpop: Bool?
  /// Parameters added to the authorization request.
  public var authorizationParams: [String: String]?
  /// Parameters added to the code's token request.
  public var tokenParams: [String: String]?
  /// Parameters added to the device authorization request (RFC 8628 section 3.1).
  public var deviceParams: [String: String]?
  /// Parameters added to a refresh.
  public var refreshParams: [String: String]?
  /// Header lines added to token and revocation requests.
  public var headers: [String: String]?
  /// The redirect URI that is registered.
  public var redirect: Redirect?
  /// Values for `{name}` in URLs, which `--var` overrides.
  public var variables: [String: String]?
  /// What a client says of itself beside what it has to, when it registers by itself (RFC 7591 section 2).
  public var registration: [String: JSONValue]?
  /// Where a person registers a client.
  public var registerURL: String?
  /// What a person should know before logging in.
  public var notes: [String]?
  /// What this provider does differently.
  public var quirks: Quirks?

  enum CodingKeys: String, CodingKey, CaseIterable {
    case name, title, issuer, endpoints
    case clientID = "client_id"
    case clientAuth = "client_auth"
    case clientAuthAlg = "client_auth_alg"
    case flows, grants, scopes
    case scopeSeparator = "scope_separator"
    case audience, resource, pkce, par
    case requestObject = "request_object"
    case responseMode = "response_mode"
    case dpop
    case authorizationParams = "authorization_params"
    case tokenParams = "token_params"
    case deviceParams = "device_params"
    case refreshParams = "refresh_params"
    case headers, redirect, variables, registration
    case registerURL = "register_url"
    case notes, quirks
  }

  /// Makes a provider of which only the name is known.
  public init(name: String) {
    self.name = name
  }

  /// The title, or the name where there is none.
  public var effectiveTitle: String { title ?? name }
  /// The method of the code challenge; S256 unless the data says otherwise.
  public var effectivePKCE: CodeChallengeMethod { pkce ?? .s256 }
  /// The separator between scopes in a request.
  public var effectiveScopeSeparator: String { scopeSeparator ?? " " }
  /// The quirks, none by default.
  public var effectiveQuirks: Quirks { quirks ?? Quirks() }
}

/// The code challenge methods of RFC 7636 section 4.2, and none for a server that refuses the parameters.
public enum CodeChallengeMethod: String, Codable, Sendable, CaseIterable {
  case s256 = "S256"
  case plain
  case none
}

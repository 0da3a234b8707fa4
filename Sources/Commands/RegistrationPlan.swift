internal import Crypto
internal import Flows
internal import OAuth

/// What is asked for when a client is registered: decided by the server's metadata, the grant and the user.
struct RegistrationPlan: Sendable {
  var options: RegistrationOptions
  var found: DiscoverProvider.Found
  var flow: LoginFlow
  /// What to ask for at login; servers may hold the client to it.
  var scopes: [String]
  /// Whether the tokens are to be bound to a key of the account's.
  var bindsTokens = false
  /// The authentication that the user wants.
  var method: ClientAuthMethod?
  /// The client's private key, where it has one.
  var key: ClientKey?

  /// The plan for one redirect URI; nil where the server registers nobody, or nobody who uses this grant.
  func plan(redirectURI: String?) throws -> RegisterClient.Plan? {
    guard let endpoint = found.provider.endpoints?.registration, let use = flow.registration else { return nil }
    let redirects = use.comesBack ? redirectURI.map(LoopbackRedirect.registered) ?? [] : []
    var metadata = ClientMetadata(name: "oauthctl", redirectURIs: redirects)
    metadata.grantTypes = use.grantTypes
    metadata.responseTypes = use.responseTypes
    if case .code = flow, found.provider.endpoints?.deviceAuthorization != nil {
      // A login without a browser goes on with a code on another device.
      metadata.grantTypes.append(LoginFlow.deviceGrant)
    }
    metadata.scopes = scopes.isEmpty ? nil : scopes
    metadata.bindsTokensToKey = bindsTokens
    metadata.softwareVersion = Version.current
    metadata.softwareStatement = options.softwareStatement
    metadata.authMethod = methodName(isConfidential: use.isConfidential)
    metadata.further = (found.provider.registration ?? [:]).merging(options.metadata) { _, own in own }
    if let key, metadata.authMethod == "private_key_jwt" {
      let own = try PrivateKey(pem: key.pem)
      metadata.keys = .object(["keys": .array([JSONWebKey(own.publicKey, keyID: key.keyID).json])])
      metadata.authAlgorithm = (key.algorithm ?? own.usualAlgorithm).rawValue
    }
    var plan = RegisterClient.Plan(
      metadata: metadata, endpoint: endpoint, initialAccessToken: options.initialAccessToken)
    (plan.issuer, plan.headers) = (found.provider.issuer, found.provider.headerLines)
    plan.key = metadata.keys == nil ? nil : key
    plan.isConfidential = use.isConfidential
    return plan
  }

  /// A client that keeps no secret is a public one (RFC 8252 section 8.4), unless the server has none of those or the grant
  /// is for none.
  private func methodName(isConfidential: Bool) -> String {
    if let method { return method.registeredNames[0] }
    if key != nil { return "private_key_jwt" }
    let offered = found.metadata?.authMethods
    if !isConfidential, offered?.contains("none") ?? true { return "none" }
    let withSecret = ["client_secret_basic", "client_secret_post", "client_secret_jwt"]
    return withSecret.first { offered?.contains($0) ?? true } ?? (isConfidential ? withSecret[0] : "none")
  }
}

extension LoginFlow {
  /// What a client is registered for that uses a grant.
  struct Registration {
    var grantTypes: [String]
    var responseTypes: [String] = []
    var comesBack = false
    var isConfidential = false
  }

  /// RFC 8628 section 3.4.
  static let deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

  /// Nil for a grant that no client is registered for by itself.
  var registration: Registration? {
    switch self {
    case .code:
      Registration(grantTypes: ["authorization_code", "refresh_token"], responseTypes: ["code"], comesBack: true)
    case .implicit:
      Registration(grantTypes: ["implicit"], responseTypes: ["token", "id_token token"], comesBack: true)
    case .device: Registration(grantTypes: [Self.deviceGrant, "refresh_token"])
    case .direct(.clientCredentials): Registration(grantTypes: ["client_credentials"], isConfidential: true)
    case .direct: nil
    }
  }
}

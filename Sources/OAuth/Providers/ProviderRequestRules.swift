internal import Crypto

/// The rules of what requests carry.
extension ProviderRules {
  func checkClient() throws(ProviderError) {
    if let flows = provider.flows, flows.isEmpty { throw fail(["flows"], "must name a flow") }
    guard let algorithm = provider.clientAuthAlg, let method = provider.clientAuth else { return }
    let isSymmetric = algorithm.rawValue.hasPrefix("HS")
    switch method {
    case .clientSecretJWT:
      if !isSymmetric { throw fail(["client_auth_alg"], "must be HS256, HS384 or HS512: a secret is no private key") }
    case .privateKeyJWT:
      if isSymmetric {
        throw fail(["client_auth_alg"], "is not for a private key: \(algorithm.rawValue) takes a secret")
      }
    case .none, .basic, .post, .tls:
      throw fail(["client_auth_alg"], "is for client-secret-jwt and private-key-jwt alone")
    }
  }

  func checkParameters() throws(ProviderError) {
    let scopeParam = provider.effectiveQuirks.effectiveScopeParam
    // A refresh may carry the redirect URI: some servers want it there.
    let token = TokenRequest.ownParameters
    try check(provider.authorizationParams, ["authorization_params"], AuthorizationRequest.ownParameters, scopeParam)
    try check(provider.tokenParams, ["token_params"], token + ["redirect_uri"])
    try check(provider.refreshParams, ["refresh_params"], token)
    try check(
      provider.deviceParams, ["device_params"], ["client_id", "client_assertion", "client_assertion_type"],
      provider.effectiveQuirks.device?.scopeParam ?? "scope")
    try check(headers: provider.headers, ["headers"])
  }

  func checkRegistration() throws(ProviderError) {
    for name in (provider.registration ?? [:]).keys.sorted() {
      let path = ["registration", name]
      if name == "scope" { throw fail(path, "is set by scopes") }
      if name == "software_statement" { throw fail(path, "is given with --software-statement-file") }
      if NearestKey.isSecret(name) { throw ProviderSchema.secretInFile(path, line: line(path)) }
      if name.isEmpty { throw fail(["registration"], "must name each member") }
      if ClientMetadata.ownMembers.contains(name) { throw fail(path, "is set by oauthctl itself") }
    }
  }

  func checkGrants() throws(ProviderError) {
    for (name, grant) in (provider.grants ?? [:]).sorted(by: { $0.key < $1.key }) {
      guard (1...32).contains(name.utf8.count), name.utf8.allSatisfy(Self.isFlowLetter) else {
        throw fail(["grants", name], "must have a name of 1 to 32 of a-z 0-9 _ -")
      }
      if Flow(rawValue: name) != nil { throw fail(["grants", name], "is a flow that oauthctl has itself") }
      guard Self.isVisible(grant.grantType) else {
        throw fail(["grants", name, "grant_type"], "must be a URI or a name without spaces")
      }
      try check(grant.params, ["grants", name, "params"], TokenRequest.ownParameters)
    }
  }

  private static func isFlowLetter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"),
      UInt8(ascii: "-"):
      true
    default: false
    }
  }

  private func check(
    _ params: [String: String]?, _ path: [String], _ own: [String], _ scopeParam: String? = nil
  ) throws(ProviderError) {
    for name in (params ?? [:]).keys.sorted() {
      if NearestKey.isSecret(name) { throw ProviderSchema.secretInFile(path + [name], line: line(path + [name])) }
      if name.isEmpty { throw fail(path, "must name each parameter") }
      if name == scopeParam { throw fail(path + [name], "is set by scopes") }
      if own.contains(name) { throw fail(path + [name], "is set by oauthctl itself") }
    }
  }

  /// - Parameter free: a name of our own that may be set all the same.
  func check(headers: [String: String]?, _ path: [String], free: String? = nil) throws(ProviderError) {
    for (name, value) in (headers ?? [:]).sorted(by: { $0.key < $1.key }) {
      guard HeaderLine.isSafe(name: name, value: value) else {
        throw fail(path + [name], "must be a header line: a name without spaces, a value without line breaks")
      }
      let plain = name.lowercased()
      if plain != free, HeaderLine.ownNames.contains(plain) { throw fail(path + [name], "is set by oauthctl itself") }
    }
  }
}

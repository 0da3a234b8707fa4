internal import Crypto

/// The rules of provider data that its types do not carry.
enum ProviderSchema {
  /// Checks names, URLs, ports and parameters.
  ///
  /// - Parameter line: gives the line of a key, where there is a file.
  static func validate(_ provider: Provider, line: @escaping ([String]) -> Int? = { _ in nil }) throws(ProviderError) {
    let rules = ProviderRules(provider: provider, line: line)
    try rules.checkTexts()
    try rules.checkURLs()
    try rules.checkRedirect()
    try rules.checkParameters()
    try rules.checkQuirks()
  }
}

private struct ProviderRules {
  let provider: Provider
  let line: ([String]) -> Int?

  private func fail(_ path: [String], _ problem: String) -> ProviderError {
    .badValue(key: path.joined(separator: "."), problem: problem, line: line(path))
  }

  func checkTexts() throws(ProviderError) {
    guard Name.isValid(provider.name) else { throw fail(["name"], Name.rule) }
    if let id = provider.clientID, !Self.isVisible(id, allowing: [0x20]) {
      throw fail(["client_id"], "must be printable ASCII")
    }
    let separator = provider.effectiveScopeSeparator
    guard (1...3).contains(separator.utf8.count), Self.isVisible(separator, allowing: [0x20]) else {
      throw fail(["scope_separator"], "must be one to three printable characters")
    }
    for scope in provider.scopes ?? [] {
      // RFC 6749 section 3.3 leaves out the quote and the backslash.
      guard Self.isVisible(scope), !scope.contains("\""), !scope.contains("\\"), !scope.contains(separator) else {
        throw fail(["scopes"], "must hold one scope an element")
      }
    }
    for (name, value) in (provider.variables ?? [:]).sorted(by: { $0.key < $1.key }) {
      guard Template.isName(name) else { throw fail(["variables", name], Template.rule) }
      guard value.isEmpty || Self.isVisible(value), !value.contains(where: { "{}".contains($0) }) else {
        throw fail(["variables", name], "must be part of a URL")
      }
    }
  }

  func checkURLs() throws(ProviderError) {
    var used: Set<String> = []
    func check(_ path: [String], _ url: String?, isIssuer: Bool = false, mayNameClient: Bool = false)
      throws(ProviderError)
    {
      guard let url else { return }
      guard let names = Template.names(in: url) else {
        throw fail(path, "has braces that hold no name: \(Template.rule)")
      }
      guard mayNameClient || !names.contains(Template.clientID) else {
        throw fail(path, "cannot hold {client_id}: that is for revocation alone")
      }
      guard WebURL.isAcceptable(Template.sample(url)) else { throw fail(path, WebURL.rule) }
      guard !url.contains("#") || path == ["register_url"] else { throw fail(path, "must have no fragment") }
      guard !isIssuer || !url.contains("?") else { throw fail(path, "must have no query") }
      used.formUnion(names)
    }
    try check(["issuer"], provider.issuer, isIssuer: true)
    for (key, path) in Endpoints.all {
      try check(["endpoints", key], provider.endpoints?[keyPath: path], mayNameClient: path == \Endpoints.revocation)
    }
    try check(["register_url"], provider.registerURL)
    if let stray = provider.variables?.keys.sorted().first(where: { !used.contains($0) }) {
      throw fail(["variables", stray], "is a variable that no URL has a place for: {\(stray)}")
    }
  }

  func checkRedirect() throws(ProviderError) {
    guard let redirect = provider.redirect else { return }
    guard Redirect.loopbackHosts.contains(redirect.effectiveHost) else {
      throw fail(["redirect", "host"], "must be one of \(Redirect.loopbackHosts.joined(separator: ", "))")
    }
    guard (1...100).contains(redirect.effectivePorts.count), redirect.effectivePorts.allSatisfy((0...65535).contains)
    else {
      throw fail(["redirect", "port"], "must be a list of 1 to 100 ports from 0 to 65535")
    }
    let path = redirect.effectivePath
    guard path.hasPrefix("/"), Self.isVisible(path), !path.contains(where: { "?#\\{}".contains($0) }) else {
      throw fail(["redirect", "path"], "must begin with a slash and have no query")
    }
  }

  func checkParameters() throws(ProviderError) {
    let scopeParam = provider.effectiveQuirks.effectiveScopeParam
    let authorization = AuthorizationRequest.ownParameters + [scopeParam]
    // A refresh may carry the redirect URI: some servers want it there.
    let token = TokenRequest.ownParameters
    for (key, params, own) in [
      ("authorization_params", provider.authorizationParams, authorization),
      ("token_params", provider.tokenParams, token + ["redirect_uri"]),
      ("refresh_params", provider.refreshParams, token),
    ] {
      for name in (params ?? [:]).keys.sorted() {
        if NearestKey.isSecret(name) { throw ProviderSchema.secretInFile([key, name], line: line([key, name])) }
        if name.isEmpty { throw fail([key], "must name each parameter") }
        if name == scopeParam, own == authorization { throw fail([key, name], "is set by scopes") }
        if own.contains(name) { throw fail([key, name], "is set by oauthctl itself") }
      }
    }
    let own = ["authorization", "content-length", "content-type", "dpop", "host", "transfer-encoding"]
    for (name, value) in (provider.headers ?? [:]).sorted(by: { $0.key < $1.key }) {
      guard HeaderLine.isSafe(name: name, value: value) else {
        throw fail(["headers", name], "must be a header line: a name without spaces, a value without line breaks")
      }
      if own.contains(name.lowercased()) { throw fail(["headers", name], "is set by oauthctl itself") }
    }
  }

  func checkQuirks() throws(ProviderError) {
    guard let quirks = provider.quirks else { return }
    for (key, value) in [
      ("scope_param", quirks.scopeParam), ("token_path", quirks.tokenPath), ("ok_field", quirks.okField),
    ] {
      if let value, !Self.isVisible(value) { throw fail(["quirks", key], "must be a name") }
    }
    for (code, meaning) in (quirks.errorAliases ?? [:]).sorted(by: { $0.key < $1.key }) {
      if code.isEmpty { throw fail(["quirks", "error_aliases"], "must name each error code") }
      guard Self.errorCodes.contains(meaning) else {
        let known = Self.errorCodes.joined(separator: ", ")
        throw fail(["quirks", "error_aliases", code], "must be one of \(known)")
      }
    }
    if let aliases = quirks.issuerAliases, !aliases.allSatisfy({ Self.isVisible($0) }) {
      throw fail(["quirks", "issuer_aliases"], "must be a list of issuers")
    }
    guard let style = quirks.revocation else { return }
    if let name = style.tokenParam, !Self.isVisible(name) {
      throw fail(["quirks", "revocation", "token_param"], "must be a name")
    }
    if style.tokens?.isEmpty == true { throw fail(["quirks", "revocation", "tokens"], "must name a token") }
    if style.body == RevocationStyle.Body.none, style.auth != .bearer {
      throw fail(["quirks", "revocation", "body"], "sends no token unless auth is bearer")
    }
    if style.auth == .bearer, style.body == RevocationStyle.Body.none, style.tokens?.contains(.refresh) ?? true {
      throw fail(["quirks", "revocation"], "authenticates by the access token: tokens must be [\"access\"]")
    }
  }

  /// The codes of RFC 6749 sections 4.1.2.1 and 5.2, RFC 8628 section 3.5, RFC 8707 section 2 and OpenID Connect Core
  /// section 3.1.2.6 that a program acts on.
  private static let errorCodes = [
    "access_denied", "authorization_pending", "consent_required", "expired_token", "interaction_required",
    "invalid_client", "invalid_grant", "invalid_request", "invalid_scope", "invalid_target", "login_required",
    "server_error", "slow_down", "temporarily_unavailable", "unauthorized_client", "unsupported_grant_type",
  ]

  private static func isVisible(_ text: String, allowing others: Set<UInt8> = []) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { ($0 > 0x20 && $0 < 0x7F) || others.contains($0) }
  }
}

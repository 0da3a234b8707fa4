/// The rules of what a provider does differently.
extension ProviderRules {
  func checkQuirks() throws(ProviderError) {
    guard let quirks = provider.quirks else { return }
    try checkNames(
      ["quirks"],
      [("scope_param", quirks.scopeParam), ("token_path", quirks.tokenPath), ("ok_field", quirks.okField)])
    try checkErrors(quirks.errorAliases, ["quirks", "error_aliases"])
    try checkFields(quirks.fieldAliases, ["quirks", "field_aliases"], TokenResponse.fields)
    for (name, meaning) in (quirks.fieldAliases ?? [:]).sorted(by: { $0.key < $1.key })
    where SensitiveNames.contains(meaning.utf8) && !SensitiveNames.contains(name.utf8) {
      throw fail(
        ["quirks", "field_aliases", name],
        "must end in token: what --verbose shows is cleared of secrets by their names")
    }
    if let aliases = quirks.issuerAliases,
      !aliases.allSatisfy({ Self.isVisible($0) && Template.names(in: $0) != nil })
    {
      throw fail(["quirks", "issuer_aliases"], "must be a list of issuers")
    }
  }

  func checkDevice() throws(ProviderError) {
    guard let style = provider.quirks?.device else { return }
    let path = ["quirks", "device"]
    try checkNames(
      path,
      [
        ("grant_type", style.grantType), ("code_param", style.codeParam), ("user_code_param", style.userCodeParam),
        ("scope_param", style.scopeParam), ("error_field", style.errorField),
      ])
    try checkFields(style.fieldAliases, path + ["field_aliases"], DeviceAuthorization.fields)
    for status in (style.statusErrors ?? [:]).keys.sorted() {
      guard status.utf8.count == 3, let number = Int(status), (400...499).contains(number) else {
        throw fail(path + ["status_errors", status], "must be a status from 400 to 499")
      }
    }
    try checkErrors(style.statusErrors, path + ["status_errors"])
  }

  func checkRevocation() throws(ProviderError) {
    guard let style = provider.quirks?.revocation else { return }
    let path = ["quirks", "revocation"]
    try checkNames(path, [("token_param", style.tokenParam)])
    if style.tokens?.isEmpty == true { throw fail(path + ["tokens"], "must name a token") }
    if style.body == RevocationStyle.Body.none, style.auth != .bearer {
      throw fail(path + ["body"], "sends no token unless auth is bearer")
    }
    if style.auth == .bearer, style.body == RevocationStyle.Body.none, style.tokens?.contains(.refresh) ?? true {
      throw fail(path, "authenticates by the access token: tokens must be [\"access\"]")
    }
  }

  func checkIntrospection() throws(ProviderError) {
    guard let style = provider.quirks?.introspection else { return }
    let path = ["quirks", "introspection"]
    try checkNames(path, [("scheme", style.scheme)])
    let place = style.tokenIn ?? .form
    if style.method == .get, place == .form || place == .json {
      throw fail(path + ["token_in"], "must be query, path or header: a GET has no body")
    }
    if place == .header, style.auth != .bearer {
      throw fail(path + ["token_in"], "sends no token unless auth is bearer")
    }
    // A secret in a URL would be in every log on the way.
    if style.method == .get, style.auth ?? .client == .client {
      throw fail(path + ["auth"], "must be basic, id, bearer or none: a GET carries no secret")
    }
  }

  func checkUserinfo() throws(ProviderError) {
    guard let style = provider.quirks?.userinfo else { return }
    try checkNames(["quirks", "userinfo"], [("scheme", style.scheme), ("identity", style.identity)])
    try check(headers: style.headers, ["quirks", "userinfo", "headers"], free: "accept")
  }

  private func checkNames(_ path: [String], _ names: [(key: String, value: String?)]) throws(ProviderError) {
    for (key, value) in names {
      if let value, !Self.isVisible(value) { throw fail(path + [key], "must be a name") }
    }
  }

  private func checkFields(
    _ aliases: [String: String]?, _ path: [String], _ fields: [String]
  ) throws(ProviderError) {
    for (name, meaning) in (aliases ?? [:]).sorted(by: { $0.key < $1.key }) {
      if name.isEmpty { throw fail(path, "must name each field") }
      guard fields.contains(meaning) else {
        throw fail(path + [name], "must be one of \(fields.joined(separator: ", "))")
      }
    }
  }

  private func checkErrors(_ codes: [String: String]?, _ path: [String]) throws(ProviderError) {
    for (code, meaning) in (codes ?? [:]).sorted(by: { $0.key < $1.key }) {
      if code.isEmpty { throw fail(path, "must name each error code") }
      guard Self.errorCodes.contains(meaning) else {
        let known = Self.errorCodes.joined(separator: ", ")
        throw fail(path + [code], "must be one of \(known)")
      }
    }
  }

  /// The codes of RFC 6749 sections 4.1.2.1 and 5.2, RFC 8628 section 3.5, RFC 8707 section 2 and OpenID Connect Core
  /// section 3.1.2.6 that a program acts on.
  private static let errorCodes = [
    "access_denied", "authorization_pending", "consent_required", "expired_token", "interaction_required",
    "invalid_client", "invalid_grant", "invalid_request", "invalid_scope", "invalid_target", "login_required",
    "server_error", "slow_down", "temporarily_unavailable", "unauthorized_client", "unsupported_grant_type",
  ]
}

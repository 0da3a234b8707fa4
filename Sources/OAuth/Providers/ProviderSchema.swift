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
    try rules.checkClient()
    try rules.checkParameters()
    try rules.checkRegistration()
    try rules.checkGrants()
    try rules.checkQuirks()
    try rules.checkDevice()
    try rules.checkRevocation()
    try rules.checkIntrospection()
    try rules.checkUserinfo()
  }
}

/// The rules of one provider, and where its keys stand.
struct ProviderRules {
  let provider: Provider
  let line: ([String]) -> Int?

  func fail(_ path: [String], _ problem: String) -> ProviderError {
    // A key that only its default makes wrong stands nowhere: the object that lacks it does.
    let places = (1...path.count).reversed().lazy.compactMap { line(Array(path.prefix($0))) }
    return .badValue(key: path.joined(separator: "."), problem: problem, line: places.first)
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
    if let audience = provider.audience, !Self.isVisible(audience) {
      throw fail(["audience"], "must be a name without spaces")
    }
    for resource in provider.resource ?? [] {
      // RFC 8707 section 2: an absolute URI, without a fragment.
      guard Self.isVisible(resource), resource.contains(":"), !resource.contains("#") else {
        throw fail(["resource"], "must be a list of absolute URIs without a fragment")
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

  static func isVisible(_ text: String, allowing others: Set<UInt8> = []) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { ($0 > 0x20 && $0 < 0x7F) || others.contains($0) }
  }
}

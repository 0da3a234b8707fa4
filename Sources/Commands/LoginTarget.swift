internal import CLI
internal import Flows
internal import OAuth

/// What `login` was pointed at: a provider by name, or an issuer or a resource by URL, and the account to be.
struct LoginTarget: Sendable {
  let provider: Provider
  var account: Account
  /// The URL, where nobody has said yet what it is of.
  var place: Place?
  /// Whether the provider is what an earlier login found.
  var isKept = false
  /// Whether the provider is a file of the user's, who may have changed it since an earlier login.
  var isUsersOwn = false

  /// A URL of an issuer or of a resource.
  struct Place: Sendable {
    let url: String
    /// Whether an earlier login has found an issuer there.
    let isIssuerLikely: Bool
  }

  /// Finds the provider and the account of an operand.
  static func find(_ operand: String, _ invocation: Invocation, _ environment: Environment) throws -> LoginTarget {
    if operand.contains("://") { return try url(operand, environment) }
    let name = try invocation.account(operand)
    var target = try known(name.provider, environment)
    target.account = try account(name, environment)
    return target
  }

  /// A provider of the user's or of the catalogue; else the one that an earlier login kept.
  private static func known(_ name: String, _ environment: Environment) throws -> LoginTarget {
    if let (provider, source) = try environment.providers.find(name) {
      return LoginTarget(provider: provider, account: Account(provider: name), isUsersOwn: source == .user)
    }
    for account in try environment.sessions.accounts(of: name) {
      guard let session = try? environment.sessions.load(account) else { continue }
      return LoginTarget(provider: session.provider, account: account, isKept: true)
    }
    throw environment.providers.unknown(name)
  }

  /// As everywhere, a bare provider means its only account, else the default one; several without a default are told apart
  /// by the user.
  private static func account(_ name: AccountName, _ environment: Environment) throws -> Account {
    if let label = name.account { return Account(provider: name.provider, name: label) }
    let accounts = try environment.sessions.accounts(of: name.provider)
    let usual = Account(provider: name.provider)
    if accounts.isEmpty || accounts.contains(usual) { return usual }
    guard accounts.count == 1 else { throw AccountError.ambiguous(provider: name.provider, accounts: accounts) }
    return accounts[0]
  }

  private static func url(_ text: String, _ environment: Environment) throws -> LoginTarget {
    guard WebURL.isAcceptable(text) else {
      throw Failure(.usage, "\(Quoting.quote(text)) is no issuer and no resource", hint: "it \(WebURL.rule)")
    }
    // RFC 8414 section 2; RFC 9728 section 1.2 has resources without a query as a rule.
    guard !text.contains("?"), !text.contains("#") else {
      throw Failure(
        .usage, "\(Quoting.quote(text)) is no issuer and no resource",
        hint: "it must have no query and no fragment")
    }
    if let own = environment.providers.own(at: text) {
      return LoginTarget(
        provider: own, account: try account(AccountName(provider: own.name), environment), isUsersOwn: true)
    }
    let provider = Provider(name: IssuerName.name(of: text))
    var isIssuerLikely = false
    // Two URLs may make one name: neither login may take the other's place.
    for account in try environment.sessions.accounts(of: provider.name) {
      guard let session = try? environment.sessions.load(account) else { continue }
      guard session.provider.isKnown(by: text) else {
        throw Failure(
          .configuration, "the name \(provider.name) belongs to a login at another URL",
          hint: "give this one a name of its own: 'oauthctl providers add NAME --issuer \(text)'")
      }
      isIssuerLikely = session.provider.resource == nil
    }
    return LoginTarget(
      provider: provider, account: try account(AccountName(provider: provider.name), environment),
      place: Place(url: text, isIssuerLikely: isIssuerLikely))
  }
}

extension ProviderDirectory {
  /// The user's own provider for a resource, or an issuer, at a URL.
  func own(at url: String) -> Provider? {
    let files = all { _ in }.filter { $0.source == .user }.map(\.provider)
    return files.first { $0.resource?.first == url } ?? files.first { $0.issuer == url && $0.resource == nil }
      ?? files.first { $0.issuer == url }
  }
}

extension Provider {
  /// Whether a login at this URL has made it: at the issuer's own, or at a resource's, which may go by the name of its whole
  /// host.
  fileprivate func isKnown(by url: String) -> Bool {
    guard let resource = resource?.first else { return issuer == url }
    return url == resource || url.hasPrefix(resource.hasSuffix("/") ? resource : resource + "/")
  }
}

internal import CLI
internal import Flows
internal import OAuth

/// What `login` was pointed at: a provider by name, or an issuer by URL, and the account to be.
struct LoginTarget: Sendable {
  let provider: Provider
  let account: Account
  /// Whether the provider's data is but what an earlier login found out.
  var isKept = false

  /// Finds the provider and the account of an operand.
  static func find(_ operand: String, _ invocation: Invocation, _ environment: Environment) throws -> LoginTarget {
    if operand.contains("://") { return try issuer(operand, environment) }
    let name = try invocation.account(operand)
    let (provider, isKept) = try known(name.provider, environment)
    return LoginTarget(provider: provider, account: try account(name, environment), isKept: isKept)
  }

  /// A provider of the user's or of the catalogue; else the one that an earlier login kept.
  private static func known(_ name: String, _ environment: Environment) throws -> (Provider, isKept: Bool) {
    if let (provider, _) = try environment.providers.find(name) { return (provider, false) }
    for account in try environment.sessions.accounts(of: name) {
      if let session = try? environment.sessions.load(account) { return (session.provider, true) }
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

  private static func issuer(_ text: String, _ environment: Environment) throws -> LoginTarget {
    guard WebURL.isAcceptable(text) else {
      throw Failure(.usage, "\(Quoting.quote(text)) is no issuer", hint: "it \(WebURL.rule)")
    }
    // RFC 8414 section 2
    guard !text.contains("?"), !text.contains("#") else {
      throw Failure(.usage, "\(Quoting.quote(text)) is no issuer", hint: "it must have no query and no fragment")
    }
    let own = environment.providers.all { _ in }.first { $0.source == .user && $0.provider.issuer == text }?.provider
    let provider = own ?? IssuerName.provider(issuer: text)
    // Two URLs may make one name: neither login may take the other's place.
    for account in own == nil ? try environment.sessions.accounts(of: provider.name) : [] {
      guard let session = try? environment.sessions.load(account), session.provider.issuer != text else { continue }
      throw Failure(
        .configuration, "the name \(provider.name) belongs to a login at another issuer",
        hint: "give this one a name of its own: 'oauthctl providers add NAME --issuer \(text)'")
    }
    return LoginTarget(
      provider: provider,
      account: try account(AccountName(provider: provider.name), environment))
  }
}

internal import CLI
internal import Flows
internal import OAuth

/// Finds the session that a name means, and says it well where there is none.
struct AccountLookup {
  private let environment: Environment

  init(_ environment: Environment) {
    self.environment = environment
  }

  /// Gives the account and its token; the provider's data is looked at only where nothing is stored.
  func find(_ name: AccountName) throws -> (account: Account, stored: StoredToken) {
    let sessions = environment.sessions
    do {
      return try sessions.find(name, sessions.loadToken)
    } catch AccountError.none(let account, let others) {
      throw try missing(account, others: others)
    }
  }

  /// The account that a name means, whether or not its item can be read.
  func locate(_ name: AccountName) throws -> Account {
    let sessions = environment.sessions
    do {
      return try sessions.find(name, sessions.loadToken).account
    } catch let SessionError.unreadable(account) {
      return account
    } catch let SessionError.newer(account, _) {
      return account
    } catch AccountError.none(let account, let others) {
      throw try missing(account, others: others)
    }
  }

  /// The issuer whose URL made a provider's name, as a client that is kept still knows it.
  private func issuer(named name: String) throws -> String? {
    let clients = environment.clients
    for id in try clients.ids(provider: name) {
      guard let issuer = try? clients.load(id, provider: name)?.knownServer?.issuer else { continue }
      if IssuerName.name(of: issuer) == name { return issuer }
    }
    return nil
  }

  /// Nobody is logged in there: an unknown account where the provider has others, an unknown provider, or no login yet.
  private func missing(_ account: Account, others: [Account]) throws -> Failure {
    if others.isEmpty, try environment.providers.find(account.provider) == nil {
      if let issuer = try issuer(named: account.provider) {
        return Failure(
          .loginRequired, "not logged in to \(account)", hint: "run '\(TypedCommand.text("login", issuer))'")
      }
      return environment.providers.unknown(account.provider)
    }
    guard !others.isEmpty else { return Failure(AccountError.none(account, others: [])) }
    let names = others.map(\.fullName)
    let full = account.fullName
    let near = Suggestion.nearest(to: account.name, among: others.map(\.name))
    return Failure(
      .configuration, "unknown account '\(full)': \(account.provider) has \(names.joined(separator: ", "))",
      hint: near.map { "did you mean '\(account.provider)/\($0)'?" }
        ?? "log in there with '\(TypedCommand.text("login", full))'")
  }
}

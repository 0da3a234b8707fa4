internal import CLI
internal import Crypto
internal import Flows
internal import OAuth

/// `oauthctl login`: gets tokens and stores them.
enum LoginCommand: Command {
  static let name = "login"
  static let spec = CommandSpec(
    name: name, summary: "log in at a provider and keep its tokens in the keyring",
    discussion:
      "Opens the provider's page in a browser and waits for it to come back to a port of this machine, with PKCE. Where no browser can be opened, or with --no-browser, the page's URL is printed; the redirect URL can be pasted at the prompt, too. With an https:// issuer in PROVIDER's place, its endpoints are discovered. \(SharedOptions.secretFiles)",
    operands: [
      OperandSpec(
        "PROVIDER[/ACCOUNT]|URL", arity: .required, completion: .dynamic("targets"),
        help: "the provider, as google or google/work, or an issuer's URL")
    ],
    options: LoginOptions.specs,
    examples: [
      Example("oauthctl login github", "log in with the browser"),
      Example("oauthctl login google/work --scope 'openid email'", "a second account, with scopes of its own"),
      Example("oauthctl login https://login.example.com --client-id abc", "any OpenID Connect issuer"),
      Example("oauthctl login github --no-browser", "over SSH: paste the redirect URL"),
    ])

  static func run(_ invocation: Invocation, _ environment: Environment) throws {
    let options = try LoginOptions(invocation, environment)
    let target = try LoginTarget.find(options.target, invocation, environment)
    // Read before anyone is sent away: a keyring that cannot be read now could not keep the tokens either.
    let stored = try existing(target.account, environment)
    let http = try environment.makeHTTP()
    let saved = try environment.wait {
      do {
        return try await alone(target.account, environment) {
          try await logIn(options, target, stored, http, environment)
        }
      } catch {
        throw Failure(error, login: target.account.description)
      }
    }
    try report(target.account, saved, environment.output)
  }

  /// The session that the login will replace; one that cannot be read is replaced too, one of a newer version is not.
  private static func existing(_ account: Account, _ environment: Environment) throws -> Session? {
    do {
      return try environment.sessions.load(account)
    } catch SessionError.unreadable {
      return nil
    } catch StoreError.otherKeyringLocked {
      // The new one is stored in the default keyring, which is open.
      return nil
    }
  }

  /// Lets one login of an account go on at a time: of two, one person would be sent to two pages.
  ///
  /// The lock is not the account's own: its token can be had, and renewed, while somebody looks for a password.
  private static func alone(
    _ account: Account, _ environment: Environment, _ body: @Sendable () async throws -> Session
  ) async throws -> Session {
    // What the body throws is its own: the account's lock, too, may be busy.
    let outcome: Result<Session, any Error>
    do {
      outcome = try await environment.lock.withLock("login \(account.fullName)", limit: .zero) {
        do { return .success(try await body()) } catch { return .failure(error) }
      }
    } catch LockError.busy(let holder, _) {
      throw Failure(
        .temporary,
        "a login to \(account) is in progress already\(holder.map { " (pid \($0))" } ?? "")",
        hint: "finish it in its browser, or end it\(holder.map { ": kill \($0)" } ?? "")")
    }
    return try outcome.get()
  }

  private static func logIn(
    _ options: LoginOptions, _ target: LoginTarget, _ stored: Session?, _ http: any HTTPClient,
    _ environment: Environment
  ) async throws -> Session {
    environment.terminal.status("looking up \(target.account.provider)")
    defer { environment.terminal.status(nil) }
    let found = try await DiscoverProvider(http: http).complete(options.applied(to: target.provider))
    environment.terminal.status(nil)
    var provider = found.provider
    if options.skipsPKCE { provider.pkce = CodeChallengeMethod.none }
    let chosen = try await ClientChoice(environment, provider, options).choose(stored: stored)
    var client = chosen
    if client.method == nil, provider.clientAuth == nil, client.secret != nil { client.method = found.secretMethod }
    var plan = BrowserLogin.Plan(
      provider: provider, client: client, scopes: options.scopes ?? provider.scopes ?? [],
      redirect: try options.redirect(of: provider))
    plan.requiresIssuer = found.requiresIssuer
    plan.authorizationParameters = options.authorizationParameters
    plan.tokenParameters = options.tokenParameters
    plan.timeout = options.timeout
    let login = BrowserLogin(
      http: http, time: environment.time, listeners: environment.listeners,
      browser: options.opensBrowser ? environment.makeBrowser(options.browser, options.isPrivate) : nil,
      terminal: environment.terminal, random: environment.random)
    let (tokens, identity) = try await login.run(plan)
    Checkpoint.loggedIn.reached()
    let session = Session(
      provider: provider, account: target.account.name, clientID: client.id, clientAuth: client.method,
      requestedScopes: plan.scopes, tokens: tokens, identity: identity)
    environment.terminal.status("saving the tokens")
    let saved = try await KeepLogin(store: environment.store, lock: environment.lock, time: environment.time).keep(
      session, client: chosen, as: target.account)
    environment.terminal.status(nil)
    if let stored {
      if let before = stored.identity, let identity, before != identity {
        environment.output.warn("this login replaces the one of \(PrintableText.printable(before, limit: 80))")
      }
      await RevokeSession(store: environment.store, lock: environment.lock, http: http).revokeReplaced(
        stored, by: saved)
    }
    return saved
  }

  private static func report(_ account: Account, _ session: Session, _ output: Output) throws {
    let person = session.identity.map { " as \(PrintableText.printable($0, limit: 80))" } ?? ""
    output.note(
      "logged in to \(PrintableText.printable(session.provider.effectiveTitle, limit: 80))\(person); try 'oauthctl token \(account)'"
    )
    if session.tokens.refreshToken == nil, session.tokens.expiresAt != nil {
      output.note("the provider gave no refresh token: log in again when this one ends")
    }
    guard output.isJSON else { return }
    var members = AccountJSON.name(account)
    members["result"] = .string("ok")
    members.merge(AccountJSON.expiryAndScope(session)) { own, _ in own }
    try output.answer(.object(members))
  }
}

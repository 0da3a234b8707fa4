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
      "Opens the provider's page in a browser and waits for it to come back to a port of this machine, with PKCE. Where no browser can be opened, or with --no-browser, the page's URL is printed; the redirect URL can be pasted at the prompt, too. For a browser of another machine, --print-url begins a login and --finish ends it: what belongs to it waits in the keyring meanwhile. With an https:// URL in PROVIDER's place, of an issuer or of a resource such as an MCP server, what it takes to log in there is discovered. Where no client is known and the server registers them, one is registered; its secrets are in the keyring. An account that is logged in already is logged in again as it was, with the former login's grant, client, scopes and the like, unless options say otherwise or the provider's file has changed since; with --anew, or after a logout, it begins anew. \(SharedOptions.secretFiles)",
    operands: [
      OperandSpec(
        "PROVIDER[/ACCOUNT]|URL", arity: .optional, completion: .dynamic("targets"),
        help: "the provider, as google or google/work, or the URL of an issuer or a resource; not with --finish")
    ],
    options: LoginOptions.specs,
    examples: [
      Example("oauthctl login github", "log in with the browser"),
      Example("oauthctl login google/work --scope 'openid email'", "a second account, with scopes of its own"),
      Example("oauthctl login https://login.example.com --client-id abc", "any OpenID Connect issuer"),
      Example("oauthctl login https://mcp.example.com/mcp", "an MCP server, or any protected resource"),
      Example("oauthctl login github --no-browser", "over SSH: paste the redirect URL"),
      Example("oauthctl login github --flow device", "enter a code on another device"),
      Example("oauthctl login acme --flow client-credentials --client-secret-file FILE", "the client's own token"),
      Example("oauthctl login google --flow jwt-bearer --assertion-file key.json", "a service account's key"),
      Example("oauthctl login acme --private-key-file key.pem --dpop", "no shared secret, tokens bound to a key"),
      Example("oauthctl login github --print-url", "begin a login for any browser"),
      Example("oauthctl login --finish ID <address.txt", "finish it with the address that the browser ended at"),
    ])

  static func run(_ invocation: Invocation, _ environment: Environment) throws {
    if invocation.has("finish") { return try TwoStepCommand.finish(invocation, environment) }
    guard !invocation.operands.isEmpty else {
      throw Failure(
        .usage, "\(spec.operands[0].placeholder) is missing for 'oauthctl login'",
        hint: "see 'oauthctl login --help'")
    }
    let given = try LoginOptions(invocation, environment)
    let target = try LoginTarget.find(given.target, invocation, environment)
    if let named = given.flow { try LoginFlow.check(named, target.provider) }
    // Read before anyone is sent away: a keyring that cannot be read now could not keep the tokens either.
    let stored = try existing(target.account, environment)
    let (options, again) = fill(given, target, stored, invocation, environment)
    let name = options.flow ?? LoginFlow.usual(target.provider)
    try LoginOptionFit.check(invocation, name, isFormer: given.flow == nil && options.flow != nil)
    try LoginOptionFit.checkSecret(invocation, name, pushes: options.pushesRequest || target.provider.par == true)
    // Before anybody is asked for a password: whose it is may come from there.
    if let sentence = again?.sentence { environment.output.note(sentence) }
    let flow = try LoginFlow.make(name, target.provider, invocation, environment, options.formerGrant)
    TwoStepCommand.tidy(environment)
    if options.isTwoStep {
      return try TwoStepCommand.begin(flow, target, stored, options, invocation, environment)
    }
    let network = try environment.makeNetwork()
    let saved = try environment.wait {
      do {
        return try await alone(target.account, environment) {
          try await Login(environment, network, options).run(flow, target, stored)
        }
      } catch {
        throw Failure(error, login: target.account.description)
      }
    }
    try report(target.account, saved, environment.output)
  }

  /// Takes over from the account's former login what the options leave open.
  private static func fill(
    _ given: LoginOptions, _ target: LoginTarget, _ stored: Session?, _ invocation: Invocation,
    _ environment: Environment
  ) -> (LoginOptions, LoginAgain?) {
    guard let stored, !given.beginsAnew else { return (given, nil) }
    var options = given
    var again = LoginAgain(stored, target, invocation)
    again.fill(&options, isClientNamed: environment.setting("CLIENT_ID", provider: target.provider.name) != nil)
    if options.isForOtherServer {
      environment.output.note(
        "the former login of \(target.account) was at another server, so nothing of it is taken over")
    }
    return (options, again)
  }

  /// The session that the login will replace; one that cannot be read is replaced too, one of a newer version is not.
  static func existing(_ account: Account, _ environment: Environment) throws -> Session? {
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
  static func alone<Value: Sendable>(
    _ account: Account, _ environment: Environment, _ body: @Sendable () async throws -> Value
  ) async throws -> Value {
    // What the body throws is its own: the account's lock, too, may be busy.
    let outcome: Result<Value, any Error>
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

  static func report(_ account: Account, _ session: Session, _ output: Output) throws {
    let person = session.identity.map { " as \(PrintableText.printable($0, limit: 80))" } ?? ""
    output.note(
      "logged in to \(PrintableText.printable(session.provider.effectiveTitle, limit: 80))\(person); try 'oauthctl token \(account)'"
    )
    if !session.isRenewable, session.tokens.expiresAt != nil {
      output.note("the provider gave no refresh token: log in again when this one ends")
    }
    guard output.isJSON else { return }
    var members = AccountJSON.name(account)
    members["result"] = .string("ok")
    members.merge(AccountJSON.expiryAndScope(session)) { own, _ in own }
    try output.answer(.object(members))
  }
}

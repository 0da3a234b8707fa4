internal import CLI
internal import Crypto
internal import Flows
internal import FoundationEssentials
internal import Host
internal import OAuth

/// `oauthctl login --print-url` and `oauthctl login --finish`: a login in two steps, for a browser of another machine.
enum TwoStepCommand {
  /// Removes what nobody has finished in time; that it cannot be done now is no reason for a login to end.
  static func tidy(_ environment: Environment) {
    try? environment.begunLogins.deleteExpired(now: environment.time.now)
  }

  /// The first step: prints the URL and the id.
  static func begin(
    _ flow: LoginFlow, _ target: LoginTarget, _ stored: Session?, _ options: LoginOptions, _ invocation: Invocation,
    _ environment: Environment
  ) throws {
    try check(flow, options, invocation)
    let network = try environment.makeNetwork()
    let (login, begun) = try environment.wait {
      do {
        return try await LoginCommand.alone(target.account, environment) {
          try await Login(environment, network, options).begin(flow, target, stored)
        }
      } catch {
        throw Failure(error, login: target.account.description)
      }
    }
    let output = environment.output
    if output.isJSON {
      var members = AccountJSON.name(target.account)
      members["id"] = .string(login.id.description)
      members["url"] = .string(begun.url)
      members["expires_at"] = .string(login.id.expiresAt.rfc3339)
      if let end = begun.urlEndsAt { members["url_expires_at"] = .string(end.rfc3339) }
      try output.answer(.object(members))
    } else {
      try output.answer("\(begun.url)\n\(login.id)\n")
    }
    output.note(TwoStepRedirect.explanation(login.authorization.redirectURI))
    let now = environment.time.now
    if let end = begun.urlEndsAt, end < login.id.expiresAt {
      output.note(
        "the server keeps this request for a short time: open it \(Relative.text(end.timeIntervalSince(now)))")
    }
    output.note("then run 'oauthctl login --finish \(login.id)' here, before \(login.id.expiresAt.rfc3339)")
  }

  /// The second step: takes the redirect URL, and stores the tokens.
  static func finish(_ invocation: Invocation, _ environment: Environment) throws {
    try checkAlone(invocation)
    let id = invocation.value("finish") ?? ""
    let (store, time) = (environment.begunLogins, environment.time)
    let account = try begun(id, environment).target
    let stored = try LoginCommand.existing(account, environment)
    let pasted = try environment.terminal.isInteractive ? nil : handedOver(environment)
    let options = try LoginOptions(invocation, environment)
    let network = try environment.makeNetwork()
    let saved = try environment.wait {
      do {
        return try await LoginCommand.alone(account, environment) {
          // Once more, now that no other run can use it up.
          let login = try await offPool { try store.load(id, now: time.now) }
          return try await Login(environment, network, options).finish(login, pasted: pasted, stored)
        }
      } catch {
        throw Failure(error, login: account.description)
      }
    }
    try LoginCommand.report(account, saved, environment.output)
    tidy(environment)
  }

  /// The login that is meant; with what has ended all else that has goes, now that it was told.
  private static func begun(_ id: String, _ environment: Environment) throws -> PendingLogin {
    do {
      return try environment.begunLogins.load(id, now: environment.time.now)
    } catch PendingLoginFailure.expired(let id) {
      tidy(environment)
      throw PendingLoginFailure.expired(id)
    }
  }

  /// What standard input holds; nothing but an end of input is as good as an empty line.
  private static func handedOver(_ environment: Environment) throws -> String {
    do {
      return try environment.readSecret("-").reveal()
    } catch FileError.empty {
      return ""
    }
  }

  private static func check(_ flow: LoginFlow, _ options: LoginOptions, _ invocation: Invocation) throws(Failure) {
    switch flow {
    case .code, .implicit: break
    case .device:
      throw Failure(
        .usage, "a device login has no second step", hint: "log in by 'oauthctl login \(options.target) --flow device'")
    case .direct:
      throw Failure(.usage, "this grant needs no browser", hint: "leave --print-url out")
    }
    if let timeout = options.timeout, timeout < .seconds(1) {
      throw Failure(
        .usage, "with this --timeout the login has ended before anybody can finish it",
        hint: "leave --timeout out for 15 minutes, or give it as 10m or 1h")
    }
    for option in ["browser", "private"] where invocation.has(option) {
      throw Failure(.usage, "--print-url opens no browser", hint: "leave --\(option) out")
    }
  }

  /// All else was said when the login began.
  private static func checkAlone(_ invocation: Invocation) throws(Failure) {
    if let name = invocation.operand(0) {
      throw Failure(.usage, "--finish takes no account, but \(Quoting.quote(name)) is named", hint: "leave it out")
    }
    let own = ["finish", "json", "cacert"]
    guard let other = LoginOptions.specs.first(where: { !own.contains($0.name) && invocation.has($0.name) }) else {
      return
    }
    throw Failure(
      .usage, "--\(other.name) does not go with --finish", hint: "give it when the login begins, beside --print-url")
  }
}

extension Login {
  /// Makes the request, and leaves in the keyring what another run needs to finish the login.
  func begin(
    _ flow: LoginFlow, _ target: LoginTarget, _ stored: Session?
  ) async throws -> (login: PendingLogin, begun: BrowserLogin.Begun) {
    let prepared = try await prepare(flow, target, stored)
    let client = prepared.client
    guard case .paste(let redirectURI) = prepared.plan.redirect else {
      throw Failure(.bug, "a login in two steps would listen")
    }
    let begun: BrowserLogin.Begun
    do {
      var plan = prepared.plan
      // A signed request is good for as long as the login waits.
      plan.timeout = lifetime
      begun = try await browserLogin.begin(plan, redirectURI: redirectURI)
    } catch {
      throw flow.failure(error, options.target, prepared.plan.client, prepared.metadata) ?? error
    }
    let (clients, store, now) = (environment.clients, environment.begunLogins, environment.time.now)
    let id = PendingLoginID(
      expiresAt: now.addingTimeInterval(Double(lifetime.components.seconds)),
      random: try network.random(3))
    let login = try await offPool {
      let kept = try clients.load(client.id, provider: target.account.provider)
      var login = PendingLogin(
        id: id, account: target.account.name, client: kept == client ? nil : client.without(kept), plan: begun.plan,
        authorization: begun.authorization, startedAt: now)
      login.replaced = prepared.registered.replaced
      try store.save(login)
      return login
    }
    return (login, begun)
  }

  /// Redeems what came back, and keeps the tokens in the place of those of an earlier login.
  func finish(_ login: PendingLogin, pasted: String?, _ stored: Session?) async throws -> Session {
    let (clients, store) = (environment.clients, environment.begunLogins)
    let kept = try await offPool { try clients.load(login.clientID, provider: login.provider.name) }
    let client = (login.client ?? ClientRegistration(id: login.clientID)).completed(kept, at: login.provider)
    var plan = login.plan(client, now: environment.time.now)
    plan.keySets = KeySetStore(environment.store)
    let result: LoginResult
    do {
      result = try await browserLogin.finish(login, plan, pasted: pasted) {
        // What cannot be removed now ends by itself.
        try? await offPool { try store.delete(login) }
      }
    } catch {
      let target = login.target.description
      throw await RegisterAtLogin.refusal(error, of: plan.client, target, environment, network) ?? error
    }
    Checkpoint.loggedIn.reached()
    let saved = try await keep(
      result, plan, client, LoginTarget(provider: plan.provider, account: login.target), stored, read: kept)
    await RegisterAtLogin.forget(login.replaced, of: plan.provider, environment, network)
    return saved
  }

  /// How long a login waits for its second step: a code lasts ten minutes at most servers, and a page takes its time.
  private var lifetime: Duration { options.timeout ?? .seconds(900) }

  private var browserLogin: BrowserLogin {
    BrowserLogin(
      network: network, listeners: environment.listeners, browser: nil, terminal: environment.terminal)
  }
}

extension ClientRegistration {
  /// Gives what the login changes of a client: all else may be another by the time that the login is finished, and is then
  /// neither used nor put back.
  fileprivate func without(_ kept: ClientRegistration?) -> ClientRegistration {
    guard let kept else { return self }
    var client = self
    client.management = nil
    if secret == kept.secret { (client.secret, client.secretExpiresAt) = (nil, nil) }
    if key == kept.key { client.key = nil }
    if certificate == kept.certificate { client.certificate = nil }
    if algorithm == kept.algorithm { client.algorithm = nil }
    return client
  }

  /// Gives the client with what the keyring has of it by now, as far as it was given for the login's server.
  fileprivate func completed(_ kept: ClientRegistration?, at provider: Provider) -> ClientRegistration {
    guard var kept else { return self }
    if !kept.mayProveItself(to: ClientServer(provider)) { kept = kept.withoutMeans }
    var client = self
    client.management = management ?? kept.management
    if secret == nil, method != ClientAuthMethod.none {
      (client.secret, client.secretExpiresAt) = (kept.secret, kept.secretExpiresAt)
    }
    client.key = key ?? kept.key
    client.certificate = certificate ?? kept.certificate
    client.algorithm = algorithm ?? kept.algorithm
    client.method = method ?? kept.method
    let here = ClientServer(provider)
    client.server = server ?? (client.hasMeans && here.isKnown ? here : nil)
    return client
  }
}

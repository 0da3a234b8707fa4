internal import Crypto
internal import FoundationEssentials
internal import OAuth

/// Logs in with the authorization code grant and PKCE: the user's browser goes to the provider, and its way back is
/// raced by the loopback listener and a pasted URL.
public struct BrowserLogin: Sendable {
  /// How long the server may take to answer after somebody has interrupted the login.
  static let grace = Duration.seconds(2)

  let network: Network
  private let listeners: any CallbackListenerFactory
  private let browser: (any Browser)?
  let terminal: any UserTerminal
  private let confirm: ConfirmIdentity

  /// Works on the given ports; without a browser the user opens the URL.
  public init(
    network: Network, listeners: any CallbackListenerFactory, browser: (any Browser)?, terminal: any UserTerminal
  ) {
    self.network = network
    self.listeners = listeners
    self.browser = browser
    self.terminal = terminal
    confirm = ConfirmIdentity(network: network, terminal: terminal)
  }

  /// Gets the tokens; the caller saves them.
  ///
  /// - Throws: ``FlowError``, ``ListenerError``, `TokenFailure`, ``TransportError``, `IDToken.Mismatch`, `KeyError`,
  ///   `CancellationError`.
  public func run(_ plan: LoginPlan) async throws -> LoginResult {
    // The listener is bound before anyone is sent away: what comes back finds it, and no other program has its port.
    let (listener, redirectURI) = try await offPool { try listen(plan.redirect) }
    guard listener != nil || terminal.isInteractive else { throw FlowError.noWayBack(redirectURI: redirectURI) }
    let pending = try pending(plan, redirectURI)
    let sent = try await address(pending, plan)
    // Looking for a browser may ask other programs.
    try await offPool { show(sent.url) }
    Checkpoint.browserSent.reached()
    // Read while the person is away: what comes back is not kept waiting.
    let keys = Task { await confirm.keys(of: plan) }
    defer { keys.cancel() }
    var result: LoginResult
    switch try await firstAnswer(to: pending, listener: listener, sent.plan) {
    case .code(let code): result = try await redeem(code, sent.plan)
    case .result(let redeemed): result = redeemed
    }
    result.identity = try await confirm.confirm(result, plan, nonce: pending.nonce, keys: await keys.value)
    return result
  }

  private func pending(_ plan: LoginPlan, _ redirectURI: String) throws -> PendingAuthorization {
    PendingAuthorization(
      random: try network.random(96), method: plan.provider.effectivePKCE, usesOpenID: plan.scopes.contains("openid"),
      redirectURI: redirectURI, issuer: plan.provider.issuer, requiresIssuer: plan.requiresIssuer,
      isImplicit: plan.isImplicit)
  }

  private func redeem(_ code: AuthorizationCode, _ plan: LoginPlan) async throws -> LoginResult {
    Checkpoint.codeReceived.reached()
    terminal.status("getting the tokens")
    defer { terminal.status(nil) }
    // A code is good for once, and at some servers what it brings ends the tokens that are stored: so Ctrl-C gives the
    // server a moment to answer, and no more, because somebody sits there and waits.
    return try await Uninterrupted.run(grace: Self.grace, network.time) {
      let resources = plan.resources.map { Parameter("resource", $0) }
      let reply = try await TokenEndpoint(network: network).redeem(
        .authorizationCode(code), as: plan.client, extra: resources + plan.tokenParameters)
      try reply.checkBinding()
      return LoginResult(tokens: reply.tokens, client: reply.client)
    }
  }

  private func listen(_ redirect: LoginPlan.RedirectPlan) throws -> (listener: (any CallbackListener)?, uri: String) {
    switch redirect {
    case .listen(let address):
      let listener = try listeners.bind(address)
      return (listener, "http://\(address.host):\(listener.port)\(address.path)")
    case .listenAs(let uri, let address):
      return (try listeners.bind(address), uri)
    case .paste(let uri):
      return (nil, uri)
    }
  }

  private func show(_ url: String) {
    guard let browser else {
      terminal.show("open this page in a browser: \(url)")
      return
    }
    do {
      try browser.open(url)
      terminal.note("your browser has been opened; if it shows nothing, open this page: \(url)")
    } catch {
      terminal.show("\(error.sentence); open this page in a browser: \(url)")
    }
  }

  private enum Answer: Sendable {
    case outcome(CallbackOutcome)
    /// A bare code was pasted, and the server took it.
    case result(LoginResult)
    case timeout
    case nobody
  }

  private enum WayBack: Sendable {
    case code(AuthorizationCode)
    case result(LoginResult)
  }

  /// Waits for the first answer that belongs to this login; the losers of the race are cancelled.
  private func firstAnswer(
    to pending: PendingAuthorization, listener: (any CallbackListener)?, _ plan: LoginPlan
  ) async throws -> WayBack {
    try await withThrowingTaskGroup(of: Answer.self) { group in
      defer { group.cancelAll() }
      if let listener {
        group.addTask { .outcome(try await callback(on: listener, pending)) }
      }
      if terminal.isInteractive {
        group.addTask { try await pasted(pending, plan) }
      }
      group.addTask {
        try await network.time.sleep(for: plan.timeout)
        return .timeout
      }
      while let answer = try await group.next() {
        switch answer {
        case .outcome(.code(let code)): return .code(code)
        case .result(let result): return .result(result)
        case .outcome(.failure(let failure)): throw FlowError.callback(failure)
        case .timeout: throw FlowError.loginTimedOut(seconds: Int(plan.timeout.components.seconds))
        case .outcome(.stray), .nobody:
          // The person has closed the terminal's input: without a listener nobody else can answer.
          if listener == nil { throw FlowError.noWayBack(redirectURI: pending.redirectURI) }
        }
      }
      throw CancellationError()
    }
  }

  private func callback(on listener: any CallbackListener, _ pending: PendingAuthorization) async throws
    -> CallbackOutcome
  {
    let strays = StrayCallbacks()
    return try await listener.wait { query in
      let outcome = AuthorizationResponse.validate(query: query, pending: pending)
      switch outcome {
      case .code: return .accepted(outcome)
      case .failure(let failure): return .refused(outcome, message: failure.sentence)
      case .stray:
        if let sentence = strays.next() { terminal.note(sentence) }
        return .ignored
      }
    }
  }

  private func pasted(_ pending: PendingAuthorization, _ plan: LoginPlan) async throws -> Answer {
    while let line = try await terminal.ask("waiting for the browser; or paste the redirect URL here: ", echo: true) {
      let outcome = AuthorizationResponse.validate(pasted: line.reveal(), pending: pending)
      switch outcome {
      case .stray, .failure(.incomplete):
        // The page's own URL is the line most easily copied instead.
        if !line.isEmpty { terminal.note("that is not the redirect URL of this login") }
      case .code(let code) where code.isBare:
        do {
          return .result(try await redeem(code, plan))
        } catch TokenFailure.grantRefused(let error) {
          terminal.note("the server took that for no code (\(error.sentence)); paste the whole address")
        }
      case .code, .failure: return .outcome(outcome)
      }
    }
    return .nobody
  }
}

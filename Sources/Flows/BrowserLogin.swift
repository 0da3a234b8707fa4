internal import Crypto
internal import FoundationEssentials
public import OAuth

/// Logs in with the authorization code grant and PKCE: the user's browser goes to the provider, and its way back is
/// raced by the loopback listener and a pasted URL.
public struct BrowserLogin: Sendable {
  /// What one login needs to know.
  public struct Plan: Sendable {
    /// The provider: complete, variables filled in.
    public var provider: Provider
    /// Whether each authorization response must name its issuer.
    public var requiresIssuer = false
    /// The client.
    public var client: ClientRegistration
    /// What to ask for.
    public var scopes: [String]
    /// Further parameters of the authorization request.
    public var authorizationParameters: [Parameter] = []
    /// Further parameters of the token request.
    public var tokenParameters: [Parameter] = []
    /// Where the browser comes back to.
    public var redirect: RedirectPlan
    /// How long to wait for the user.
    public var timeout = Duration.seconds(300)

    /// Makes a plan; the rest has its defaults.
    public init(provider: Provider, client: ClientRegistration, scopes: [String], redirect: RedirectPlan) {
      self.provider = provider
      self.client = client
      self.scopes = scopes
      self.redirect = redirect
    }
  }

  /// Where the browser comes back to.
  public enum RedirectPlan: Sendable {
    /// A listener of ours.
    case listen(RedirectAddress)
    /// A listener of ours, under a redirect URI that is sent byte for byte.
    case listenAs(String, RedirectAddress)
    /// Elsewhere: the user pastes what the browser shows.
    case paste(String)
  }

  /// How long the server may take to answer after somebody has interrupted the login.
  static let grace = Duration.seconds(2)

  private let http: any HTTPClient
  private let time: any TimeSource
  private let listeners: any CallbackListenerFactory
  private let browser: (any Browser)?
  private let terminal: any UserTerminal
  private let random: @Sendable (Int) throws -> [UInt8]

  /// Works on the given ports; without a browser the user opens the URL.
  public init(
    http: any HTTPClient, time: any TimeSource, listeners: any CallbackListenerFactory, browser: (any Browser)?,
    terminal: any UserTerminal, random: @escaping @Sendable (Int) throws -> [UInt8]
  ) {
    self.http = http
    self.time = time
    self.listeners = listeners
    self.browser = browser
    self.terminal = terminal
    self.random = random
  }

  /// Gets the tokens; the caller saves them.
  ///
  /// - Throws: ``FlowError``, ``ListenerError``, `TokenFailure`, ``TransportError``, `IDToken.Mismatch`, `CancellationError`.
  public func run(_ plan: Plan) async throws -> (tokens: TokenSet, identity: String?) {
    guard let authorization = plan.provider.endpoints?.authorization else {
      throw FlowError.noEndpoint(provider: plan.provider.name, endpoint: "authorization")
    }
    // The listener is bound before anyone is sent away: what comes back finds it, and no other program has its port.
    let (listener, redirectURI) = try await offPool { try listen(plan.redirect) }
    guard listener != nil || terminal.isInteractive else { throw FlowError.noWayBack(redirectURI: redirectURI) }
    let usesOpenID = plan.scopes.contains("openid")
    let pending = PendingAuthorization(
      random: try random(96), method: plan.provider.effectivePKCE, usesOpenID: usesOpenID, redirectURI: redirectURI,
      issuer: plan.provider.issuer, requiresIssuer: plan.requiresIssuer)
    let url = AuthorizationRequest.url(
      endpoint: authorization, provider: plan.provider, clientID: plan.client.id, scopes: plan.scopes,
      pending: pending, extra: plan.authorizationParameters)
    // Looking for a browser may ask other programs.
    try await offPool { show(url) }
    Checkpoint.browserSent.reached()
    let tokens: TokenSet
    switch try await firstAnswer(to: pending, listener: listener, plan) {
    case .code(let code): tokens = try await redeem(code, plan)
    case .tokens(let redeemed): tokens = redeemed
    }
    return (tokens, try identity(tokens, plan, pending))
  }

  private func redeem(_ code: AuthorizationCode, _ plan: Plan) async throws -> TokenSet {
    Checkpoint.codeReceived.reached()
    terminal.status("getting the tokens")
    defer { terminal.status(nil) }
    // A code is good for once, and at some servers what it brings ends the tokens that are stored: so Ctrl-C gives the
    // server a moment to answer, and no more, because somebody sits there and waits.
    return try await Uninterrupted.run(grace: Self.grace, time) {
      try await TokenEndpoint(http: http, time: time).redeem(
        .authorizationCode(code), provider: plan.provider, client: plan.client, extra: plan.tokenParameters)
    }
  }

  private func listen(_ redirect: RedirectPlan) throws -> (listener: (any CallbackListener)?, uri: String) {
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
    case tokens(TokenSet)
    case timeout
    case nobody
  }

  private enum WayBack: Sendable {
    case code(AuthorizationCode)
    case tokens(TokenSet)
  }

  /// Waits for the first answer that belongs to this login; the losers of the race are cancelled.
  private func firstAnswer(
    to pending: PendingAuthorization, listener: (any CallbackListener)?, _ plan: Plan
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
        try await time.sleep(for: plan.timeout)
        return .timeout
      }
      while let answer = try await group.next() {
        switch answer {
        case .outcome(.code(let code)): return .code(code)
        case .tokens(let tokens): return .tokens(tokens)
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

  private func pasted(_ pending: PendingAuthorization, _ plan: Plan) async throws -> Answer {
    while let line = try await terminal.ask("waiting for the browser; or paste the redirect URL here: ", echo: true) {
      let outcome = AuthorizationResponse.validate(pasted: line.reveal(), pending: pending)
      switch outcome {
      case .stray, .failure(.incomplete):
        // The page's own URL is the line most easily copied instead.
        if !line.isEmpty { terminal.note("that is not the redirect URL of this login") }
      case .code(let code) where code.isBare:
        do {
          return .tokens(try await redeem(code, plan))
        } catch TokenFailure.grantRefused(let error) {
          terminal.note("the server took that for no code (\(error.sentence)); paste the whole address")
        }
      case .code, .failure: return .outcome(outcome)
      }
    }
    return .nobody
  }

  private func identity(_ tokens: TokenSet, _ plan: Plan, _ pending: PendingAuthorization) throws -> String? {
    if tokens.fields["id_token"] != nil {
      throw IDToken.Mismatch(claim: "id_token", expected: "a JWT", got: "another kind of value")
    }
    guard let token = tokens.idToken else { return nil }
    guard let nonce = pending.nonce else { return IDToken(unverified: token)?.identity }
    let issuers = plan.provider.issuer.map { [$0] + (plan.provider.effectiveQuirks.issuerAliases ?? []) } ?? []
    return try IDToken.validate(
      token, issuers: issuers, clientID: plan.client.id, nonce: nonce, now: time.now
    ).identity
  }
}

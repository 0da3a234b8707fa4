internal import Crypto
internal import FoundationEssentials
internal import OAuth

/// Logs in with the authorization code grant and PKCE, or the implicit grant: the user's browser goes to the provider, and
/// its way back is raced by the loopback listener, a pasted URL and, where no browser is open, a device login.
public struct BrowserLogin: Sendable {
  /// How long the server may take to answer after somebody has interrupted the login.
  static let grace = Duration.seconds(2)

  let network: Network
  private let listeners: any CallbackListenerFactory
  private let browser: (any Browser)?
  let terminal: any UserTerminal
  let confirm: ConfirmIdentity

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
  /// - Throws: ``FlowError``, ``ListenerError``, `TokenFailure`, ``TransportError``, `JWT.Mismatch`, `KeyError`,
  ///   `CancellationError`.
  public func run(_ plan: LoginPlan) async throws -> LoginResult {
    guard plan.provider.endpoints?.authorization != nil else {
      throw FlowError.noEndpoint(provider: plan.provider.name, endpoint: "authorization")
    }
    // What a code is redeemed with is looked for before a person fetches one.
    if !plan.isImplicit { try TokenEndpoint.checkMeans(of: plan.client) }
    // The listener is bound before anyone is sent away: what comes back finds it, and no other program has its port.
    let (listener, redirectURI) = try await offPool { try listen(plan.redirect) }
    let canComeBack = listener != nil || terminal.isInteractive
    guard canComeBack || plan.mayUseDevice else { throw FlowError.noWayBack(redirectURI: redirectURI) }
    let pending = try pending(plan, redirectURI)
    let sent = try await address(pending, plan)
    let device = try await sendAway(to: canComeBack ? sent.url : nil, sent.plan)
    guard canComeBack || device != nil else { throw FlowError.noWayBack(redirectURI: redirectURI) }
    Checkpoint.browserSent.reached()
    // Read while the person is away: what comes back is not kept waiting.
    let keys = Task { await confirm.keys(of: plan) }
    defer { keys.cancel() }
    let sealed = try await WaysBack(login: self, pending: pending, plan: sent.plan).first(
      listener: listener, device: device)
    let back = try await opened(sealed, pending, sent.plan, keys)
    var result: LoginResult
    switch back {
    case .code(let code, let early):
      result = try await redeem(code, sent.plan)
      result.earlyIdentity = early
    case .result(let redeemed): result = redeemed
    }
    var nonce = pending.nonce
    if case .result(let redeemed) = back, redeemed.isFromOtherDevice { nonce = nil }
    try await confirm.confirm(&result, plan, nonce: nonce, keys: await keys.value)
    return result
  }

  func pending(_ plan: LoginPlan, _ redirectURI: String) throws -> PendingAuthorization {
    PendingAuthorization(
      random: try network.random(96), method: plan.skipsPKCE ? .none : plan.provider.effectivePKCE,
      usesOpenID: plan.scopes.contains("openid"),
      redirectURI: redirectURI, issuer: plan.provider.issuer, requiresIssuer: plan.requiresIssuer,
      isImplicit: plan.isImplicit, responseMode: plan.responseMode, isHybrid: plan.isHybrid ? true : nil)
  }

  func redeem(_ code: AuthorizationCode, _ plan: LoginPlan) async throws -> LoginResult {
    Checkpoint.codeReceived.reached()
    terminal.status("getting the tokens")
    defer { terminal.status(nil) }
    // A code is good for once, and at some servers what it brings ends the tokens that are stored: so Ctrl-C gives the
    // server a moment to answer, and no more, because somebody sits there and waits.
    return try await Uninterrupted.run(grace: Self.grace, network.time) {
      let resources = plan.resources.map { Parameter("resource", $0) }
      let reply = try await TokenEndpoint(network: network).redeem(
        .authorizationCode(code), as: plan.client, scopes: plan.provider.repeated(plan.scopes, on: .code),
        extra: resources + plan.tokenParameters)
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
    case .bound(let listener, let uri):
      return (listener, uri)
    case .paste(let uri):
      return (nil, uri)
    }
  }

  /// Opens the page in a browser, or shows the person where to go.
  ///
  /// - Parameter url: nil where nothing here could receive the way back from it.
  /// - Returns: what a person was given to log in on another device, where no browser is open.
  private func sendAway(to url: String?, _ plan: LoginPlan) async throws -> DeviceLogin.Begun? {
    guard let url else { return try await showCode(plan) }
    let page = "open this page in a browser: \(url)"
    guard let browser else {
      // Who wants no browser here has asked for the URL, and is not kept waiting for a code.
      terminal.show(page)
      return try await showCode(plan)
    }
    do {
      // Looking for a browser may ask other programs.
      try await offPool { try browser.open(url) }
      terminal.note("your browser has been opened; if it shows nothing, open this page: \(url)")
      return nil
    } catch let error as BrowserError {
      // Who has no browser here is better off with the code.
      let device = try await showCode(plan, after: error.sentence)
      terminal.show(device == nil ? "\(error.sentence); \(page)" : "or \(page)")
      return device
    }
  }

  /// Shows what a person needs to log in on another device; nil where the provider or this client cannot do that.
  private func showCode(_ plan: LoginPlan, after sentence: String? = nil) async throws -> DeviceLogin.Begun? {
    guard plan.mayUseDevice else { return nil }
    let login = DeviceLogin(network: network, browser: nil, terminal: terminal)
    let begun: DeviceLogin.Begun
    do {
      begun = try await login.begin(plan)
    } catch {
      // Most logins need no code, and a server that has none for this client is no reason to end the login.
      try Task.checkCancellation()
      terminal.note(
        "there is no code for another device: the \(ServerError.Endpoint.deviceAuthorization.rawValue) gave none "
          + "(\(Self.reason(error)))")
      return nil
    }
    if let sentence { terminal.note(sentence) }
    try await offPool { login.show(begun.authorization) }
    return begun
  }

  private static func reason(_ error: any Error) -> String {
    switch error {
    case TokenFailure.notATokenReply(_, let reason): reason
    case let failure as TokenFailure: failure.serverError.sentence
    case let error as TransportError: KeySetError.sentence(error)
    // Something that the client lacks: what needs it says so.
    default: "this client cannot ask it"
    }
  }
}

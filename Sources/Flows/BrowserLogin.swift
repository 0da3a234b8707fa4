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
    guard plan.provider.endpoints?.authorization != nil else {
      throw FlowError.noEndpoint(provider: plan.provider.name, endpoint: "authorization")
    }
    // The listener is bound before anyone is sent away: what comes back finds it, and no other program has its port.
    let (listener, redirectURI) = try await offPool { try listen(plan.redirect) }
    guard listener != nil || terminal.isInteractive else { throw FlowError.noWayBack(redirectURI: redirectURI) }
    let pending = try pending(plan, redirectURI)
    let sent = try await address(pending, plan)
    // Looking for a browser may ask other programs.
    let opening = try await offPool { open(sent.url) }
    // Asked for only now: most logins need no code.
    let device = opening == .open ? nil : await otherDevice(sent.plan)
    show(sent.url, opening, device)
    Checkpoint.browserSent.reached()
    // Read while the person is away: what comes back is not kept waiting.
    let keys = Task { await confirm.keys(of: plan) }
    defer { keys.cancel() }
    let back = try await WaysBack(login: self, pending: pending, plan: sent.plan).first(
      listener: listener, device: device)
    var result: LoginResult
    switch back {
    case .code(let code): result = try await redeem(code, sent.plan)
    case .result(let redeemed): result = redeemed
    }
    var nonce = pending.nonce
    if case .result(let redeemed) = back, redeemed.isFromOtherDevice { nonce = nil }
    result.identity = try await confirm.confirm(result, plan, nonce: nonce, keys: await keys.value)
    return result
  }

  private func pending(_ plan: LoginPlan, _ redirectURI: String) throws -> PendingAuthorization {
    PendingAuthorization(
      random: try network.random(96), method: plan.provider.effectivePKCE, usesOpenID: plan.scopes.contains("openid"),
      redirectURI: redirectURI, issuer: plan.provider.issuer, requiresIssuer: plan.requiresIssuer,
      isImplicit: plan.isImplicit)
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
    case .bound(let listener, let uri):
      return (listener, uri)
    case .paste(let uri):
      return (nil, uri)
    }
  }

  private enum Opening: Sendable, Equatable {
    case open
    case notWanted
    case failed(BrowserError)
  }

  private func open(_ url: String) -> Opening {
    guard let browser else { return .notWanted }
    do {
      try browser.open(url)
      return .open
    } catch {
      return .failed(error)
    }
  }

  /// Gives what a person needs to log in on another device; nil where the provider or this client cannot do that.
  private func otherDevice(_ plan: LoginPlan) async -> DeviceLogin.Begun? {
    guard plan.mayUseDevice else { return nil }
    return try? await DeviceLogin(network: network, browser: nil, terminal: terminal).begin(plan)
  }

  private func show(_ url: String, _ opening: Opening, _ device: DeviceLogin.Begun?) {
    let page = "open this page in a browser: \(url)"
    let other = DeviceLogin(network: network, browser: nil, terminal: terminal)
    switch opening {
    case .open:
      terminal.note("your browser has been opened; if it shows nothing, open this page: \(url)")
    case .notWanted:
      terminal.show(page)
      if let device { other.show(device.authorization) }
    case .failed(let error):
      guard let device else {
        terminal.show("\(error.sentence); \(page)")
        return
      }
      // Who has no browser here is better off with the code.
      terminal.note(error.sentence)
      other.show(device.authorization)
      terminal.show("or \(page)")
    }
  }
}

internal import Crypto
internal import FoundationEssentials
internal import OAuth

/// Logs in with a code that a person types on another device, which has a browser (RFC 8628).
public struct DeviceLogin: Sendable {
  private let network: Network
  private let browser: (any Browser)?
  private let terminal: any UserTerminal
  private let confirm: ConfirmIdentity

  /// Works on the given ports; a browser that can be opened here is.
  public init(network: Network, browser: (any Browser)?, terminal: any UserTerminal) {
    self.network = network
    self.browser = browser
    self.terminal = terminal
    confirm = ConfirmIdentity(network: network, terminal: terminal)
  }

  /// A login that waits for the person.
  struct Begun: Sendable {
    var authorization: DeviceAuthorization
    var client: RequestingClient
  }

  /// Gets the tokens; the caller saves them.
  ///
  /// - Throws: ``FlowError``, `TokenFailure`, ``TransportError``, `JWT.Mismatch`, `KeyError`, `CancellationError`.
  public func run(_ plan: LoginPlan) async throws -> LoginResult {
    let begun = try await begin(plan)
    try await offPool { show(begun.authorization) }
    let keys = Task { await confirm.keys(of: plan) }
    defer { keys.cancel() }
    terminal.status("waiting for you to enter the code")
    defer { terminal.status(nil) }
    var result = try await finish(begun, plan)
    terminal.status(nil)
    try await confirm.confirm(&result, plan, nonce: nil, keys: await keys.value)
    return result
  }

  /// Asks the server for a code.
  func begin(_ plan: LoginPlan) async throws -> Begun {
    guard let endpoint = plan.provider.endpoints?.deviceAuthorization else {
      throw FlowError.noEndpoint(provider: plan.provider.name, endpoint: "device_authorization")
    }
    try TokenEndpoint.checkMeans(of: plan.client)
    var client = plan.client
    let extra = plan.resources.map { Parameter("resource", $0) } + plan.authorizationParameters
    let response = try await ServerExchange(network: network).send(as: &client) { client, stamp in
      try DeviceAuthorization.request(endpoint: endpoint, as: client, scopes: plan.scopes, extra: extra, stamp: stamp)
    }
    do {
      let authorization = try DeviceAuthorization.validate(
        response, provider: plan.provider, now: network.time.now)
      return Begun(authorization: authorization, client: client)
    } catch {
      throw error.redacted(by: ServerExchange.redactor(client, [])).of(.deviceAuthorization).telling(client.shown)
    }
  }

  /// Tells the person where to go and what to type there.
  func show(_ authorization: DeviceAuthorization) {
    if let message = authorization.message { terminal.note(message) }
    let address = authorization.verificationURIComplete ?? authorization.verificationURI
    terminal.showCode(of: address)
    terminal.show("on any device, open: ", authorization.verificationURI)
    terminal.show("and enter the code:  ", authorization.userCode)
    guard let browser, browser.obstacle == nil else { return }
    // Where there is a browser here, too, it saves the typing.
    if (try? browser.open(address)) != nil { terminal.note("your browser has been opened, too") }
  }

  /// Asks until the person has decided, or the code has ended.
  func finish(_ begun: Begun, _ plan: LoginPlan) async throws -> LoginResult {
    let authorization = begun.authorization
    var client = begun.client
    var polling = DevicePolling(authorization)
    let limit = plan.timeout.map { Double($0.components.seconds) }
    let end = limit.map { network.time.now.addingTimeInterval($0) }
    var next = polling.firstDelay(now: network.time.now)
    while let delay = next {
      if let limit, let end, network.time.now.addingTimeInterval(delay) > end {
        try await network.time.sleep(for: .milliseconds(Int(max(0, end.timeIntervalSince(network.time.now)) * 1000)))
        throw FlowError.deviceTimedOut(seconds: Int(limit))
      }
      try await network.time.sleep(for: .milliseconds(Int(delay * 1000)))
      let polled = try await poll(authorization, client, plan)
      client = polled.client
      switch polled.outcome {
      case .tokens(let tokens):
        try TokenEndpoint.Reply(tokens: tokens, client: client).checkBinding()
        return LoginResult(tokens: tokens, client: client)
      case .waiting(let outcome):
        next = polling.delay(after: outcome, now: network.time.now)
      }
    }
    throw FlowError.deviceCodeEnded
  }

  private enum Outcome: Sendable {
    case tokens(TokenSet)
    case waiting(DevicePolling.Outcome)
  }

  /// Asks once; a network that fails is one more reason to wait.
  private func poll(
    _ authorization: DeviceAuthorization, _ asking: RequestingClient, _ plan: LoginPlan
  ) async throws -> (outcome: Outcome, client: RequestingClient) {
    let endpoints = plan.provider.endpoints
    guard let endpoint = endpoints?.deviceToken ?? endpoints?.token else {
      throw FlowError.noEndpoint(provider: plan.provider.name, endpoint: "token")
    }
    // A poll may bring tokens that the server gives once: Ctrl-C leaves it a moment to answer.
    return try await Uninterrupted.run(grace: BrowserLogin.grace, network.time) {
      var client = asking
      do {
        let extra = plan.resources.map { Parameter("resource", $0) } + plan.tokenParameters
        let response = try await ServerExchange(network: network).send(as: &client) { client, stamp in
          try authorization.poll(endpoint: endpoint, as: client, scopes: plan.scopes, extra: extra, stamp: stamp)
        }
        return (try judge(response, authorization, client), client)
      } catch let failure as TransportError where failure.isPassing {
        return (.waiting(.failure(retryAfter: nil)), client)
      }
    }
  }

  private func judge(
    _ response: HTTPResponse, _ authorization: DeviceAuthorization, _ client: RequestingClient
  ) throws -> Outcome {
    do {
      switch try DevicePoll.validate(response, provider: client.provider, now: network.time.now) {
      case .tokens(let tokens): return .tokens(tokens)
      case .pending: return .waiting(.pending)
      case .slowDown(let interval): return .waiting(.slowDown(interval: interval))
      case .backOff(_, let retryAfter): return .waiting(.failure(retryAfter: retryAfter))
      }
    } catch {
      let told = error.redacted(by: ServerExchange.redactor(client, [authorization.deviceCode])).telling(client.shown)
      // A server that cannot make up its mind about its nonce may have done so by the next poll.
      if case .transient(_, let retryAfter) = told { return .waiting(.failure(retryAfter: retryAfter)) }
      throw told
    }
  }
}

extension TransportError {
  /// Whether another try may fare better.
  var isPassing: Bool {
    switch kind {
    case .cannotResolve, .cannotConnect, .timedOut, .broken: true
    case .tls, .tooLarge, .refusedURL, .badCertificates, .badClientCertificate, .badProxy, .unavailable: false
    }
  }
}

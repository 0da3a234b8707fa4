internal import Crypto
internal import FoundationEssentials
internal import OAuth

/// The ways in which the answer to a login comes back: the first one wins.
struct WaysBack: Sendable {
  let login: BrowserLogin
  let pending: PendingAuthorization
  let plan: LoginPlan
  private let strays = StrayCallbacks()

  init(login: BrowserLogin, pending: PendingAuthorization, plan: LoginPlan) {
    (self.login, self.pending, self.plan) = (login, pending, plan)
  }

  /// What came back.
  enum Answer: Sendable {
    /// A code, to be redeemed.
    case code(AuthorizationCode)
    /// The tokens themselves.
    case result(LoginResult)
    /// Either of them, in a JWT whose signature is to be verified; and whether it says no, by its own word alone.
    case signed(Secret, unverifiedRefusal: CallbackFailure?)
  }

  /// What ended one of the ways.
  enum Event: Sendable {
    case answer(Answer)
    case failure(CallbackFailure)
    case timeout
    /// This way is closed; why, where that is worth telling.
    case nobody((any Error)?)
  }

  /// What an answer turned out to be.
  enum Judgement: Sendable {
    case answer(Answer)
    case failure(CallbackFailure)
    case stray
    /// Whose it is cannot be told.
    case encrypted
  }

  private var terminal: any UserTerminal { login.terminal }
  private var time: any TimeSource { login.network.time }

  /// Waits for the first answer that belongs to this login; the losers of the race are cancelled.
  func first(listener: (any CallbackListener)?, device: DeviceLogin.Begun?) async throws -> Answer {
    try await withThrowingTaskGroup(of: Event.self) { group in
      defer { group.cancelAll() }
      var open = 0
      func race(_ way: @escaping @Sendable () async throws -> Event) {
        group.addTask(operation: way)
        open += 1
      }
      if let listener { race { try await callback(on: listener) } }
      if terminal.isInteractive {
        race { try await pasted("waiting for the browser; or paste the redirect URL here: ") }
      }
      if let device { race { try await otherDevice(device) } }
      let limit = limit(device)
      group.addTask {
        try await time.sleep(for: limit)
        return .timeout
      }
      while let event = try await group.next() {
        switch event {
        case .answer(let answer): return answer
        case .failure(let failure): throw FlowError.callback(failure)
        case .timeout where strays.wereEncrypted: throw FlowError.callback(SignedResponse.isEncrypted)
        case .timeout: throw FlowError.loginTimedOut(seconds: Int(limit.components.seconds))
        case .nobody(let reason):
          open -= 1
          if open == 0 { throw reason ?? FlowError.noWayBack(redirectURI: pending.redirectURI) }
        }
      }
      throw CancellationError()
    }
  }

  /// How long a person is given to type a code, whatever the server says, in seconds.
  private static let longestCode = 1800.0

  /// How long to wait: where a person may be typing a code elsewhere, as long as that lasts.
  private func limit(_ device: DeviceLogin.Begun?) -> Duration {
    if let timeout = plan.timeout { return timeout }
    guard terminal.isInteractive else { return LoginPlan.usualTimeout }
    let code = device.map { $0.authorization.expiresAt.timeIntervalSince(time.now) } ?? 0
    return max(LoginPlan.usualTimeout, .seconds(Int(min(code, Self.longestCode))))
  }

  private func callback(on listener: any CallbackListener) async throws -> Event {
    try await listener.wait(for: part) { answer in
      switch judge(answer) {
      case .answer(.signed(let token, .some(let refusal))):
        return .refused(.answer(.signed(token, unverifiedRefusal: refusal)), message: refusal.sentence)
      case .answer(let answer): return .accepted(.answer(answer))
      case .failure(let failure): return .refused(.failure(failure), message: failure.sentence)
      case .stray:
        if let sentence = strays.next() { terminal.note(sentence) }
        return .ignored
      case .encrypted:
        if let sentence = strays.nextEncrypted() { terminal.note(sentence) }
        return .ignored
      }
    }
  }

  /// Where the answer is looked for.
  private var part: CallbackPart {
    switch pending.responseMode {
    case .query, .queryJWT: .query
    case .fragment, .fragmentJWT: .fragment
    case .formPost, .formPostJWT: .form
    case .jwt, nil: plan.isImplicit || plan.isHybrid ? .fragment : .query
    }
  }

  private var isSigned: Bool { pending.responseMode?.isSigned == true }

  private func judge(_ answer: String) -> Judgement {
    if isSigned { return judgement(SignedResponse.open(answer, pending: pending)) }
    guard plan.isImplicit else { return judgement(AuthorizationResponse.validate(query: answer, pending: pending)) }
    return judgement(
      ImplicitResponse.validate(answer, pending: pending, provider: plan.provider, now: time.now))
  }

  /// Judges what a person has pasted, or a script has handed over.
  func judge(pasted text: String) -> Judgement {
    guard PastedAddress.fits(text, pending.redirectURI) else { return .stray }
    if isSigned { return judgement(SignedResponse.open(pasted: text, pending: pending)) }
    guard plan.isImplicit else { return judgement(AuthorizationResponse.validate(pasted: text, pending: pending)) }
    return judgement(
      ImplicitResponse.validate(pasted: text, pending: pending, provider: plan.provider, now: time.now))
  }

  private func judgement(_ opened: SignedResponse.Opened) -> Judgement {
    switch opened {
    case .response(let token, let refusal): .answer(.signed(token, unverifiedRefusal: refusal))
    case .failure(let failure): .failure(failure)
    case .encrypted: .encrypted
    case .stray: .stray
    }
  }

  private func judgement(_ outcome: CallbackOutcome) -> Judgement {
    switch outcome {
    case .code(let code): .answer(.code(code))
    case .failure(let failure): .failure(failure)
    case .stray: .stray
    }
  }

  private func judgement(_ outcome: ImplicitOutcome) -> Judgement {
    switch outcome {
    case .tokens(let tokens): .answer(.result(LoginResult(tokens: tokens, client: plan.client)))
    case .failure(let failure): .failure(failure)
    case .stray: .stray
    }
  }

  /// Asks for the redirect URL until it is this login's.
  func pasted(_ prompt: String) async throws -> Event {
    while let line = try await terminal.ask(prompt, echo: true) {
      switch judge(pasted: line.reveal()) {
      case .stray, .failure(.incomplete):
        // The page's own URL is the line most easily copied instead.
        if !line.isEmpty { terminal.note("that is not the redirect URL of this login") }
      case .answer(.code(let code)) where code.isBare:
        do {
          return .answer(.result(try await login.redeem(code, plan)))
        } catch TokenFailure.grantRefused(let error) {
          terminal.note("the server took that for no code (\(error.sentence)); paste the whole address")
        }
      case .answer(let answer): return .answer(answer)
      case .failure(let failure): return .failure(failure)
      case .encrypted: return .failure(SignedResponse.isEncrypted)
      }
    }
    // The person has closed the terminal's input.
    return .nobody(nil)
  }

  /// A login on another device; that it cannot go on is no reason for the others to end, that a person says no is.
  private func otherDevice(_ begun: DeviceLogin.Begun) async throws -> Event {
    let device = DeviceLogin(network: login.network, browser: nil, terminal: terminal)
    do {
      var result = try await device.finish(begun, plan)
      result.isFromOtherDevice = true
      return .answer(.result(result))
    } catch let failure as TokenFailure {
      if case .grantRefused(let error) = failure, error.code == "access_denied" { throw failure }
      return ended(failure, failure.serverError.sentence)
    } catch let failure as TransportError {
      return ended(failure, failure.message)
    } catch FlowError.deviceCodeEnded {
      return ended(FlowError.deviceCodeEnded, "nobody entered it in time")
    }
  }

  private func ended(_ failure: any Error, _ sentence: String) -> Event {
    terminal.note("the code is of no use any more (\(PrintableText.printable(sentence, limit: 200)))")
    return .nobody(failure)
  }
}

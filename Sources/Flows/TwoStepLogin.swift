public import FoundationEssentials
public import OAuth

/// A login in two runs of the program: the first gives a URL for a browser anywhere, the second takes what came of it.
extension BrowserLogin {
  /// A login whose person can be sent away.
  public struct Begun: Sendable {
    /// Where to.
    public let url: String
    /// When the URL is of no use any more; nil where nothing is known of an end.
    public let urlEndsAt: Date?
    /// What the answer must fit to.
    public let authorization: PendingAuthorization
    /// The plan, with what the server has said meanwhile.
    public let plan: LoginPlan
  }

  /// Makes the authorization request; nothing listens for its answer.
  ///
  /// - Throws: ``FlowError``, ``TransportError``, `TokenFailure`, `KeyError`.
  public func begin(_ plan: LoginPlan, redirectURI: String) async throws -> Begun {
    if !plan.isImplicit { try TokenEndpoint.checkMeans(of: plan.client) }
    let pending = try pending(plan, redirectURI)
    let sent = try await address(pending, plan)
    return Begun(url: sent.url, urlEndsAt: sent.endsAt, authorization: pending, plan: sent.plan)
  }

  /// Takes the answer, and gets the tokens; the caller saves them.
  ///
  /// - Parameters:
  ///   - pasted: what somebody has handed over; nil to ask the person at the terminal, until it is this login's answer.
  ///   - useUp: called when the login cannot be finished once more: its code is spent, or the server said no.
  /// - Throws: ``PendingLoginFailure``; what ``run(_:)`` throws.
  public func finish(
    _ login: PendingLogin, _ plan: LoginPlan, pasted: String?, useUp: @Sendable () async -> Void
  ) async throws -> LoginResult {
    let ways = WaysBack(login: self, pending: login.authorization, plan: plan)
    // Read while the person looks for the address.
    let keys = Task { await confirm.keys(of: plan) }
    defer { keys.cancel() }
    let answer: Answer
    switch try await event(ways, login, pasted) {
    case .answer(let given):
      do {
        answer = try await opened(given, login.authorization, plan, keys)
      } catch let error as FlowError {
        if case .callback = error { await useUp() }
        throw error
      }
    case .failure(let failure):
      await useUp()
      throw FlowError.callback(failure)
    case .timeout, .nobody: throw PendingLoginFailure.noAnswer(login.id)
    }
    var result: LoginResult
    switch answer {
    case .result(let redeemed): result = redeemed
    case .code(let code, let early):
      do {
        result = try await redeem(code, plan)
        result.earlyIdentity = early
      } catch  where !code.isBare && Self.isSpent(error) {
        await useUp()
        throw error
      }
    }
    // Before the tokens are stored: a code that is sent a second time makes servers end what it brought.
    await useUp()
    Checkpoint.loginUsed.reached()
    try await confirm.confirm(&result, plan, nonce: login.authorization.nonce, keys: await keys.value)
    return result
  }

  private func event(_ ways: WaysBack, _ login: PendingLogin, _ pasted: String?) async throws -> WaysBack.Event {
    guard let pasted else { return try await ways.pasted("paste the redirect URL here: ") }
    guard pasted.contains(where: { !$0.isWhitespace }) else { return .nobody(nil) }
    switch ways.judge(pasted: pasted) {
    case .answer(let answer): return .answer(answer)
    // The page's own URL is the line most easily copied instead.
    case .stray, .failure(.incomplete): throw PendingLoginFailure.notItsAnswer(login.id)
    case .failure(let failure): return .failure(failure)
    case .encrypted: return .failure(SignedResponse.isEncrypted)
    }
  }

  /// Whether the code is of no use any more: a server that could not answer, or did not know the client, may take it yet.
  private static func isSpent(_ error: any Error) -> Bool {
    switch error {
    case TokenFailure.grantRefused, TokenFailure.notATokenReply, FlowError.unexpectedTokenType: true
    default: false
    }
  }
}

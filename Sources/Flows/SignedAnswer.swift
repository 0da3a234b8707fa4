internal import Crypto
internal import FoundationEssentials
internal import OAuth

/// The verification of an answer that the authorization server has signed (JARM).
extension BrowserLogin {
  /// What came back, in the clear.
  enum Answer: Sendable {
    /// A code, to be redeemed, and the verified ID token that came with it.
    case code(AuthorizationCode, IDToken?)
    /// The tokens themselves.
    case result(LoginResult)
  }

  /// Gives what came back; of a signed answer, after its signature was verified.
  ///
  /// - Parameter keys: the provider's, as they are being read.
  /// - Throws: `JWT.Mismatch`; ``FlowError/callback(_:)`` where the answer says no; what kept the keys from being read, for
  ///   nothing else vouches for what came through the browser.
  func opened(
    _ answer: WaysBack.Answer, _ pending: PendingAuthorization, _ plan: LoginPlan,
    _ keys: Task<ConfirmIdentity.Keys, Never>
  ) async throws -> Answer {
    switch answer {
    case .code(let code): return .code(code, try await earlyIdentity(of: code, pending, plan, keys))
    case .result(let result): return .result(result)
    case .signed(let token, _):
      let parameters = try await verified(token, pending, plan, await keys.value)
      guard plan.isImplicit else {
        switch AuthorizationResponse.validate(verified: parameters, pending: pending) {
        case .code(let code): return .code(code, try await earlyIdentity(of: code, pending, plan, keys))
        case .failure(let failure): throw FlowError.callback(failure)
        case .stray: throw FlowError.callback(.incomplete)
        }
      }
      let outcome = ImplicitResponse.validate(
        parameters, pending: pending, provider: plan.provider, now: network.time.now)
      switch outcome {
      case .tokens(let tokens): return .result(LoginResult(tokens: tokens, client: plan.client))
      case .failure(let failure): throw FlowError.callback(failure)
      case .stray: throw FlowError.callback(.incomplete)
      }
    }
  }

  private func verified(
    _ token: Secret, _ pending: PendingAuthorization, _ plan: LoginPlan, _ keys: ConfirmIdentity.Keys
  ) async throws -> [Parameter] {
    guard let issuer = pending.issuer, let url = plan.provider.endpoints?.jwks else {
      throw FlowError.noEndpoint(provider: plan.provider.name, endpoint: "jwks")
    }
    func check(_ set: JSONWebKeySet) throws(JWT.Mismatch) -> [Parameter] {
      try SignedResponse.verify(
        token, issuer: issuer, clientID: plan.client.registration.id, keys: set, now: network.time.now)
    }
    guard let known = keys.kept?.set else { throw keys.problem ?? KeySetError(url: url, status: 0) }
    do {
      return try check(known)
    } catch {
      // The provider may have changed its keys since the login began.
      guard error.claim == "kid" || error.claim == "signature" else { throw error }
      if let problem = keys.problem { throw problem }
      guard let fresh = try? await KeySets(network: network).read(url), fresh.set != known else { throw error }
      return try check(fresh.set)
    }
  }
}

internal import Crypto
internal import FoundationEssentials
internal import OAuth

/// The ID token that comes with the code in the hybrid flow (OpenID Connect Core section 3.3).
extension BrowserLogin {
  /// Verifies it before the code is redeemed: another's code, slipped in on the way, is sent to nobody.
  ///
  /// - Throws: `JWT.Mismatch`; what kept the keys from being read, for nothing else vouches for what came through the
  ///   browser.
  func earlyIdentity(
    of code: AuthorizationCode, _ pending: PendingAuthorization, _ plan: LoginPlan,
    _ keys: Task<ConfirmIdentity.Keys, Never>
  ) async throws -> IDToken? {
    guard let token = code.idToken else { return nil }
    let known = await keys.value
    if let problem = known.problem, known.kept == nil { throw problem }
    let claims = IDToken(unverified: token)?.claims ?? [:]
    var expected = IDToken.Expectation(
      issuers: plan.provider.issuers(fitting: claims), clientID: plan.client.registration.id, nonce: pending.nonce,
      keys: known.kept?.set,
      // A secret that ships inside a program is nobody's proof for what came through the browser.
      algorithms: SignatureAlgorithm.allCases.filter { !$0.isSymmetric }, maxAge: plan.maxAge)
    do {
      return try code.verifyIDToken(expecting: expected, now: network.time.now)
    } catch {
      // The provider may have changed its keys since the login began.
      guard error.claim == "kid", let url = plan.provider.endpoints?.jwks else { throw error }
      if let problem = known.problem { throw problem }
      guard let fresh = try? await KeySets(network: network).read(url) else { throw error }
      expected.keys = fresh.set
      return try code.verifyIDToken(expecting: expected, now: network.time.now)
    }
  }
}

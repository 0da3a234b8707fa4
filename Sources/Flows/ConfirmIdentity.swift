internal import Crypto
internal import FoundationEssentials
internal import OAuth

/// Finds out whose tokens a login brought, and that they are this login's.
struct ConfirmIdentity: Sendable {
  let network: Network
  let terminal: any UserTerminal

  /// The provider's keys as a login found them.
  struct Keys: Sendable {
    /// The keys; nil where the provider publishes none, or none can be had.
    var kept: KeptKeySet?
    /// Why they could not be read now; ``kept`` is then of an earlier time.
    var problem: (any Error)?
  }

  /// Reads the keys that the provider signs with.
  func keys(of plan: LoginPlan) async -> Keys {
    let isSigned = plan.responseMode?.isSigned == true
    guard plan.scopes.contains("openid") || isSigned, let url = plan.provider.endpoints?.jwks else { return Keys() }
    do {
      return Keys(kept: try await KeySets(network: network).read(url))
    } catch {
      return Keys(kept: await plan.keySets?.kept(url, provider: plan.provider.name), problem: error)
    }
  }

  /// Checks the ID token against the login that it must belong to, and notes in the result who it is and by which keys.
  ///
  /// - Parameters:
  ///   - nonce: the login's; nil for a grant that has none.
  ///   - keys: the provider's keys, as they were read when the login began.
  /// - Throws: `JWT.Mismatch`; for a token that came through the browser what kept its keys from being read.
  func confirm(_ result: inout LoginResult, _ plan: LoginPlan, nonce: Secret?, keys: Keys) async throws {
    if result.tokens.fields["id_token"] != nil {
      throw JWT.Mismatch(of: .idToken, claim: "id_token", expected: "a JWT", got: "another kind of value")
    }
    guard let token = result.tokens.idToken else {
      if result.earlyIdentity != nil {
        throw JWT.Mismatch(of: .idToken, claim: "id_token", expected: "a JWT", got: nil)
      }
      return try missesToken(result.tokens, plan, nonce: nonce)
    }
    // Not asked for: what some servers give all the same has no nonce, and is taken for what it says of the person alone.
    guard plan.scopes.contains("openid") else {
      // Through the browser it could come from anybody.
      if plan.isImplicit, !result.isFromOtherDevice {
        result.tokens.idToken = nil
        return
      }
      result.identity = IDToken(unverified: token)?.identity
      return
    }
    // Of a login without a client nobody can tell whether it is for this one (OpenID Connect Core section 3.1.3.7, item 3).
    if plan.client.registration.id.isEmpty {
      result.tokens.idToken = nil
      terminal.note(
        "warning: the ID token is left out: it is for a client, and \(plan.provider.name) was asked without one; "
          + "--client-id names one")
      return
    }
    let claims = IDToken(unverified: token)?.claims ?? [:]
    let isFrontChannel = plan.isImplicit && !result.isFromOtherDevice
    let expected = IDToken.Expectation(
      issuers: plan.provider.issuers(fitting: claims), clientID: plan.client.registration.id, nonce: nonce,
      keys: keys.kept?.set, clientSecret: plan.client.registration.secret,
      // A secret that ships inside a program is nobody's proof for what came through the browser.
      algorithms: isFrontChannel ? SignatureAlgorithm.allCases.filter { !$0.isSymmetric } : nil,
      accessToken: result.tokens.accessToken, isFrontChannel: isFrontChannel, maxAge: plan.maxAge)
    if let problem = keys.problem {
      result.identity = try confirmed(token, expected, plan, problem)
    } else {
      let (identity, kept) = try await confirmed(token, expected, plan, keys.kept)
      (result.identity, result.keys) = (identity, kept)
    }
    if let early = result.earlyIdentity { try early.checkSameness(of: token) }
  }

  /// Judges a code's reply that has no ID token, although `openid` was asked for and granted.
  ///
  /// OpenID Connect has it there without fail (Core section 3.1.3.3), and its nonce ties the code to this login. But many
  /// plain OAuth servers take `openid` for any scope and give none, and PKCE ties the code just as well (RFC 9700 section
  /// 2.1.1): so it is told that nobody vouches for the person, and no more. Without PKCE, at a server that signs ID tokens,
  /// nothing is left that would tell a code of somebody else's.
  private func missesToken(_ tokens: TokenSet, _ plan: LoginPlan, nonce: Secret?) throws(JWT.Mismatch) {
    guard nonce != nil, tokens.scope?.contains("openid") ?? true else { return }
    if plan.provider.effectivePKCE == .none, plan.provider.endpoints?.jwks != nil {
      throw JWT.Mismatch(of: .idToken, claim: "id_token", expected: "a JWT", got: nil)
    }
    terminal.note(
      "warning: \(plan.provider.name) gave no ID token for the scope openid, so nothing proves who has logged in")
  }

  private func confirmed(
    _ token: Secret, _ expected: IDToken.Expectation, _ plan: LoginPlan, _ kept: KeptKeySet?
  ) async throws -> (identity: String?, keys: KeptKeySet?) {
    do {
      return (try IDToken.verify(token, expecting: expected, now: network.time.now).identity, kept)
    } catch {
      // The provider may have changed its keys since the login began.
      guard error.claim == "kid", let url = plan.provider.endpoints?.jwks,
        let fresh = try? await KeySets(network: network).read(url)
      else { throw error }
      var expected = expected
      expected.keys = fresh.set
      return (try IDToken.verify(token, expecting: expected, now: network.time.now).identity, fresh)
    }
  }

  /// Without the keys of today those of an earlier login serve, and without any that know the token the TLS of the token
  /// endpoint vouches for it (OpenID Connect Core section 3.1.3.7, item 6); for what came through the browser nothing does.
  private func confirmed(
    _ token: Secret, _ expected: IDToken.Expectation, _ plan: LoginPlan, _ problem: any Error
  ) throws -> String? {
    let told = "warning: the keys of \(plan.provider.name) cannot be read now (\(KeySetError.sentence(problem)))"
    if expected.keys != nil {
      do {
        let identity = try IDToken.verify(token, expecting: expected, now: network.time.now).identity
        terminal.note("\(told): the ID token was checked with those of an earlier login")
        return identity
      } catch {
        guard error.claim == "kid" else { throw error }
      }
    }
    if expected.isFrontChannel { throw problem }
    var unsigned = expected
    unsigned.keys = nil
    let identity = try IDToken.verify(token, expecting: unsigned, now: network.time.now).identity
    terminal.note("\(told): the signature of the ID token was not checked")
    return identity
  }
}

internal import Crypto
internal import FoundationEssentials
internal import OAuth

/// Finds out whose tokens a login brought, and that they are this login's.
struct ConfirmIdentity: Sendable {
  let network: Network
  let terminal: any UserTerminal

  /// Gives the keys that the provider signs with, or nil where it publishes none or they cannot be had now: then TLS to the
  /// token endpoint vouches for the ID token (OpenID Connect Core section 3.1.3.7, item 6).
  func keys(of plan: LoginPlan) async -> JSONWebKeySet? {
    guard plan.scopes.contains("openid"), let url = plan.provider.endpoints?.jwks else { return nil }
    return try? await KeySets(network: network).fetch(url)
  }

  /// Checks the ID token against the login that it must belong to, and says who it is.
  ///
  /// - Parameters:
  ///   - nonce: the login's; nil for a grant that has none.
  ///   - keys: the provider's keys, as they were read when the login began.
  /// - Throws: `IDToken.Mismatch`, `CancellationError`.
  func confirm(_ result: LoginResult, _ plan: LoginPlan, nonce: Secret?, keys: JSONWebKeySet?) async throws -> String? {
    let tokens = result.tokens
    if tokens.fields["id_token"] != nil {
      throw IDToken.Mismatch(claim: "id_token", expected: "a JWT", got: "another kind of value")
    }
    var person: String?
    if let token = tokens.idToken {
      person = try await verified(token, result, plan, nonce: nonce, keys: keys)
    }
    return person
  }

  private func verified(
    _ token: Secret, _ result: LoginResult, _ plan: LoginPlan, nonce: Secret?, keys: JSONWebKeySet?
  ) async throws -> String? {
    // Not asked for: what some servers give all the same has no nonce, and is taken for what it says of the person alone.
    guard plan.scopes.contains("openid") else { return IDToken(unverified: token)?.identity }
    let expected = expectation(result, plan, nonce: nonce, keys: keys)
    do {
      return try IDToken.verify(token, expecting: expected, now: network.time.now).identity
    } catch {
      // The provider may have changed its keys since the login began.
      guard error.claim == "kid", let fresh = await self.keys(of: plan) else { throw error }
      let expected = expectation(result, plan, nonce: nonce, keys: fresh)
      return try IDToken.verify(token, expecting: expected, now: network.time.now).identity
    }
  }

  private func expectation(
    _ result: LoginResult, _ plan: LoginPlan, nonce: Secret?, keys: JSONWebKeySet?
  ) -> IDToken.Expectation {
    IDToken.Expectation(
      issuers: plan.provider.issuers, clientID: plan.client.registration.id, nonce: nonce, keys: keys,
      clientSecret: plan.client.registration.secret, accessToken: result.tokens.accessToken,
      isFrontChannel: plan.isImplicit, maxAge: plan.maxAge)
  }
}

extension Provider {
  /// What an ID token's `iss` may be; empty where the provider has no fixed issuer.
  var issuers: [String] { issuer.map { [$0] + (effectiveQuirks.issuerAliases ?? []) } ?? [] }
}

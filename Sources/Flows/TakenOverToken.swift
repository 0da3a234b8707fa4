internal import Crypto
internal import FoundationEssentials
internal import OAuth

/// A login that begins with a refresh token which the client was given elsewhere, as by another program.
extension DirectLogin {
  /// Redeems the token, once; the caller saves what it brings.
  ///
  /// A server may have spent it by then, and what came in its place is all that there is: from the request on nothing ends
  /// the login but the server's no. What does not hold of the reply is told, and kept from nobody.
  ///
  /// - Throws: ``FlowError``, `TokenFailure`, ``TransportError``, `KeyError`.
  /// - See: https://www.rfc-editor.org/rfc/rfc6749#section-6
  func takeOver(_ token: Secret, _ plan: LoginPlan) async throws -> LoginResult {
    // Looked for beforehand: between the server's reply and the keyring's receipt there is no time for it.
    var asking = plan
    asking.scopes = ["openid"]
    let keys = await confirm.keys(of: asking)
    let resources = plan.resources.map { Parameter("resource", $0) }
    let (endpoint, terminal) = (endpoint, confirm.terminal)
    try Task.checkCancellation()
    return try await Uninterrupted.run {
      let reply = try await endpoint.redeem(
        .refreshToken(token), as: plan.client, scopes: plan.scopes, extra: resources + plan.tokenParameters)
      Checkpoint.replied.reached()
      var result = LoginResult(tokens: reply.tokens, client: reply.client)
      result.isTakenOver = true
      result.tokens.refreshToken = reply.tokens.refreshToken ?? token
      let words = [
        Self.problem(of: reply), try Self.judge(&result, plan, keys.kept?.set, now: endpoint.network.time.now),
      ]
      for case let words? in words { terminal.note("warning: \(words)") }
      if result.tokens.idToken != nil { result.keys = keys.kept }
      return result
    }
  }

  /// What a login with another grant would be refused for.
  private static func problem(of reply: TokenEndpoint.Reply) -> String? {
    guard (try? reply.checkBinding()) == nil else { return nil }
    return reply.client.binding == nil
      ? "the token is bound to a key that is not here, so that it may be of no use; log in with --dpop for another"
      : "the server did not bind the token to the key of --dpop: whoever finds it can use it"
  }

  /// Judges the ID token as that of a refresh, and notes what the tokens are known to be good for.
  private static func judge(
    _ result: inout LoginResult, _ plan: LoginPlan, _ keys: JSONWebKeySet?, now: Date
  ) throws -> String? {
    let isOfPerson = result.tokens.idToken != nil
    var scopes = plan.scopes.isEmpty ? result.tokens.scope ?? [] : plan.scopes
    if isOfPerson, !scopes.contains("openid") { scopes.append("openid") }
    if plan.scopes.isEmpty { result.scopes = scopes }
    // A login of the same client that has no ID token yet: there is nobody whom this one must speak of.
    let session = Session(
      provider: plan.provider, account: "", clientID: plan.client.registration.id, clientAuth: nil,
      requestedScopes: scopes, tokens: TokenSet(accessToken: Secret(""), obtainedAt: now), identity: nil)
    let words = try RefreshedIdentity(
      session: session, secret: plan.client.registration.secret, keys: keys, isKept: true, now: now
    ).judge(&result.tokens)
    result.identity = result.tokens.idToken.flatMap(IDToken.init(unverified:))?.identity
    return words
  }
}

public import Crypto
internal import FoundationEssentials
public import OAuth

/// Logs in with a grant that needs no browser: one request to the token endpoint.
public struct DirectLogin: Sendable {
  /// The grants there are.
  public enum Kind: Sendable {
    /// The client's own authentication (RFC 6749 section 4.4).
    case clientCredentials
    /// A person's name and password, which are not kept (RFC 6749 section 4.3).
    case password(username: String, password: Secret)
    /// A statement that somebody else signed, good for once (RFC 7523 section 2.1).
    case assertion(Secret)
    /// A statement that is signed here, whenever a token is needed (RFC 7523 section 2.1).
    case signedAssertion(StandingGrant.Assertion)
    /// Another's token, in exchange (RFC 8693).
    case tokenExchange(TokenExchange)
    /// A grant of the provider's own (RFC 6749 section 4.5).
    case `extension`(type: String, parameters: [String: String])
    /// A refresh token that the client was given elsewhere (RFC 6749 section 6).
    case refreshToken(Secret)
  }

  let endpoint: TokenEndpoint
  let confirm: ConfirmIdentity

  /// Works on the given ports.
  public init(network: Network, terminal: any UserTerminal) {
    endpoint = TokenEndpoint(network: network)
    confirm = ConfirmIdentity(network: network, terminal: terminal)
  }

  /// Gets the tokens; the caller saves them.
  ///
  /// - Throws: ``FlowError``, `TokenFailure`, ``TransportError``, `JWT.Mismatch`, `KeyError`.
  public func run(_ plan: LoginPlan, _ kind: Kind) async throws -> LoginResult {
    if case .refreshToken(let token) = kind { return try await takeOver(token, plan) }
    let resources = plan.resources.map { Parameter("resource", $0) }
    let reply: TokenEndpoint.Reply
    var result: LoginResult
    switch try prepared(kind, plan) {
    case .standing(let grant):
      reply = try await grant.redeem(at: endpoint, as: plan.client, scopes: plan.scopes, extra: resources)
      result = LoginResult(tokens: reply.tokens, client: reply.client, grant: grant)
      // It would be another way to the same tokens, and one that ends.
      result.tokens.refreshToken = nil
    case .once(let grant):
      reply = try await endpoint.redeem(
        grant, as: plan.client, scopes: plan.scopes, extra: resources + plan.tokenParameters)
      result = LoginResult(tokens: reply.tokens, client: reply.client)
    }
    try reply.checkBinding()
    result.identity = Self.identity(kind, plan)
    try await confirm.confirm(&result, plan, nonce: nil, keys: await confirm.keys(of: plan))
    return result
  }

  /// Whose tokens they are, as far as what was asked for tells.
  private static func identity(_ kind: Kind, _ plan: LoginPlan) -> String? {
    switch kind {
    case .clientCredentials: plan.client.registration.id
    case .password(let username, _): username
    case .signedAssertion(let assertion): assertion.subject ?? assertion.issuer
    case .assertion(let token): IDToken(unverified: token)?.subject
    case .tokenExchange, .extension, .refreshToken: nil
    }
  }

  /// An assertion is good at the server that it names: another one that it is sent to could use it there (RFC 7523 section 3).
  ///
  /// A server on this machine is there to stand for another one.
  ///
  /// - Throws: ``FlowError/foreignAssertion(audience:endpoint:provider:)``.
  private func checkAudience(of assertion: StandingGrant.Assertion, _ plan: LoginPlan) throws(FlowError) {
    // Who names an audience means it.
    guard assertion.holdsScope, !plan.tokenParameters.contains(where: { $0.name == "audience" }),
      let audience = assertion.audience, let origin = DPoP.origin(of: audience),
      let endpoint = plan.provider.endpoints?.token, let other = DPoP.origin(of: endpoint), origin != other,
      WebURL(endpoint)?.isLoopback != true
    else { return }
    throw .foreignAssertion(audience: origin, endpoint: other, provider: plan.provider.name)
  }

  private enum Prepared {
    /// It can be redeemed again without a person, and is kept for that.
    case standing(StandingGrant)
    case once(Grant)
  }

  private func prepared(_ kind: Kind, _ plan: LoginPlan) throws -> Prepared {
    let id = try endpoint.network.stamp().id
    let parameters = plan.tokenParameters
    switch kind {
    case .clientCredentials:
      return .standing(StandingGrant(id: id, kind: .clientCredentials, sending: parameters))
    case .signedAssertion(let assertion):
      try checkAudience(of: assertion, plan)
      return .standing(StandingGrant(id: id, kind: .jwtBearer, sending: parameters, assertion: assertion))
    case .extension(let type, let own):
      let fixed = own.filter { name, _ in !parameters.contains { $0.name == name } }.map { Parameter($0.key, $0.value) }
      return .standing(StandingGrant(id: id, kind: .extension, type: type, sending: fixed + parameters))
    case .password(let username, let password): return .once(.password(username: username, password: password))
    case .assertion(let assertion): return .once(.jwtBearer(assertion: assertion))
    case .tokenExchange(let exchange): return .once(.tokenExchange(exchange))
    case .refreshToken(let token): return .once(.refreshToken(token))
    }
  }
}

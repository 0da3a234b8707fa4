internal import Crypto
internal import FoundationEssentials
internal import OAuth

/// Where a browser is sent.
struct SentAway: Sendable {
  /// The URL.
  let url: String
  /// When it is of no use any more; nil where nothing is known of an end.
  var endsAt: Date?
  /// The plan, with what the server has said meanwhile.
  let plan: LoginPlan
}

/// Where the browser is sent.
extension BrowserLogin {
  /// Gives the URL of the authorization request, and the plan with what the server has said meanwhile.
  ///
  /// The URL has the request's parameters, a signed object in their place, or a reference to what was left with the server
  /// beforehand.
  ///
  /// - Throws: ``FlowError``, ``TransportError``, `TokenFailure`, `KeyError`.
  /// - See: https://www.rfc-editor.org/rfc/rfc9126#section-4, https://www.rfc-editor.org/rfc/rfc9101#section-5
  func address(_ pending: PendingAuthorization, _ plan: LoginPlan) async throws -> SentAway {
    var plan = plan
    let (provider, client) = (plan.provider, plan.client)
    guard let endpoint = provider.endpoints?.authorization else {
      throw FlowError.noEndpoint(provider: provider.name, endpoint: "authorization")
    }
    let resources = plan.resources.map { Parameter("resource", $0) }
    var parameters = try AuthorizationRequest.parameters(
      for: client, scopes: plan.scopes, pending: pending, extra: resources + plan.authorizationParameters)
    if plan.signsRequest { parameters = try signed(parameters, client, isPushed: plan.pushesRequest) }
    guard plan.pushesRequest else { return SentAway(url: FormEncoding.url(endpoint, adding: parameters), plan: plan) }
    guard let pushed = provider.endpoints?.pushedAuthorizationRequest else {
      throw FlowError.noEndpoint(provider: provider.name, endpoint: "pushed_authorization_request")
    }
    try TokenEndpoint.checkMeans(of: client)
    let request = parameters
    let response = try await ServerExchange(network: network).send(as: &plan.client) { client, stamp in
      try ServerRequest.post(request, to: pushed, as: client, stamp: stamp)
    }
    do {
      let left = try PushedAuthorization.validate(response, provider: provider, now: network.time.now)
      return SentAway(
        url: PushedAuthorization.url(endpoint, clientID: client.registration.id, left), endsAt: left.expiresAt,
        plan: plan)
    } catch {
      throw error.redacted(by: ServerExchange.redactor(client, [pending.state, pending.pkce.verifier]))
    }
  }

  /// Puts the parameters into an object that the client's key signs (RFC 9101 section 4).
  private func signed(
    _ parameters: [Parameter], _ client: RequestingClient, isPushed: Bool
  ) throws -> [Parameter] {
    guard let kept = client.registration.key else {
      throw FlowError.noClientKey(provider: client.provider.name, clientID: client.registration.id)
    }
    let key = try PrivateKey(pem: kept.pem)
    let stamp = try network.stamp()
    let object = try RequestObject.build(
      parameters: parameters, clientID: client.registration.id,
      audience: client.provider.issuer ?? client.provider.endpoints?.authorization ?? client.provider.name,
      key: .privateKey(key, keyID: kept.keyID), algorithm: kept.algorithm, now: stamp.now, jti: stamp.id)
    // RFC 9101 section 5 wants client_id beside it, OpenID Connect Core section 6.1 the two others, RFC 9126 section 3 none.
    let beside = isPushed ? [] : ["client_id", "response_type", "scope"]
    return parameters.filter { beside.contains($0.name) } + [Parameter("request", object.reveal())]
  }
}

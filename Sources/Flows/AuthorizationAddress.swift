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
    if plan.signsRequest { parameters = try signed(parameters, plan) }
    guard plan.pushesRequest else { return SentAway(url: FormEncoding.url(endpoint, adding: parameters), plan: plan) }
    guard let pushed = provider.endpoints?.pushedAuthorizationRequest else {
      throw FlowError.noEndpoint(provider: provider.name, endpoint: "pushed_authorization_request")
    }
    try TokenEndpoint.checkMeans(of: client)
    do {
      let left = try await push(parameters, to: pushed, as: &plan.client)
      return SentAway(
        url: PushedAuthorization.url(endpoint, clientID: client.registration.id, left), endsAt: left.expiresAt,
        plan: plan)
    } catch let error as TokenFailure {
      throw error.redacted(by: ServerExchange.redactor(client, [pending.state, pending.pkce.verifier]))
        .of(.pushedAuthorizationRequest).telling(client.shown)
    }
  }

  /// Leaves the request with the server.
  ///
  /// The proof of the key is what some servers want here. Where one cannot do with it, the key's name in the request is
  /// enough, and nothing is spent by asking again (RFC 9449 section 10.1).
  private func push(
    _ parameters: [Parameter], to endpoint: String, as client: inout RequestingClient
  ) async throws -> PushedAuthorization {
    let provider = client.provider
    func push(isBound: Bool) async throws -> PushedAuthorization {
      let response = try await ServerExchange(network: network).send(as: &client) { client, stamp in
        try ServerRequest.post(parameters, to: endpoint, as: client, isBound: isBound, stamp: stamp)
      }
      return try PushedAuthorization.validate(response, provider: provider, now: network.time.now)
    }
    do {
      return try await push(isBound: true)
    } catch let refusal as TokenFailure {
      guard client.binding != nil, refusal.serverError.code == "invalid_dpop_proof" else { throw refusal }
      return try await push(isBound: false)
    }
  }

  /// Puts the parameters into an object that the client's key signs (RFC 9101 section 4).
  private func signed(
    _ parameters: [Parameter], _ plan: LoginPlan
  ) throws -> [Parameter] {
    let client = plan.client
    guard let kept = client.registration.key else {
      throw FlowError.noClientKey(provider: client.provider.name, clientID: client.registration.id)
    }
    let key = try PrivateKey(pem: kept.pem)
    let stamp = try network.stamp()
    let object = try RequestObject.build(
      parameters: parameters, clientID: client.registration.id,
      audience: client.provider.issuer ?? client.provider.endpoints?.authorization ?? client.provider.name,
      key: .privateKey(key, keyID: kept.keyID), algorithm: plan.requestAlgorithm ?? kept.algorithm, now: stamp.now,
      jti: stamp.id, lifetime: Int((plan.timeout ?? LoginPlan.usualTimeout).components.seconds))
    // RFC 9101 section 5 wants client_id beside it, OpenID Connect Core section 6.1 the two others, RFC 9126 section 3 none.
    let beside = plan.pushesRequest ? [] : ["client_id", "response_type", "scope"]
    return parameters.filter { beside.contains($0.name) } + [Parameter("request", object.reveal())]
  }
}

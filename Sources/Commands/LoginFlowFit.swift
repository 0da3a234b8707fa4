internal import CLI
internal import Flows
internal import OAuth

/// What the choice of a grant means for the rest of a login.
extension LoginFlow {
  /// What OpenID Connect asks of a person, and of a login that lasts (Core sections 5.4 and 11).
  static let scopesOfPersons: Set = ["openid", "profile", "email", "address", "phone", "offline_access"]

  /// Fits a plan to the grant.
  func adapt(_ plan: inout LoginPlan) {
    switch self {
    case .code, .device: break
    case .implicit: plan.isImplicit = true
    // There is nobody of whom an ID token could speak, or it is another's token that says who; servers refuse to be asked.
    case .direct(.clientCredentials), .direct(.tokenExchange):
      plan.scopes.removeAll { Self.scopesOfPersons.contains($0) }
    // It is the assertion that names the audience.
    case .direct(.signedAssertion(let assertion)):
      plan.tokenParameters.removeAll { $0.name == "audience" && $0.value == assertion.audience }
    // None leaves them as they were granted (RFC 6749 section 6).
    case .direct(.refreshToken): plan.scopes = []
    case .direct: break
    }
  }

  /// The name of the grant; nil for one of the provider's own.
  private var flow: Flow? {
    switch self {
    case .code: .code
    case .device: .device
    case .implicit: .implicit
    case .direct(.clientCredentials): .clientCredentials
    case .direct(.password): .password
    case .direct(.assertion), .direct(.signedAssertion): .jwtBearer
    case .direct(.tokenExchange): .tokenExchange
    case .direct(.refreshToken): .refreshToken
    case .direct(.extension): nil
    }
  }

  /// Says what would work where the server, or its data, does not have this grant, or does not take the client; nil for
  /// any other failure.
  ///
  /// A refusal of a client that has proved nothing is meant for the grant as likely as for the client; of one that has
  /// shown a secret or a key it is most often that which is wrong, and another grant would not help. So that is named only
  /// where the server, or the provider's data, says which grants there are.
  ///
  /// - Parameters:
  ///   - target: what was to be logged in to, as it was typed.
  ///   - client: as it came before the server.
  func failure(
    _ error: any Error, _ target: String, _ client: RequestingClient, _ metadata: ServerMetadata?
  ) -> Failure? {
    let (provider, hasProof) = (client.provider, client.method != .none)
    switch error {
    case TokenFailure.clientRefused(let said) where said.code == "unsupported_grant_type":
      return elsewhere(error, target, provider, metadata)
    case TokenFailure.clientRefused(var said) where said.code == "invalid_client" && !hasProof:
      said.shown = client.shown
      return Failure(TokenFailure.clientRefused(said), login: PrintableText.printable(target, limit: 200))
    case TokenFailure.clientRefused(let said) where said.code == "unauthorized_client" && !hasProof:
      return elsewhere(error, target, provider, metadata)
    case TokenFailure.clientRefused(let said) where said.code == "unauthorized_client":
      return proofRefused(error, target, client, metadata)
    // Some say no more than that to a secret that is wrong, or to a grant that they do not know.
    case TokenFailure.grantRefused(let said), TokenFailure.clientRefused(let said):
      guard said.code == nil, let status = said.status, [400, 401, 403].contains(status) else { return nil }
      // It is the person's word that was refused, and most often rightly.
      if case .direct(.password) = self, case TokenFailure.grantRefused = error { return nil }
      if hasProof { return proofRefused(error, target, client, metadata) }
      guard status == 400, isUnheardOf(provider, metadata) else { return nil }
      return elsewhere(error, target, provider, metadata)
    case FlowError.callback(.server(let said)) where said.code == "unsupported_response_type":
      return elsewhere(error, target, provider, metadata)
    case FlowError.noEndpoint: return elsewhere(error, target, provider, metadata)
    default: return nil
    }
  }

  /// The failure, with the grants that there are; nil where there is no other.
  private func elsewhere(
    _ error: any Error, _ target: String, _ provider: Provider, _ metadata: ServerMetadata?
  ) -> Failure? {
    let others = others(provider, metadata)
    guard let first = others.first else { return nil }
    var failure = Failure(error)
    failure.kind = .configuration
    let more = others.dropFirst()
    failure.hint =
      "try 'oauthctl login \(PrintableText.printable(target, limit: 200)) --flow \(first.rawValue)'"
      + (more.isEmpty ? "" : "; it has \(more.map(\.rawValue).joined(separator: ", ")), too")
    return failure
  }

  /// The failure, with what the client has proved itself by; other grants after that where this one is known to be missing.
  private func proofRefused(
    _ error: any Error, _ target: String, _ client: RequestingClient, _ metadata: ServerMetadata?
  ) -> Failure {
    var failure = Failure(error)
    failure.kind = .configuration
    var said = ServerError(code: "invalid_client")
    said.shown = client.shown
    let hint = Failure.clientHint(said, PrintableText.printable(target, limit: 200))
    let own =
      switch self {
      case .direct(.password): ", and the name and the password"
      case .direct(.assertion), .direct(.signedAssertion): ", and the assertion"
      case .direct(.tokenExchange): ", and the token to be exchanged"
      case .direct(.refreshToken): ", and that the refresh token was given to this client"
      case .code, .device, .implicit, .direct(.clientCredentials), .direct(.extension): ""
      }
    // What the code means by itself (RFC 6749 section 5.2).
    let right = failure.server?.code == nil ? "" : ", and that the client may use this grant"
    let missing =
      isUnheardOf(client.provider, metadata)
      ? elsewhere(error, target, client.provider, metadata)?.hint.map { "; this grant is not offered: \($0)" } : nil
    failure.hint = hint + own + right + (missing ?? "")
    return failure
  }

  /// Whether the server, or else the provider's data, names the grants that there are, and this one is not among them.
  private func isUnheardOf(_ provider: Provider, _ metadata: ServerMetadata?) -> Bool {
    guard let flow else { return false }
    if let offered = metadata?.grantTypes { return !offered.contains(flow.grantType) }
    return provider.flows.map { !$0.contains(flow) } ?? false
  }

  /// The grants that the server says it has, else those that the provider's data tells of; not this one.
  private func others(_ provider: Provider, _ metadata: ServerMetadata?) -> [Flow] {
    let endpoints = provider.endpoints
    let offered = metadata?.grantTypes
    return Flow.allCases.filter { other in
      // What most have refreshed by is no way to begin where somebody has nothing to refresh.
      if other == flow || other == .refreshToken { return false }
      if other == .code, endpoints?.authorization == nil { return false }
      if other == .device, endpoints?.deviceAuthorization == nil { return false }
      return offered.map { $0.contains(other.grantType) } ?? provider.effectiveFlows.contains(other)
    }
  }
}

extension Flow {
  /// The name in `grant_types_supported` (RFC 7591 section 2, RFC 8628 section 4, RFC 8693 section 2.1).
  fileprivate var grantType: String {
    switch self {
    case .code: "authorization_code"
    case .device: DeviceStyle.grantType
    case .clientCredentials: "client_credentials"
    case .password: "password"
    case .implicit: "implicit"
    case .jwtBearer: "urn:ietf:params:oauth:grant-type:jwt-bearer"
    case .tokenExchange: TokenExchange.grantType
    case .refreshToken: "refresh_token"
    }
  }
}

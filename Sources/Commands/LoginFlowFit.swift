internal import CLI
internal import Flows
internal import OAuth

/// What the choice of a grant means for the rest of a login.
extension LoginFlow {
  /// What OpenID Connect asks of a person, and of a login that lasts (Core sections 5.4 and 11).
  private static let scopesOfPersons: Set = ["openid", "profile", "email", "address", "phone", "offline_access"]

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

  /// Says which grant would work where the server, or its data, does not have this one; nil for any other failure.
  ///
  /// - Parameter target: what was to be logged in to, as it was typed.
  func failure(
    _ error: any Error, _ target: String, _ provider: Provider, _ metadata: ServerMetadata?
  ) -> Failure? {
    let isForeign: Bool
    if case .direct(.refreshToken) = self, case TokenFailure.grantRefused(let said) = error {
      return Self.refusedToken(said, target)
    }
    switch error {
    case TokenFailure.clientRefused(let said):
      isForeign = said.code == "unsupported_grant_type" || said.code == "unauthorized_client"
    // Some say no more than that to a grant that they do not know; with 401 and 403 it is who asks that they mean.
    case TokenFailure.grantRefused(let said):
      isForeign = said.code == nil && said.status == 400 && isUnheardOf(metadata)
    case FlowError.callback(.server(let said)): isForeign = said.code == "unsupported_response_type"
    case FlowError.noEndpoint: isForeign = true
    default: isForeign = false
    }
    let others = others(provider, metadata)
    guard isForeign, let first = others.first else { return nil }
    var failure = Failure(error)
    failure.kind = .configuration
    let more = others.dropFirst()
    failure.hint =
      "try 'oauthctl login \(PrintableText.printable(target, limit: 200)) --flow \(first.rawValue)'"
      + (more.isEmpty ? "" : "; it has \(more.map(\.rawValue).joined(separator: ", ")), too")
    return failure
  }

  /// What is told of a refresh token that the server does not take: whose it is matters as much as whether it lives.
  private static func refusedToken(_ said: ServerError, _ target: String) -> Failure {
    Failure(
      .loginRequired, "the server refused the refresh token: \(said.sentence)",
      hint:
        "it may be spent, revoked or another client's: name the client that it was given to with --client-id, or log in "
        + "without it: 'oauthctl login \(PrintableText.printable(target, limit: 200))'",
      server: said)
  }

  /// Whether the server names the grants that it has, and this one is not among them.
  private func isUnheardOf(_ metadata: ServerMetadata?) -> Bool {
    guard let flow, let offered = metadata?.grantTypes else { return false }
    return !offered.contains(flow.grantType)
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

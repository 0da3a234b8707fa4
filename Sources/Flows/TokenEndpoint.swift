internal import Crypto
internal import OAuth

/// The token endpoint, asked: a request built, sent, and its response validated.
struct TokenEndpoint: Sendable {
  let http: any HTTPClient
  let time: any TimeSource

  /// Redeems a grant.
  ///
  /// - Throws: ``TransportError``, `TokenFailure`; ``FlowError`` where the provider has no such endpoint or the client
  ///   lacks the secret that its authentication needs.
  func redeem(
    _ grant: Grant, provider: Provider, client: ClientRegistration, extra: [Parameter] = []
  ) async throws -> TokenSet {
    let endpoints = provider.endpoints ?? Endpoints()
    var endpoint = endpoints.token
    if case .refreshToken = grant { endpoint = endpoints.refresh ?? endpoints.token }
    guard let endpoint else { throw FlowError.noEndpoint(provider: provider.name, endpoint: "token") }
    if client.secret == nil, ClientAuthentication.method(for: client, provider: provider) != .none {
      throw FlowError.noClientSecret(provider: provider.name, clientID: client.id)
    }
    let request = TokenRequest.build(grant, endpoint: endpoint, provider: provider, client: client, extra: extra)
    let response = try await http.send(request)
    do {
      return try TokenResponse.validate(response, provider: provider, now: time.now)
    } catch {
      let redactor = Redactor()
      for secret in grant.secrets + (client.secret.map { [$0] } ?? []) { redactor.register(secret) }
      throw error.redacted(by: redactor)
    }
  }
}

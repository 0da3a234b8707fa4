internal import Crypto
internal import FoundationEssentials
internal import OAuth

/// The token endpoint, asked: a request built, sent, and its response validated.
struct TokenEndpoint: Sendable {
  let network: Network

  /// What it gave, and the client as it is now: with what the server said must be in the next proof.
  struct Reply: Sendable {
    var tokens: TokenSet
    var client: RequestingClient
  }

  /// Redeems a grant.
  ///
  /// - Throws: ``TransportError``, `TokenFailure`, `KeyError`; ``FlowError`` where the provider has no such endpoint, the
  ///   client lacks what its authentication needs, or the token is not bound as it had to be.
  func redeem(
    _ grant: Grant, as asking: RequestingClient, scopes: [String] = [], extra: [Parameter] = []
  ) async throws -> Reply {
    var client = asking
    let endpoints = client.provider.endpoints ?? Endpoints()
    var endpoint = endpoints.token
    if case .refreshToken = grant { endpoint = endpoints.refresh ?? endpoints.token }
    guard let endpoint else { throw FlowError.noEndpoint(provider: client.provider.name, endpoint: "token") }
    try Self.checkMeans(of: client)
    try checkSecretAge(of: client)
    let response = try await ServerExchange(network: network).send(as: &client) { client, stamp in
      try TokenRequest.build(grant, endpoint: endpoint, as: client, scopes: scopes, extra: extra, stamp: stamp)
    }
    do {
      let tokens = try Self.tokens(in: response, grant, client.provider, now: network.time.now)
      return Reply(tokens: tokens, client: client)
    } catch {
      throw error.redacted(by: ServerExchange.redactor(client, grant.secrets)).telling(client.shown)
    }
  }

  private static func tokens(
    in response: HTTPResponse, _ grant: Grant, _ provider: Provider, now: Date
  ) throws(TokenFailure) -> TokenSet {
    if case .tokenExchange(let exchange) = grant {
      return try exchange.validate(response, provider: provider, now: now)
    }
    return try TokenResponse.validate(response, provider: provider, now: now)
  }

  /// Says what the client lacks before anything is sent: a code is good for once.
  ///
  /// - Throws: ``FlowError/noClientSecret(provider:clientID:)``, ``FlowError/noClientKey(provider:clientID:)``,
  ///   ``FlowError/noClientCertificate(provider:clientID:)``, ``FlowError/unusableBindingKey(provider:reason:)``.
  static func checkMeans(of client: RequestingClient) throws(FlowError) {
    let (provider, registration) = (client.provider.name, client.registration)
    try checkBindingKey(of: client)
    switch client.method {
    case .none: break
    case .basic, .post, .clientSecretJWT:
      let mayBeEmpty = client.method == .basic && client.provider.effectiveQuirks.basicEmpty == true
      if registration.secret == nil, !mayBeEmpty {
        throw .noClientSecret(provider: provider, clientID: registration.id)
      }
    case .privateKeyJWT:
      if registration.key == nil { throw .noClientKey(provider: provider, clientID: registration.id) }
    case .tls:
      if registration.certificate == nil { throw .noClientCertificate(provider: provider, clientID: registration.id) }
    }
  }
}

extension TokenEndpoint {
  /// Says that the client's secret is no more before it is sent (RFC 7591 section 3.2.1, `client_secret_expires_at`).
  ///
  /// - Throws: ``FlowError/clientSecretEnded(provider:clientID:at:)``.
  private func checkSecretAge(of client: RequestingClient) throws(FlowError) {
    guard client.method.needsSecret, let end = client.registration.secretExpiresAt, end <= network.time.now else {
      return
    }
    throw .clientSecretEnded(provider: client.provider.name, clientID: client.registration.id, at: end)
  }

  /// Says that the key that the tokens are bound to cannot be read: nothing but a new login makes another.
  ///
  /// - Throws: ``FlowError/unusableBindingKey(provider:reason:)``.
  static func checkBindingKey(of client: RequestingClient) throws(FlowError) {
    guard let binding = client.binding else { return }
    do {
      _ = try PrivateKey(pem: binding.key)
    } catch {
      // A library that is not there says nothing of the key; the signature fails for it soon enough.
      if case .unavailable = error { return }
      throw .unusableBindingKey(provider: client.provider.name, reason: error.message)
    }
  }
}

extension TokenEndpoint.Reply {
  /// Refuses a token that is not bound to the key that was proved, since whoever finds it can use it, and one that is bound
  /// to a key that is not ours, since we cannot (RFC 9449 section 5).
  ///
  /// Only for a login: what a refresh brings is kept whatever it is, for what it replaces may be spent.
  ///
  /// - Throws: ``FlowError/unexpectedTokenType(expected:got:provider:)``.
  func checkBinding() throws(FlowError) {
    let isBound = tokens.authorizationScheme == "DPoP"
    guard isBound == (client.binding == nil) else { return }
    throw .unexpectedTokenType(
      expected: isBound ? "Bearer" : "DPoP", got: tokens.tokenType, provider: client.provider.name)
  }
}

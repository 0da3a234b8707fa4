public import Crypto
public import OAuth

/// Asks a provider about tokens that it gave: whose they are, and what they are good for.
public struct AskAboutToken: Sendable {
  private let network: Network
  private let keys: IssuerKeys?

  /// Asks through the given network.
  public init(network: Network) { self.init(network: network, keys: nil) }

  /// Asks through the given network, with the keys of the issuer as they are kept.
  init(network: Network, keys: IssuerKeys?) {
    self.network = network
    self.keys = keys
  }

  /// Gives what the provider says of the person.
  ///
  /// The keys of the issuer are asked for only where the answer is signed.
  ///
  /// - Parameters:
  ///   - client: whose tokens they are; what the server said must be in the next proof is kept in it.
  ///   - subject: the `sub` of the ID token, which the answer must have; nil where there is none.
  /// - Throws: `Userinfo.Failure`, ``FlowError/noEndpoint(provider:endpoint:)``, ``TransportError``, ``KeySetError``,
  ///   `KeyError`.
  public func userinfo(
    _ tokens: TokenSet, as client: inout RequestingClient, subject: String?
  ) async throws -> [String: JSONValue] {
    let endpoint = try endpoint("userinfo", \.userinfo, client.provider)
    let response = try await ServerExchange(network: network).send(as: &client) { client, stamp in
      try Userinfo.request(tokens, endpoint: endpoint, as: client, stamp: stamp)
    }
    let (now, asking) = (network.time.now, client)
    do {
      guard Userinfo.isSigned(response) else {
        return try Userinfo.validate(response, subject: subject, now: now)
      }
      let keys = keys ?? IssuerKeys(client.provider, network: network, store: nil)
      return try await keys.checking { keys in
        try Userinfo.validate(response, subject: subject, signature: Self.signature(of: asking, keys), now: now)
      }
    } catch let error as Userinfo.Failure {
      throw error.redacted(by: ServerExchange.redactor(client, [tokens.accessToken]))
    }
  }

  /// Gives what the server says of a token.
  ///
  /// - Parameter hint: `access_token` or `refresh_token`.
  /// - Throws: `Introspection.Failure`, ``FlowError/noEndpoint(provider:endpoint:)``, ``TransportError``, `KeyError`.
  public func introspection(
    _ token: Secret, hint: String = "access_token", as client: inout RequestingClient
  ) async throws -> Introspection {
    let endpoint = try endpoint("introspection", \.introspection, client.provider)
    let response = try await ServerExchange(network: network).send(as: &client) { client, stamp in
      try Introspection.request(token, hint: hint, endpoint: endpoint, as: client, stamp: stamp)
    }
    do {
      return try Introspection.validate(response, provider: client.provider, now: network.time.now)
    } catch {
      throw error.redacted(by: ServerExchange.redactor(client, [token]))
    }
  }

  private func endpoint(
    _ name: String, _ path: KeyPath<Endpoints, String?>, _ provider: Provider
  ) throws(FlowError) -> String {
    guard let endpoint = provider.endpoints?[keyPath: path] else {
      throw .noEndpoint(provider: provider.name, endpoint: name)
    }
    return endpoint
  }

  /// What a signed answer must hold; nil where the issuer or its keys are not known.
  private static func signature(of client: RequestingClient, _ keys: JSONWebKeySet?) -> Userinfo.Signature? {
    guard let issuer = client.provider.issuer, let keys else { return nil }
    return Userinfo.Signature(
      issuer: issuer, clientID: client.registration.id, keys: keys, clientSecret: client.registration.secret)
  }
}

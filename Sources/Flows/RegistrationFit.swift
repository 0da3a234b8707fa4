public import Crypto
internal import FoundationEssentials
public import OAuth

extension RegisterClient {
  /// What to register, and where.
  public struct Plan: Sendable {
    /// What the client says of itself; the first redirect URI is the one that is used.
    public var metadata: ClientMetadata
    /// The registration endpoint.
    public var endpoint: String
    /// What the server's operator gave for it.
    public var initialAccessToken: Secret?
    /// Whose server it is, where that is known.
    public var issuer: String?
    /// The provider's own header lines.
    public var headers: [HTTPHeader] = []
    /// The key whose public half the metadata has.
    public var key: ClientKey?
    /// Whether a client that proves nothing will not do.
    public var isConfidential = false

    /// Makes one.
    public init(metadata: ClientMetadata, endpoint: String, initialAccessToken: Secret? = nil) {
      self.metadata = metadata
      self.endpoint = endpoint
      self.initialAccessToken = initialAccessToken
    }
  }

  /// What became of a registration.
  public enum Outcome: Sendable, Equatable {
    /// It is as good as it was; nothing was asked, or nothing is new.
    case kept(ClientRegistration)
    /// The server changed it: what is stored of the client must be stored anew.
    case changed(ClientRegistration)
    /// There is a new client in its place; the old one is still there, since other accounts may use it.
    case replaced(ClientRegistration)
    /// Another client of ours, which was there already, takes its place.
    case exchanged(ClientRegistration)

    /// The client to use.
    public var client: ClientRegistration {
      switch self {
      case .kept(let client), .changed(let client), .replaced(let client), .exchanged(let client): client
      }
    }
  }
}

extension RegisterClient {
  /// A secret within a minute of its end would not last through the login.
  func hasEnded(_ client: ClientRegistration) -> Bool {
    client.secretExpiresAt.map { $0.timeIntervalSince(network.time.now) <= 60 } ?? false
  }

  /// Whether a client is good for a plan as it is, as far as is known.
  func isFit(_ client: ClientRegistration, _ plan: Plan) -> Bool {
    guard let management = client.management, management.isUnfit != true, management.isRefused != true,
      !hasEnded(client), canProve(client, plan)
    else { return false }
    if let uri = plan.metadata.redirectURIs.first, !LoopbackRedirect.fits(uri, management.redirectURIs) { return false }
    // The first grant is the login's own; it can do without the others.
    if let needed = plan.metadata.grantTypes.first, let grants = management.grantTypes, !grants.contains(needed) {
      return false
    }
    if let scopes = management.scopes, !(plan.metadata.scopes ?? []).allSatisfy(scopes.contains) { return false }
    return plan.key == nil || plan.key?.pem == client.key?.pem
  }

  /// Whether a client proves who it is in a way that is good for a plan; to change that would end its other logins.
  func canProve(_ client: ClientRegistration, _ plan: Plan) -> Bool {
    if plan.key != nil { return client.method == .privateKeyJWT }
    return !plan.isConfidential || client.method != ClientAuthMethod.none
  }
}

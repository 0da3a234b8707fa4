internal import Crypto
internal import FoundationEssentials
public import OAuth

/// What gets new tokens without a person and without a refresh token: it is redeemed again each time.
public struct StandingGrant: Sendable, Equatable, Codable {
  /// The kinds there are.
  public enum Kind: String, Sendable, Codable {
    /// The client's own authentication (RFC 6749 section 4.4).
    case clientCredentials = "client-credentials"
    /// An assertion that a stored key signs (RFC 7523 section 2.1).
    case jwtBearer = "jwt-bearer"
    /// A grant of the provider's own (RFC 6749 section 4.5).
    case `extension`
  }

  /// Whose word an assertion is, and what signs it.
  public struct Assertion: Sendable, Equatable, Codable {
    /// Who says it (`iss`).
    public var issuer: String
    /// Of whom (`sub`).
    public var subject: String?
    /// To whom (`aud`); nil for the token endpoint.
    public var audience: String?
    /// The key that signs it.
    public var key: ClientKey
    /// Whether the scopes are a claim of it, and not a parameter of the request.
    public var holdsScope: Bool

    enum CodingKeys: String, CodingKey {
      case issuer, subject, audience, key
      case holdsScope = "holds_scope"
    }

    /// Makes one.
    public init(issuer: String, subject: String?, audience: String?, key: ClientKey, holdsScope: Bool) {
      self.issuer = issuer
      self.subject = subject
      self.audience = audience
      self.key = key
      self.holdsScope = holdsScope
    }
  }

  /// Tells this grant from any other of the account: a refusal by the server is meant for one of them.
  public var id: String
  /// The kind.
  public var kind: Kind
  /// The `grant_type` of an extension grant.
  public var type: String?
  /// Further parameters of the token request, by name.
  public var parameters: [String: String]?
  /// All parameters of the names that are there more than once, in their order; they stand for those above.
  public var repeated: [Parameter]?
  /// The assertion of a JWT bearer grant.
  public var assertion: Assertion?

  /// Makes one with further parameters of the token request, each as often as it is given.
  public init(
    id: String, kind: Kind, type: String? = nil, sending list: [Parameter], assertion: Assertion? = nil
  ) {
    self.init(
      id: id, kind: kind, type: type, parameters: Dictionary(list.map { ($0.name, $0.value) }) { _, last in last },
      assertion: assertion)
    let several = list.filter { one in list.count { $0.name == one.name } > 1 }
    repeated = several.isEmpty ? nil : several
  }

  /// Makes one.
  public init(
    id: String, kind: Kind, type: String? = nil, parameters: [String: String]? = nil, assertion: Assertion? = nil
  ) {
    self.id = id
    self.kind = kind
    self.type = type
    self.parameters = parameters
    self.assertion = assertion
  }

  /// The further parameters, as the request has them.
  public var extra: [Parameter] {
    (parameters ?? [:]).sorted { $0.key < $1.key }.flatMap { name, value in
      let several = (repeated ?? []).filter { $0.name == name }
      return several.isEmpty ? [Parameter(name, value)] : several
    }
  }

  /// Gives the grant to redeem now, and the scopes that are a parameter beside it.
  ///
  /// - Throws: `KeyError` where the assertion cannot be signed.
  func grant(
    scopes: [String], endpoint: String, stamp: RequestStamp
  ) throws(KeyError) -> (grant: Grant, scopes: [String]) {
    switch kind {
    case .clientCredentials: return (.clientCredentials, scopes)
    case .extension: return (.extension(type: type ?? "", parameters: []), scopes)
    case .jwtBearer:
      guard let assertion else { throw .unsupported(reason: "the stored grant has no assertion") }
      let key = try PrivateKey(pem: assertion.key.pem)
      let token = try JWTBearerAssertion.build(
        issuer: assertion.issuer, subject: assertion.subject, audience: assertion.audience ?? endpoint,
        scopes: assertion.holdsScope ? scopes : [], key: .privateKey(key, keyID: assertion.key.keyID),
        algorithm: assertion.key.algorithm, now: stamp.now, jti: stamp.id)
      return (.jwtBearer(assertion: token), assertion.holdsScope ? [] : scopes)
    }
  }
}

extension StandingGrant {
  /// Redeems it.
  ///
  /// - Throws: what ``TokenEndpoint/redeem(_:as:scopes:extra:)`` throws, `KeyError`, `RandomnessError`.
  func redeem(
    at endpoint: TokenEndpoint, as client: RequestingClient, scopes: [String], extra further: [Parameter]
  ) async throws -> TokenEndpoint.Reply {
    let (grant, scopes) = try grant(
      scopes: scopes, endpoint: client.provider.endpoints?.token ?? "", stamp: try endpoint.network.stamp())
    let names = Set(further.map(\.name))
    return try await endpoint.redeem(
      grant, as: client, scopes: scopes, extra: extra.filter { !names.contains($0.name) } + further)
  }
}

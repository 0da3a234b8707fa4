internal import Crypto
internal import Flows
internal import OAuth

/// What a login chooses by what the server says of itself: nothing is ever tried out, since a code is good for once.
extension DiscoverProvider.Found {
  /// Chooses how a client authenticates; nil where the metadata decides nothing.
  ///
  /// - Throws: `UnsupportedClientAuth`, `KeyError`.
  func method(for client: ClientRegistration) throws -> ClientAuthMethod? {
    let means = ClientAuthChoice.Means(
      secret: client.secret != nil || provider.effectiveQuirks.basicEmpty == true,
      keyAlgorithms: try Self.algorithms(of: client.key).map(\.rawValue),
      certificate: client.certificate != nil)
    guard let choice = try authentication(means) else { return nil }
    return ClientAuthMethod.allCases.first { $0.registeredNames.contains(choice.name) }
  }

  /// Chooses how a client authenticates by its secret, whatever else it has.
  ///
  /// - Throws: `UnsupportedClientAuth`, `KeyError`.
  func methodOfSecret(_ client: ClientRegistration) throws -> ClientAuthMethod? {
    var bare = client
    (bare.key, bare.certificate) = (nil, nil)
    if let method = try method(for: bare) { return method }
    // Without a word of the server's what the client has would decide, or the provider's data.
    let isDecided = client.key != nil || client.certificate != nil || provider.clientAuth != nil
    return isDecided ? .basic : nil
  }

  /// Chooses what a client's assertions are signed by; nil for the usual algorithm.
  ///
  /// - Throws: `KeyError`.
  func assertionAlgorithm(for client: ClientRegistration, _ method: ClientAuthMethod) throws -> SignatureAlgorithm? {
    let possible: [SignatureAlgorithm] =
      switch method {
      case .clientSecretJWT: [.hs256, .hs384, .hs512]
      case .privateKeyJWT: try Self.algorithms(of: client.key)
      case .none, .basic, .post, .tls: []
      }
    return Self.first(of: possible, in: metadata?.authAlgorithms)
  }

  /// Chooses what a client's request objects are signed by; nil for the usual algorithm of its key.
  ///
  /// - Throws: `KeyError`.
  func requestAlgorithm(for client: ClientRegistration) throws -> SignatureAlgorithm? {
    Self.first(of: try Self.algorithms(of: client.key), in: metadata?.requestObjectAlgorithms)
  }

  /// Chooses the curve of the key that tokens are bound to: ES256 is the one that all know, where nothing else is said.
  ///
  /// Both are shown its proofs: the server that gives the token, and the resource that takes it.
  ///
  /// - Parameter former: what the account's former key signs by, which the resource took.
  /// - Throws: `FlowError.noProofAlgorithm`.
  /// - See: https://www.rfc-editor.org/rfc/rfc9449#section-5.1, https://www.rfc-editor.org/rfc/rfc9728#section-2
  func proofCurve(former: SignatureAlgorithm? = nil) throws(FlowError) -> EllipticCurve {
    let lists = [metadata?.dpopAlgorithms, resourceProofAlgorithms].compactMap(\.self)
    let all: [(algorithm: SignatureAlgorithm, curve: EllipticCurve)] = [
      (.es256, .p256), (.es384, .p384), (.es512, .p521),
    ]
    let common = all.filter { one in lists.allSatisfy { $0.contains(one.algorithm.rawValue) } }
    guard let curve = (common.first { $0.algorithm == former } ?? common.first)?.curve else {
      let offered = lists.dropFirst().reduce(lists.first ?? []) { both, list in both.filter(list.contains) }
      throw .noProofAlgorithm(provider: provider.name, offered: offered)
    }
    return curve
  }

  /// A list without any of ours may be wrong or old: the usual one is the best guess there is.
  private static func first(of possible: [SignatureAlgorithm], in offered: [String]?) -> SignatureAlgorithm? {
    guard let offered else { return nil }
    return possible.first { offered.contains($0.rawValue) }
  }

  /// What a key can sign by, the usual one first; what its JWK says of it leaves no choice.
  private static func algorithms(of kept: ClientKey?) throws(KeyError) -> [SignatureAlgorithm] {
    guard let kept else { return [] }
    if let algorithm = kept.algorithm { return [algorithm] }
    let key = try PrivateKey(pem: kept.pem)
    return [key.usualAlgorithm] + SignatureAlgorithm.allCases.filter { key.supports($0) && $0 != key.usualAlgorithm }
  }
}

/// None of the ways to authenticate that a client has is one that the server takes.
public struct UnsupportedClientAuth: Error, Sendable, Equatable {
  /// What the server takes, by its registered names.
  public var offered: [String]
  /// What the client could do, by the registered names.
  public var possible: [String]

  /// Makes one.
  public init(offered: [String], possible: [String]) {
    self.offered = offered
    self.possible = possible
  }
}

/// The choice of the client authentication from a server's metadata.
///
/// Nothing is ever probed: a server that is asked with the wrong method may spend the code.
public enum ClientAuthChoice {
  /// What a client has to prove itself with.
  public struct Means: Sendable, Equatable {
    /// Whether it has a secret.
    public var secret: Bool
    /// The algorithms that its private key can sign with, the usual one first; none without a key.
    public var keyAlgorithms: [String]
    /// Whether it has a certificate.
    public var certificate: Bool

    /// Makes one.
    public init(secret: Bool = false, keyAlgorithms: [String] = [], certificate: Bool = false) {
      self.secret = secret
      self.keyAlgorithms = keyAlgorithms
      self.certificate = certificate
    }
  }

  /// A method, by its registered name, and the algorithm of its assertion where it has one.
  public struct Choice: Sendable, Equatable {
    /// The registered name (`private_key_jwt`).
    public var name: String
    /// The algorithm; nil where the method signs nothing.
    public var algorithm: String?
  }

  /// Chooses the method for a client: a key, then a certificate, then a secret, then nothing.
  ///
  /// A server that lists none takes Basic (RFC 8414 section 2). A client that has nothing sends its id alone whatever the
  /// list: few servers list `none`, and nearly all have public clients.
  ///
  /// - Parameters:
  ///   - offered: `token_endpoint_auth_methods_supported`, or that of another endpoint.
  ///   - algorithms: `token_endpoint_auth_signing_alg_values_supported`, likewise; nil where the server lists none.
  /// - Returns: nil where the metadata says nothing that decides: the client's usual method then holds.
  /// - Throws: ``UnsupportedClientAuth`` where the server lists methods and the client can do none of them.
  /// - See: https://www.rfc-editor.org/rfc/rfc8414#section-2
  public static func choose(
    _ means: Means, offered: [String]?, algorithms: [String]?
  ) throws(UnsupportedClientAuth) -> Choice? {
    let possible = candidates(means, algorithms)
    guard !possible.isEmpty else { return Choice(name: "none") }
    guard let offered, offered.contains(where: known.contains) else { return nil }
    if let choice = possible.first(where: { offered.contains($0.name) }) { return choice }
    throw UnsupportedClientAuth(offered: offered, possible: possible.map(\.name))
  }

  private static let known: Set<String> = [
    "none", "client_secret_basic", "client_secret_post", "client_secret_jwt", "private_key_jwt", "tls_client_auth",
    "self_signed_tls_client_auth",
  ]

  /// All that the client can do, the best first.
  private static func candidates(_ means: Means, _ algorithms: [String]?) -> [Choice] {
    var choices: [Choice] = []
    if !means.keyAlgorithms.isEmpty {
      // A list without any of ours may be wrong or old: the key's own algorithm is the best guess there is.
      let common = means.keyAlgorithms.first { algorithms?.contains($0) ?? true }
      choices.append(Choice(name: "private_key_jwt", algorithm: common ?? means.keyAlgorithms[0]))
    }
    if means.certificate {
      choices += [Choice(name: "tls_client_auth"), Choice(name: "self_signed_tls_client_auth")]
    }
    if means.secret {
      let hmac = ["HS256", "HS384", "HS512"].first { algorithms?.contains($0) ?? true }
      choices += [Choice(name: "client_secret_basic"), Choice(name: "client_secret_post")]
      choices.append(Choice(name: "client_secret_jwt", algorithm: hmac ?? "HS256"))
    }
    return choices
  }
}

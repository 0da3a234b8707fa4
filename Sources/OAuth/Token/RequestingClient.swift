public import Crypto
public import FoundationEssentials

/// What one request does not share with any other: an assertion or a proof in it is made of these.
public struct RequestStamp: Sendable {
  /// When it is made.
  public var now: Date
  /// A text of at least 128 random bits (`jti`, RFC 7519 section 4.1.7).
  public var id: String

  /// Makes one.
  public init(now: Date, id: String) {
    self.now = now
    self.id = id
  }
}

/// The client as it comes before a server: who it is, how it proves that, and the key that its tokens are bound to.
public struct RequestingClient: Sendable {
  /// The provider that is asked.
  public var provider: Provider
  /// The client.
  public var registration: ClientRegistration
  /// The key that its tokens are bound to; nil for bearer tokens.
  public var binding: DPoPBinding?

  /// Makes one.
  public init(provider: Provider, registration: ClientRegistration, binding: DPoPBinding? = nil) {
    self.provider = provider
    self.registration = registration
    self.binding = binding
  }

  /// The method that it authenticates with.
  public var method: ClientAuthMethod { ClientAuthentication.method(for: registration, provider: provider) }

  /// What its requests show, for the words about a refusal.
  public var shown: ServerError.Shown { ServerError.Shown(method: method, isBound: binding != nil) }

  /// All that is secret in it, so that a server's echo of it can be redacted.
  public var secrets: [Secret] { registration.secrets + (binding.map { [$0.key] } ?? []) }
}

/// The key that an account's tokens are bound to (RFC 9449), and what servers said must be in the next proof.
public struct DPoPBinding: Sendable, Equatable, Codable {
  /// The private key, PKCS#8 in PEM.
  public var key: Secret
  /// The last nonce of each server, by its origin (RFC 9449 section 8).
  public var nonces: [String: String]

  /// Makes one.
  public init(key: Secret, nonces: [String: String] = [:]) {
    self.key = key
    self.nonces = nonces
  }
}

extension DPoPBinding {
  /// Gives the header that proves the key for one request.
  ///
  /// - Parameter accessToken: the token that goes with it, at a resource.
  /// - Throws: `KeyError`.
  /// - See: https://www.rfc-editor.org/rfc/rfc9449#section-4.2
  public func proof(
    method: String, url: String, accessToken: Secret? = nil, stamp: RequestStamp
  ) throws(KeyError) -> HTTPHeader {
    let proof = try DPoP.proof(
      method: method, url: url, key: try PrivateKey(pem: key),
      nonce: DPoP.origin(of: url).flatMap { nonces[$0] },
      accessToken: accessToken, now: stamp.now, jti: stamp.id)
    return HTTPHeader("DPoP", proof)
  }

  /// Takes the nonce that a server's reply has for the next proof; true where it is another than before.
  ///
  /// - See: https://www.rfc-editor.org/rfc/rfc9449#section-8.2
  public mutating func learn(from response: HTTPResponse, to url: String) -> Bool {
    guard let nonce = DPoP.nonce(in: response), let origin = DPoP.origin(of: url), nonces[origin] != nonce else {
      return false
    }
    nonces[origin] = nonce
    return true
  }
}

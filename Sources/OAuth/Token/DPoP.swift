public import Crypto
public import FoundationEssentials

/// Demonstrating Proof of Possession (RFC 9449): each request shows that the token's key is at hand.
public enum DPoP {
  /// The name of the header line that carries a proof.
  public static let header = "DPoP"

  /// Builds the proof for one request.
  ///
  /// - Parameters:
  ///   - method: the method of the request.
  ///   - url: where the request goes; its query and its fragment are left out.
  ///   - nonce: the last one that this server gave; nil where it gave none.
  ///   - accessToken: what the request is authorized by; nil at the token endpoint.
  ///   - id: never used before (`jti`).
  /// - Throws: `KeyError` where the key cannot sign.
  /// - See: https://www.rfc-editor.org/rfc/rfc9449#section-4.2
  public static func proof(
    method: String, url: String, key: PrivateKey, nonce: String? = nil, accessToken: Secret? = nil, now: Date,
    jti id: String
  ) throws(KeyError) -> String {
    var claims: [String: JSONValue] = [
      "htm": .string(method), "htu": .string(target(of: url)), "jti": .string(id),
      "iat": .integer(Int64(now.timeIntervalSince1970.rounded(.down))),
    ]
    if let nonce { claims["nonce"] = .string(nonce) }
    if let accessToken { claims["ath"] = .string(hash(of: accessToken)) }
    let header: [String: JSONValue] = ["typ": .string("dpop+jwt"), "jwk": JSONWebKey(key.publicKey).json]
    return try JWT.sign(header: header, claims: claims, key: .privateKey(key, keyID: nil)).reveal()
  }

  /// Gives the name of the key that tokens are bound to (`jkt`).
  ///
  /// - See: https://www.rfc-editor.org/rfc/rfc9449#section-6.1
  public static func thumbprint(of key: PublicKey) -> String { JSONWebKey(key).thumbprint }

  /// Gives the nonce that a server wants in the next proof; nil where it says none, or one that no header line holds.
  ///
  /// - See: https://www.rfc-editor.org/rfc/rfc9449#section-8.1
  public static func nonce(in response: HTTPResponse) -> String? {
    guard let nonce = response.header("DPoP-Nonce"), (1...longestNonce).contains(nonce.utf8.count),
      nonce.utf8.allSatisfy({ 0x21...0x7E ~= $0 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") })
    else { return nil }
    return nonce
  }

  /// Whether a request failed for want of a nonce: with the one of the response it is worth one more try.
  ///
  /// An authorization server says so by its JSON error, a resource server by its challenge.
  ///
  /// - See: https://www.rfc-editor.org/rfc/rfc9449#section-8, https://www.rfc-editor.org/rfc/rfc9449#section-9
  public static func wantsNonce(_ response: HTTPResponse) -> Bool {
    guard (400...499).contains(response.status), nonce(in: response) != nil else { return false }
    if case .fields(let fields) = ReplyBody(response), fields["error"]?.text == wantsNonceError { return true }
    return AuthenticationChallenge.all(in: response).contains {
      $0.isOf("DPoP") && $0.parameter("error") == wantsNonceError
    }
  }

  /// The request's URL as a proof names it: without query and fragment, in the one spelling that all have in common.
  ///
  /// - See: https://www.rfc-editor.org/rfc/rfc9449#section-4.2, https://www.rfc-editor.org/rfc/rfc3986#section-6.2.3
  static func target(of url: String) -> String {
    func bare(_ text: String) -> String { String(text.prefix { $0 != "?" && $0 != "#" }) }
    guard let parts = WebURL(url) else { return bare(url) }
    let path = bare(parts.rest)
    return origin(of: parts) + (path.isEmpty ? "/" : path)
  }

  /// Gives what nonces are kept by: the scheme, host and port that a URL leads to; nil where it leads nowhere.
  ///
  /// - See: https://www.rfc-editor.org/rfc/rfc9449#section-8.2
  public static func origin(of url: String) -> String? { WebURL(url).map(origin(of:)) }

  /// The port is left out where it is the scheme's own: with it or without, it is the same server.
  private static func origin(of url: WebURL) -> String {
    let usual = url.scheme == "https" ? 443 : 80
    return "\(url.scheme)://\(url.host)" + (url.port.flatMap { $0 == usual ? nil : ":\($0)" } ?? "")
  }

  private static let wantsNonceError = "use_dpop_nonce"
  private static let longestNonce = 4096

  private static func hash(of token: Secret) -> String {
    token.withBytes { Base64URL.encode(SHA256.digest(Array($0))) }
  }
}

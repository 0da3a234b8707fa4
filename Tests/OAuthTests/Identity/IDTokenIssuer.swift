import Crypto
import Foundation
import OAuth
import TestSupport
import Testing

/// A token as an issuer makes it, good or bad, and what the client that asked for it expects.
struct IDTokenCase: Sendable, CustomTestStringConvertible {
  static let issuer = "https://id.example"
  static let now = Int64(Sample.now.timeIntervalSince1970)
  static let clientSecret = "a client's secret, long enough for HMAC"

  let id: String
  /// The claim that does not hold; nil where all do.
  let fault: String?
  var claims: [String: JSONValue?] = [
    "iss": .string(issuer), "sub": .string("ada"), "aud": .string("app"), "exp": .integer(now + 300),
    "iat": .integer(now), "nonce": .string("n-1"),
  ]
  var header: [String: JSONValue] = ["typ": .string("JWT")]
  /// Whom the token is signed by; nil for nobody.
  var key: Key? = .rsa
  var algorithm: SignatureAlgorithm?
  var keyID: String? = "rsa"
  /// Whether the signature is spoiled afterwards.
  var isSpoiled = false
  /// The keys that the client has, by their names.
  var known: [(String?, Key)]? = [("rsa", .rsa), ("ec", .p256), ("521", .p521), ("ed", .ed25519)]
  var expectation = IDToken.Expectation(issuers: [issuer, "id.example"], clientID: "app", nonce: Secret("n-1"))

  enum Key: Sendable {
    case rsa, p256, p521, ed25519
    case secret(String)

    func signing(_ keyID: String?) throws -> SigningKey {
      switch self {
      case .rsa: try RFCKeys.signingKey(RFCKeys.rsa, keyID: keyID)
      case .p256: try RFCKeys.signingKey(RFCKeys.p256, keyID: keyID)
      case .p521: try RFCKeys.signingKey(RFCKeys.p521, keyID: keyID)
      case .ed25519: try RFCKeys.signingKey(RFCKeys.ed25519, keyID: keyID)
      case .secret(let secret): .secret(Secret(secret))
      }
    }

    func published(_ keyID: String?) throws -> JSONWebKey? {
      guard case .privateKey(let key, _) = try signing(nil) else { return nil }
      return JSONWebKey(key.publicKey, keyID: keyID)
    }
  }

  var testDescription: String { id }

  init(_ id: String, _ fault: String?, _ change: (inout IDTokenCase) -> Void = { _ in }) {
    (self.id, self.fault) = (id, fault)
    change(&self)
  }

  func token() throws -> Secret {
    let claims = claims.compactMapValues(\.self)
    guard let key else {
      let header = header.merging(["alg": .string("none")]) { old, _ in old }
      return Secret(
        [header, claims].map { Base64URL.encode(JSONValue.object($0).plainText.utf8) }.joined(separator: ".") + ".")
    }
    var token = try JWT.sign(header: header, claims: claims, key: key.signing(keyID), algorithm: algorithm).reveal()
    if isSpoiled {
      var parts = token.split(separator: ".").map(String.init)
      var signature = try #require(Base64URL.decode(parts[2]))
      signature[signature.count / 3] ^= 1
      parts[2] = Base64URL.encode(signature)
      token = parts.joined(separator: ".")
    }
    return Secret(token)
  }

  /// Has the client judge the token; gives the claim that does not hold.
  func judge() throws -> JWT.Mismatch? {
    var expectation = expectation
    if let known {
      expectation.keys = JSONWebKeySet(keys: try known.compactMap { try $0.1.published($0.0) })
    }
    let token = try token()
    do throws(JWT.Mismatch) {
      let idToken = try IDToken.verify(token, expecting: expectation, now: Sample.now)
      #expect(idToken.claims == claims.compactMapValues(\.self))
      return nil
    } catch {
      return error
    }
  }
}

package import Crypto
package import Foundation
package import OAuth

/// The sample issuer with a key of its own: signs, and publishes what its signatures are checked with.
package struct SampleIssuer: Sendable {
  package static let keysURL = "https://id.acme.example/jwks"
  package static let userinfoURL = "https://id.acme.example/userinfo"

  private let key: PrivateKey
  private let keyID: String

  package init(keyID: String = "k-1") throws {
    key = try PrivateKey.generate()
    self.keyID = keyID
  }

  /// The sample provider with OpenID Connect.
  package static func provider(_ change: (inout Provider) -> Void = { _ in }) -> Provider {
    Sample.provider {
      $0.issuer = Sample.issuer
      $0.endpoints?.jwks = keysURL
      $0.endpoints?.userinfo = userinfoURL
      change(&$0)
    }
  }

  package var keys: JSONWebKeySet { JSONWebKeySet(keys: [JSONWebKey(key.publicKey, keyID: keyID)]) }

  /// What stands where the keys are published.
  package func response(_ headers: HTTPHeader...) -> HTTPResponse {
    .json(JSONValue.object(["keys": .array(keys.keys.map(\.json))]).plainText, headers: headers)
  }

  package func publishes(_ headers: HTTPHeader...) -> Exchange {
    .get(
      Self.keysURL, .json(JSONValue.object(["keys": .array(keys.keys.map(\.json))]).plainText, headers: headers))
  }

  /// The keys as they are kept after a reading.
  package func kept(at now: Date = Sample.now) throws -> KeptKeySet {
    guard let kept = KeptKeySet(response(), url: Self.keysURL, now: now) else { throw UnexpectedUse() }
    return kept
  }

  /// An ID token of the sample client; a change to nil takes a claim out.
  package func idToken(_ changes: [String: JSONValue?] = [:], nonce: String? = nil) throws -> Secret {
    let now = Int64(Sample.now.timeIntervalSince1970)
    var claims: [String: JSONValue] = [
      "iss": .string(Sample.issuer), "sub": .string("ada"), "aud": .string("app"), "iat": .integer(now),
      "exp": .integer(now + 3600), "email": .string("ada@example.com"),
    ]
    claims["nonce"] = nonce.map(JSONValue.string)
    for (name, value) in changes { claims[name] = value }
    return try sign(claims)
  }

  package func sign(_ claims: [String: JSONValue]) throws -> Secret {
    try JWT.sign(header: [:], claims: claims, key: .privateKey(key, keyID: keyID))
  }
}

public import Crypto
public import FoundationEssentials

public enum SigningKey: Sendable { case secret(Secret), privateKey(PrivateKey, keyID: String?) }
enum ClientAssertion {
  static func build(clientID: String, audience: String, key: SigningKey, algorithm: SignatureAlgorithm, stamp: RequestStamp)
    throws(KeyError) -> Secret { throw .unsupported(reason: "interim") }
}
public enum DPoP {
  static func proof(
    method: String, url: String, key: PrivateKey, nonce: String?, accessToken: Secret?, now: Date, jti: String
  ) throws(KeyError) -> String { throw .unsupported(reason: "interim") }
  static func thumbprint(of key: PrivateKey) throws(KeyError) -> String { "" }
  static func nonce(in response: HTTPResponse) -> String? { nil }
  public static func wantsNonce(_ response: HTTPResponse) -> Bool { false }
}
public struct JSONWebKeySet: Sendable, Equatable {
  public init?(_ value: JSONValue) { return nil }
}
public enum JWTBearerAssertion {
  public static func build(
    issuer: String, subject: String?, audience: String, scopes: [String], key: SigningKey, algorithm: SignatureAlgorithm,
    stamp: RequestStamp
  ) throws(KeyError) -> Secret { throw .unsupported(reason: "interim") }
}
public enum RequestObject {
  public static func build(
    parameters: [Parameter], clientID: String, audience: String, key: SigningKey, algorithm: SignatureAlgorithm,
    stamp: RequestStamp
  ) throws(KeyError) -> Secret { throw .unsupported(reason: "interim") }
}
public struct PushedAuthorization: Sendable {
  public static func validate(_ response: HTTPResponse, provider: Provider, now: Date) throws(TokenFailure) -> PushedAuthorization {
    PushedAuthorization()
  }
  public static func url(_ endpoint: String, clientID: String, _ left: PushedAuthorization) -> String { "" }
}
public struct TokenExchange: Sendable {}
extension IDToken {
  public struct Expectation: Sendable {
    public var issuers: [String]
    public var clientID: String
    public var nonce: Secret?
    public var keys: JSONWebKeySet?
    public init(
      issuers: [String], clientID: String, nonce: Secret?, keys: JSONWebKeySet?, clientSecret: Secret?, accessToken: Secret?
    ) {
      self.issuers = issuers
      self.clientID = clientID
      self.nonce = nonce
      self.keys = keys
    }
  }
  public static func verify(_ token: Secret, expecting: Expectation, now: Date) throws(Mismatch) -> IDToken {
    try validate(token, issuers: expecting.issuers, clientID: expecting.clientID, nonce: expecting.nonce, now: now)
  }
}

public import Crypto
public import FoundationEssentials

public struct PushedAuthorization: Sendable {
  public static func validate(_ response: HTTPResponse, provider: Provider, now: Date) throws(TokenFailure)
    -> PushedAuthorization
  {
    PushedAuthorization()
  }
  public static func url(_ endpoint: String, clientID: String, _ left: PushedAuthorization) -> String { "" }
}
public struct TokenExchange: Sendable {
  public init(
    subjectToken: Secret, subjectTokenType: String, actorToken: Secret?, actorTokenType: String?,
    requestedTokenType: String?
  ) {}
}
public struct AuthorizationDetails {
  public var text: String
  public init(parsing text: String) throws { self.text = text }
}
extension Error { public var sentence: String { "" } }

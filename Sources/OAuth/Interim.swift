public import FoundationEssentials

public struct PushedAuthorization: Sendable {
  public static func validate(_ response: HTTPResponse, provider: Provider, now: Date) throws(TokenFailure)
    -> PushedAuthorization
  {
    PushedAuthorization()
  }
  public static func url(_ endpoint: String, clientID: String, _ left: PushedAuthorization) -> String { "" }
}
public struct TokenExchange: Sendable {}

public import OAuth

/// What the options of a login asked for, as far as nothing else of its session tells, so that the account can be logged in
/// again as it was.
///
/// A secret is not among it, nor what is meant for one login alone.
public struct LoginChoices: Sendable, Equatable, Codable {
  /// The grant, as `--flow` names it; nil where nobody chose one.
  public var flow: String?
  /// The person whose password it was.
  public var username: String?
  /// The kind of the token that was exchanged.
  public var subjectTokenType: String?
  /// The kind of the token that was asked for.
  public var requestedTokenType: String?
  /// The redirect URI, byte for byte.
  public var redirectURI: String?
  /// The ports of the redirect.
  public var ports: [Int]?
  /// Further parameters of the authorization request.
  public var authorizationParameters: [Parameter]?
  /// Further parameters of the token request.
  public var tokenParameters: [Parameter]?
  /// The names of header lines that were added to the provider's, where their values are, too.
  public var headers: [String]?
  /// The names of variables whose values the provider has from the options.
  public var variables: [String]?
  /// Whether the request was left with the server beforehand (RFC 9126).
  public var pushesRequest: Bool?
  /// Whether the request was signed (RFC 9101).
  public var signsRequest: Bool?
  /// Whether PKCE was left out.
  public var skipsPKCE: Bool?
  /// How the answer should come back.
  public var responseMode: ResponseMode?
  /// Whether an ID token should come with the code, where anything was said of it.
  public var isHybrid: Bool?
  /// Whether it was said to ask for no scope at all.
  public var asksForNoScope: Bool?
  /// How the client shall authenticate.
  public var clientAuth: ClientAuthMethod?

  enum CodingKeys: String, CodingKey {
    case flow, username
    case subjectTokenType = "subject_token_type"
    case requestedTokenType = "requested_token_type"
    case redirectURI = "redirect_uri"
    case ports
    case authorizationParameters = "authorization_parameters"
    case tokenParameters = "token_parameters"
    case headers, variables
    case pushesRequest = "par"
    case signsRequest = "sign_request"
    case skipsPKCE = "no_pkce"
    case responseMode = "response_mode"
    case isHybrid = "code_id_token"
    case asksForNoScope = "no_scope"
    case clientAuth = "client_auth"
  }

  /// Nothing is chosen.
  public init() {}

  /// The choices, where there is one.
  public var unlessEmpty: LoginChoices? { self == LoginChoices() ? nil : self }

  /// What is said to one login page, and means nothing to the next.
  private static let ofOneLogin = [
    "prompt", "login_hint", "id_token_hint", "max_age", "acr_values", "ui_locales", "claims_locales", "login_ticket",
  ]

  /// Gives those of a request's further parameters that another login may send, too: no secret, and nothing that is meant for
  /// one login.
  public static func lasting(_ parameters: [Parameter]) -> [Parameter]? {
    let kept = parameters.filter { !ofOneLogin.contains($0.name) && !$0.hasSecretName }
    return kept.isEmpty ? nil : kept
  }
}

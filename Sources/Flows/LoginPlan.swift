public import Crypto
public import OAuth

/// What one login needs to know, whichever grant it uses.
public struct LoginPlan: Sendable {
  /// The client, and the provider: complete, variables filled in.
  public var client: RequestingClient
  /// What to ask for.
  public var scopes: [String]
  /// The resources that the tokens are for (RFC 8707).
  public var resources: [String] = []
  /// Further parameters of the authorization request.
  public var authorizationParameters: [Parameter] = []
  /// Further parameters of the token request.
  public var tokenParameters: [Parameter] = []
  /// How long to wait for the user; nil for ``usualTimeout``, or as long as a code for another device lasts.
  public var timeout: Duration?
  /// How long ago the person may have logged in at the provider, in seconds; nil where that does not matter.
  public var maxAge: Int?
  /// Whether each authorization response must name its issuer.
  public var requiresIssuer = false
  /// Whether the tokens come with the authorization response itself (RFC 6749 section 4.2).
  public var isImplicit = false
  /// Whether an ID token comes with the code (OpenID Connect Core section 3.3).
  public var isHybrid = false
  /// How the authorization server's answer comes back; nil where that is left to the response type.
  public var responseMode: ResponseMode?
  /// Whether the request is left with the server beforehand (RFC 9126).
  public var pushesRequest = false
  /// Whether the request is signed by the client's key (RFC 9101).
  public var signsRequest = false
  /// Whether PKCE is left out of this login, whatever the provider's data says.
  public var skipsPKCE = false
  /// The algorithm that signs it; nil for the usual one of the key.
  public var requestAlgorithm: SignatureAlgorithm?
  /// Where the browser comes back to.
  public var redirect = RedirectPlan.listen(RedirectAddress())
  /// Whether a person may log in on another device while no browser is open here (RFC 8628).
  public var mayUseDevice = false

  /// What the options asked for, to be kept with the tokens.
  public var choices: LoginChoices?

  /// Where the keys of earlier logins are, for the day on which the provider's cannot be read.
  public var keySets: KeySetStore?

  /// Makes a plan; the rest has its defaults.
  public init(client: RequestingClient, scopes: [String]) {
    self.client = client
    self.scopes = scopes
  }

  /// Names whom the token is for, as some providers want it, where nothing else does.
  public mutating func addAudience(_ audience: String) {
    let parameter = Parameter("audience", audience)
    if !authorizationParameters.contains(where: { $0.name == "audience" }) { authorizationParameters.append(parameter) }
    if !tokenParameters.contains(where: { $0.name == "audience" }) { tokenParameters.append(parameter) }
  }

  /// How long a browser is waited for.
  public static let usualTimeout = Duration.seconds(300)

  /// The provider.
  public var provider: Provider { client.provider }

  /// Where the browser comes back to.
  public enum RedirectPlan: Sendable {
    /// A listener of ours.
    case listen(RedirectAddress)
    /// A listener of ours, under a redirect URI that is sent byte for byte.
    case listenAs(String, RedirectAddress)
    /// A listener that was bound before, for a redirect URI that had to be registered.
    case bound(any CallbackListener, String)
    /// Elsewhere: the user pastes what the browser shows.
    case paste(String)
  }
}

/// What a login brought; the caller saves it.
public struct LoginResult: Sendable {
  /// The tokens.
  public var tokens: TokenSet
  /// The client, with what the server said must be in the next proof of its key.
  public var client: RequestingClient
  /// Whose they are, as the provider calls the person.
  public var identity: String?
  /// The provider's keys that the ID token was checked with, as they were read.
  public var keys: KeptKeySet?
  /// What gets new ones in a refresh token's place.
  public var grant: StandingGrant?
  /// What they are known to be good for, where nothing was asked for; nil where that is what was asked for.
  public var scopes: [String]?
  /// The ID token that came through the browser with the code, verified.
  var earlyIdentity: IDToken?
  /// Whether it began with a refresh token that was given: at some servers that is spent now, and nobody can log in again.
  public var isTakenOver = false
  /// Whether the person has logged in on another device, so that no nonce of ours went along.
  var isFromOtherDevice = false
}

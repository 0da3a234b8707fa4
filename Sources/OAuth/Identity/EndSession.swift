public import Crypto

/// Ending the person's login at the provider itself (OpenID Connect RP-Initiated Logout 1.0).
public enum EndSession {
  /// What the logout page is told.
  public struct Request: Sendable {
    /// The ID token of the login that ends.
    public var idToken: Secret?
    /// The client.
    public var clientID: String?
    /// Where the browser goes afterwards; the provider must know it.
    public var postLogoutRedirectURI: String?
    /// What it brings back from there.
    public var state: String?
    /// Who logs out, where there is no ID token to say it.
    public var logoutHint: String?
    /// The languages that the person reads.
    public var uiLocales: String?

    /// Makes one; what is not named is not sent.
    public init(
      idToken: Secret? = nil, clientID: String? = nil, postLogoutRedirectURI: String? = nil, state: String? = nil,
      logoutHint: String? = nil, uiLocales: String? = nil
    ) {
      self.idToken = idToken
      self.clientID = clientID
      self.postLogoutRedirectURI = postLogoutRedirectURI
      self.state = state
      self.logoutHint = logoutHint
      self.uiLocales = uiLocales
    }
  }

  /// Gives the URL that a browser is sent to.
  ///
  /// - See: https://openid.net/specs/openid-connect-rpinitiated-1_0.html#RPLogout
  public static func url(_ endpoint: String, _ request: Request) -> String {
    var parameters: [Parameter] = []
    if let token = request.idToken { parameters.append(Parameter("id_token_hint", token.reveal())) }
    if let id = request.clientID { parameters.append(Parameter("client_id", id)) }
    if let uri = request.postLogoutRedirectURI {
      parameters.append(Parameter("post_logout_redirect_uri", uri))
      // Without a way back there is nothing that a state could come back with.
      if let state = request.state { parameters.append(Parameter("state", state)) }
    }
    if let hint = request.logoutHint { parameters.append(Parameter("logout_hint", hint)) }
    if let locales = request.uiLocales { parameters.append(Parameter("ui_locales", locales)) }
    return FormEncoding.url(endpoint, adding: parameters)
  }

  /// Whether the parameters of a request to the way back are those of this logout.
  public static func isReturn(_ parameters: [Parameter], state: String) -> Bool {
    let states = parameters.filter { $0.name == "state" }
    return states.count == 1 && Secret(states[0].value) == Secret(state)
  }
}

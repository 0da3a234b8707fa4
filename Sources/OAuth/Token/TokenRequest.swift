internal import Crypto
internal import FoundationEssentials

/// The request to the token endpoint.
public enum TokenRequest {
  /// What the request sets itself.
  public static let ownParameters = [
    "grant_type", "code", "code_verifier", "refresh_token", "client_id", "client_assertion", "client_assertion_type",
  ]

  /// Builds the request that redeems a grant.
  ///
  /// - Parameters:
  ///   - endpoint: the token endpoint, or the provider's own refresh endpoint.
  ///   - extra: parameters that the user adds (`--token-param`); they win over the provider's of the same name.
  /// - See: https://www.rfc-editor.org/rfc/rfc6749#section-4.1.3, https://www.rfc-editor.org/rfc/rfc6749#section-6
  public static func build(
    _ grant: Grant, endpoint: String, provider: Provider, client: ClientRegistration, extra: [Parameter] = []
  ) -> HTTPRequest {
    let (credentials, authorization) = ClientAuthentication.credentials(
      of: client, provider: provider, step: grant.step)
    var parameters: [Parameter]
    let fixed: [String: String]?
    switch grant {
    case .authorizationCode(let code):
      parameters = [
        Parameter("grant_type", "authorization_code"), Parameter("code", code.code.reveal()),
        Parameter("redirect_uri", code.redirectURI),
      ]
      if let verifier = code.verifier { parameters.append(Parameter("code_verifier", verifier.reveal())) }
      fixed = provider.tokenParams
    case .refreshToken(let token):
      parameters = [Parameter("grant_type", "refresh_token"), Parameter("refresh_token", token.reveal())]
      fixed = provider.refreshParams
    }
    parameters += credentials
    let overridden = Set(extra.map(\.name))
    parameters += (fixed ?? [:]).sorted { $0.key < $1.key }
      .filter { !overridden.contains($0.key) }.map { Parameter($0.key, $0.value) }
    parameters += extra
    return post(parameters, to: endpoint, provider: provider, authorization: authorization)
  }

  /// A POST of parameters in the provider's format, asking for JSON whatever the server's default.
  static func post(
    _ parameters: [Parameter], to endpoint: String, provider: Provider, authorization: HTTPHeader?
  ) -> HTTPRequest {
    var headers = [HTTPHeader("Accept", "application/json")]
    if let authorization { headers.append(authorization) }
    headers += (provider.headers ?? [:]).sorted { $0.key < $1.key }.map { HTTPHeader($0.key, $0.value) }
    switch provider.effectiveQuirks.tokenRequest ?? .form {
    case .form:
      headers.append(HTTPHeader("Content-Type", "application/x-www-form-urlencoded"))
      return HTTPRequest(
        method: .post, url: endpoint, headers: headers, body: Secret(FormEncoding.encode(parameters)))
    case .json:
      headers.append(HTTPHeader("Content-Type", "application/json"))
      return HTTPRequest(method: .post, url: endpoint, headers: headers, body: json(parameters))
    case .query:
      return HTTPRequest(
        method: .post, url: FormEncoding.url(endpoint, adding: parameters), headers: headers, body: Secret(""))
    }
  }

  static func json(_ parameters: [Parameter]) -> Secret {
    let object = Dictionary(parameters.map { ($0.name, $0.value) }) { _, last in last }
    // Strings alone: there is nothing that could fail to encode.
    return Secret(bytes: (try? JSONEncoder().encode(object)) ?? Data())
  }
}

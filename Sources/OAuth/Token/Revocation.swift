internal import Crypto

/// Token revocation (RFC 7009), and the ways that providers have in its place.
public enum Revocation {
  /// Gives the requests that revoke a session's tokens, in order: the refresh token first, since it could make new
  /// access tokens, then the access token, which outlives it at many servers.
  ///
  /// - See: https://www.rfc-editor.org/rfc/rfc7009#section-2.1
  public static func build(
    _ tokens: TokenSet, endpoint: String, provider: Provider, client: ClientRegistration
  ) -> [HTTPRequest] {
    let style = provider.effectiveQuirks.revocation ?? RevocationStyle()
    return (style.tokens ?? [.refresh, .access]).compactMap { kind in
      switch kind {
      case .refresh: tokens.refreshToken.map { ($0, "refresh_token") }
      case .access: (tokens.accessToken, "access_token")
      }
    }.map { token, hint in
      request(token, hint: hint, style: style, tokens: tokens, endpoint: endpoint, provider: provider, client: client)
    }
  }

  private static func request(
    _ token: Secret, hint: String, style: RevocationStyle, tokens: TokenSet, endpoint: String, provider: Provider,
    client: ClientRegistration
  ) -> HTTPRequest {
    var parameters = [Parameter(style.tokenParam ?? "token", token.reveal())]
    var headers = [HTTPHeader("Accept", "application/json")]
    headers += (provider.headers ?? [:]).sorted { $0.key < $1.key }.map { HTTPHeader($0.key, $0.value) }
    switch style.auth ?? .client {
    case .client:
      if style.tokenParam == nil, style.body != RevocationStyle.Body.none {
        parameters.append(Parameter("token_type_hint", hint))
      }
      let credentials = ClientAuthentication.credentials(of: client, provider: provider, step: nil)
      parameters += credentials.parameters
      if let header = credentials.header { headers.append(header) }
    case .basic:
      let isRaw = provider.effectiveQuirks.basicRaw ?? false
      if let secret = client.secret {
        headers.append(ClientAuthentication.basic(id: client.id, secret: secret, isRaw: isRaw))
      }
    case .bearer:
      headers.append(HTTPHeader("Authorization", "\(tokens.authorizationScheme) \(token.reveal())"))
    case .none:
      break
    }
    let url = endpoint.replacing("{client_id}", with: FormEncoding.encodeForQuery(client.id))
    let method: HTTPRequest.Method = style.method == .delete ? .delete : .post
    switch style.body ?? .form {
    case .form:
      headers.append(HTTPHeader("Content-Type", "application/x-www-form-urlencoded"))
      return HTTPRequest(method: method, url: url, headers: headers, body: Secret(FormEncoding.encode(parameters)))
    case .json:
      headers.append(HTTPHeader("Content-Type", "application/json"))
      return HTTPRequest(method: method, url: url, headers: headers, body: TokenRequest.json(parameters))
    case .none:
      return HTTPRequest(method: method, url: url, headers: headers, body: Secret(""))
    }
  }

  /// What the server made of it.
  public enum Outcome: Sendable, Equatable {
    /// Revoked, or unknown to the server, which comes to the same (RFC 7009 section 2.2).
    case revoked
    /// The server was asked and said no; the client is at fault or the server does not let it.
    case refused(ServerError)
    /// The server could not be asked; nothing is known.
    case transient(ServerError)
  }

  /// Judges the reply to one revocation request.
  ///
  /// - See: https://www.rfc-editor.org/rfc/rfc7009#section-2.2
  public static func validate(_ response: HTTPResponse, provider: Provider) -> Outcome {
    let body = ReplyBody(response)
    var error = ServerError(status: response.status)
    var isRefusal = false
    if case .fields(let fields) = body,
      let said = ServerError(status: response.status, fields: fields, okField: provider.effectiveQuirks.okField)
    {
      error = said.translated(by: provider.effectiveQuirks.errorAliases)
      isRefusal = true
    }
    // A token that the server no longer knows is as good as revoked, whatever the server calls that.
    if error.code == "invalid_token" || error.code == "invalid_grant" { return .revoked }
    if let code = error.code, TokenFailure.outages.contains(code) { return .transient(error) }
    switch response.status {
    // A redirect leads somewhere else: the server itself was not asked.
    case 300...399: return .transient(error)
    case 200...299 where body == .html: return .transient(error)
    case 200...299: return isRefusal ? .refused(error) : .revoked
    case 408, 425, 429, 500...599: return .transient(error)
    case _ where body == .html: return .transient(error)
    default: return .refused(error)
    }
  }
}

public import Crypto

/// Token revocation (RFC 7009), and the ways that providers have in its place.
public enum Revocation {
  /// A token to be revoked, and what the server is told of its kind.
  public struct Target: Sendable {
    let token: Secret
    let hint: String
  }

  /// Gives the tokens to revoke, in order: the refresh token first, since it could make new access tokens, then the access
  /// token, which outlives it at many servers.
  ///
  /// - See: https://www.rfc-editor.org/rfc/rfc7009#section-2.1
  public static func targets(_ tokens: TokenSet, provider: Provider) -> [Target] {
    (provider.effectiveQuirks.revocation?.tokens ?? [.refresh, .access]).compactMap { kind in
      switch kind {
      case .refresh: tokens.refreshToken.map { Target(token: $0, hint: "refresh_token") }
      case .access: Target(token: tokens.accessToken, hint: "access_token")
      }
    }
  }

  /// Builds the request that revokes one token.
  ///
  /// - Parameter scheme: how the access token is presented, where the provider takes it in the client's place.
  /// - Throws: `KeyError` where an assertion or a proof cannot be signed.
  /// - See: https://www.rfc-editor.org/rfc/rfc7009#section-2.1
  public static func request(
    _ target: Target, scheme: String, endpoint: String, as client: RequestingClient, stamp: RequestStamp
  ) throws(KeyError) -> HTTPRequest {
    let (provider, registration) = (client.provider, client.registration)
    let style = provider.effectiveQuirks.revocation ?? RevocationStyle()
    let url = endpoint.replacing("{client_id}", with: FormEncoding.encodeForQuery(registration.id))
    var parameters = [Parameter(style.tokenParam ?? "token", target.token.reveal())]
    var headers = [HTTPHeader("Accept", "application/json")] + provider.headerLines
    var certificate: ClientCertificate?
    switch style.auth ?? .client {
    case .client:
      if style.tokenParam == nil, style.body != RevocationStyle.Body.none {
        parameters.append(Parameter("token_type_hint", target.hint))
      }
      let credentials = try ClientAuthentication.credentials(
        of: client, step: nil, stamp: stamp, audience: ServerRequest.audience(provider, url))
      parameters += credentials.parameters
      if let header = credentials.header { headers.append(header) }
      certificate = credentials.certificate
    case .basic:
      if let secret = registration.secret {
        headers.append(ClientAuthentication.basic(id: registration.id, secret: secret, provider.effectiveQuirks))
      }
    case .bearer:
      headers.append(HTTPHeader("Authorization", "\(scheme) \(target.token.reveal())"))
    case .none:
      break
    }
    let method: HTTPRequest.Method = style.method == .delete ? .delete : .post
    if let binding = client.binding {
      // What is authorized by the token is as a resource is (RFC 9449 section 7).
      let token = style.auth == .bearer && scheme == DPoP.header ? target.token : nil
      headers.append(try binding.proof(method: method.rawValue, url: url, accessToken: token, stamp: stamp))
    }
    var request = HTTPRequest(method: method, url: url, headers: headers, body: Secret(""))
    request.clientCertificate = certificate
    switch style.body ?? .form {
    case .form:
      request.headers.append(HTTPHeader("Content-Type", "application/x-www-form-urlencoded"))
      request.body = Secret(FormEncoding.encode(parameters))
    case .json:
      request.headers.append(HTTPHeader("Content-Type", "application/json"))
      request.body = ServerRequest.json(parameters)
    case .none:
      break
    }
    return request
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

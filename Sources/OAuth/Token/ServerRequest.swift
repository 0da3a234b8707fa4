public import Crypto
internal import FoundationEssentials

/// A request of a client to an endpoint of the authorization server that is not for browsers.
public enum ServerRequest {
  /// A POST of parameters in the provider's format, with what authenticates the client and binds its tokens.
  ///
  /// It asks for JSON, whatever the server's default.
  ///
  /// - Parameters:
  ///   - step: the step, for providers whose data says which of them carry the secret; nil for one that always does.
  ///   - extra: what comes after the client's own parameters.
  ///   - isBound: whether the reply brings or takes tokens, so that a proof of their key is due (RFC 9449 section 5).
  /// - Throws: `KeyError` where an assertion or a proof cannot be signed.
  public static func post(
    _ parameters: [Parameter], to endpoint: String, as client: RequestingClient, step: SecretStep? = nil,
    extra: [Parameter] = [], isBound: Bool = true, stamp: RequestStamp
  ) throws(KeyError) -> HTTPRequest {
    let provider = client.provider
    let credentials = try ClientAuthentication.credentials(
      of: client, step: step, stamp: stamp, audience: audience(provider, endpoint))
    let names = Set((parameters + extra).map(\.name))
    let parameters = parameters + credentials.parameters.filter { !names.contains($0.name) } + extra
    var headers = [HTTPHeader("Accept", "application/json")]
    if let header = credentials.header { headers.append(header) }
    if isBound, let binding = client.binding {
      headers.append(try binding.proof(method: HTTPRequest.Method.post.rawValue, url: endpoint, stamp: stamp))
    }
    headers += provider.headerLines
    var request = HTTPRequest(method: .post, url: endpoint, headers: headers)
    request.clientCertificate = credentials.certificate
    switch provider.effectiveQuirks.tokenRequest ?? .form {
    case .form:
      request.headers.append(HTTPHeader("Content-Type", "application/x-www-form-urlencoded"))
      request.body = Secret(FormEncoding.encode(parameters))
    case .json:
      request.headers.append(HTTPHeader("Content-Type", "application/json"))
      request.body = json(parameters)
    case .query:
      request.url = FormEncoding.url(endpoint, adding: parameters)
      request.body = Secret("")
    }
    return request
  }

  /// Whom an assertion is for.
  ///
  /// The token endpoint's URL, since more servers take that than their issuer, at their other endpoints too (RFC 9126
  /// section 2 has both); not where that is another server's, which must not get what is good at the token endpoint.
  static func audience(_ provider: Provider, _ endpoint: String) -> String {
    let token = provider.endpoints?.token ?? endpoint
    return switch provider.effectiveQuirks.assertionAudience ?? .token {
    case .token: DPoP.origin(of: token) == DPoP.origin(of: endpoint) ? token : provider.issuer ?? endpoint
    case .issuer: provider.issuer ?? token
    case .endpoint: endpoint
    }
  }

  static func json(_ parameters: [Parameter]) -> Secret {
    let object = Dictionary(parameters.map { ($0.name, $0.value) }) { _, last in last }
    // Strings alone: there is nothing that could fail to encode.
    return Secret(bytes: (try? JSONEncoder().encode(object)) ?? Data())
  }
}

extension Provider {
  /// Gives the scopes where a step repeats them (`scope_on`), else none: the authorization request has named them.
  public func repeated(_ scopes: [String], on step: ScopeStep) -> [String] {
    effectiveQuirks.scopeOn?.contains(step) == true ? scopes : []
  }

  /// The provider's own header lines, by name.
  public var headerLines: [HTTPHeader] {
    (headers ?? [:]).sorted { $0.key < $1.key }.map { HTTPHeader($0.key, $0.value) }
  }
}

public import Crypto

/// The two requests of a device login.
extension DeviceAuthorization {
  /// Builds the request that begins a login on another device.
  ///
  /// - Parameters:
  ///   - endpoint: the device authorization endpoint.
  ///   - scopes: what to ask for; none leaves the parameter out.
  ///   - extra: further parameters; they win over the provider's of the same name.
  /// - Throws: `KeyError` where an assertion cannot be signed.
  /// - See: https://www.rfc-editor.org/rfc/rfc8628#section-3.1
  public static func request(
    endpoint: String, as client: RequestingClient, scopes: [String], extra: [Parameter] = [], stamp: RequestStamp
  ) throws(KeyError) -> HTTPRequest {
    let provider = client.provider
    let style = provider.effectiveQuirks.device ?? DeviceStyle()
    let own = scopeParameters(scopes, style.scopeParam ?? "scope", provider)
    let parameters = own + fixed(provider.deviceParams, own + extra) + extra
    // No token is asked for yet, so there is nothing to bind (RFC 9449 section 5).
    return try ServerRequest.post(parameters, to: endpoint, as: client, step: .device, isBound: false, stamp: stamp)
  }

  /// Builds the request that asks whether the person has approved.
  ///
  /// - Parameters:
  ///   - endpoint: the token endpoint, or the provider's own one for this (`device_token`).
  ///   - scopes: those of the first request; they are sent only to a provider that wants them once more.
  ///   - extra: further parameters (`--token-param`); they win over the provider's of the same name.
  /// - Throws: `KeyError` where an assertion or a proof cannot be signed.
  /// - See: https://www.rfc-editor.org/rfc/rfc8628#section-3.4
  public func poll(
    endpoint: String, as client: RequestingClient, scopes: [String], extra: [Parameter] = [], stamp: RequestStamp
  ) throws(KeyError) -> HTTPRequest {
    let provider = client.provider
    let style = provider.effectiveQuirks.device ?? DeviceStyle()
    var own = [
      Parameter("grant_type", style.effectiveGrantType),
      Parameter(style.effectiveCodeParam, deviceCode.reveal()),
    ]
    if let name = style.userCodeParam { own.append(Parameter(name, userCode)) }
    if let name = style.scopeParam { own += Self.scopeParameters(scopes, name, provider) }
    let parameters = own + Self.fixed(provider.tokenParams, own + extra) + extra
    return try ServerRequest.post(parameters, to: endpoint, as: client, step: .device, stamp: stamp)
  }

  private static func scopeParameters(_ scopes: [String], _ name: String, _ provider: Provider) -> [Parameter] {
    scopes.isEmpty ? [] : [Parameter(name, scopes.joined(separator: provider.effectiveScopeSeparator))]
  }

  private static func fixed(_ params: [String: String]?, _ others: [Parameter]) -> [Parameter] {
    let overridden = Set(others.map(\.name))
    return (params ?? [:]).sorted { $0.key < $1.key }.filter { !overridden.contains($0.key) }
      .map { Parameter($0.key, $0.value) }
  }
}

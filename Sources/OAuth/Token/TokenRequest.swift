public import Crypto

/// The request to the token endpoint.
public enum TokenRequest {
  /// What the request sets itself.
  public static let ownParameters = [
    "grant_type", "code", "code_verifier", "refresh_token", "device_code", "client_id", "client_assertion",
    "client_assertion_type",
  ]

  /// Builds the request that redeems a grant.
  ///
  /// - Parameters:
  ///   - endpoint: the token endpoint, or the provider's own refresh endpoint.
  ///   - scopes: what to ask for at this step; none leaves the parameter out.
  ///   - extra: parameters that the user adds (`--token-param`); they win over the provider's of the same name.
  /// - Throws: `KeyError` where an assertion or a proof cannot be signed.
  /// - See: https://www.rfc-editor.org/rfc/rfc6749#section-4.1.3, https://www.rfc-editor.org/rfc/rfc6749#section-6
  public static func build(
    _ grant: Grant, endpoint: String, as client: RequestingClient, scopes: [String] = [], extra: [Parameter] = [],
    stamp: RequestStamp
  ) throws(KeyError) -> HTTPRequest {
    let provider = client.provider
    var parameters = grant.parameters(of: provider)
    if !scopes.isEmpty, !parameters.contains(where: { $0.name == "scope" }) {
      parameters.append(Parameter("scope", scopes.joined(separator: provider.effectiveScopeSeparator)))
    }
    let overridden = Set(extra.map(\.name) + parameters.map(\.name))
    var fixed = provider.tokenParams
    if case .refreshToken = grant { fixed = provider.refreshParams }
    let further = (fixed ?? [:]).sorted { $0.key < $1.key }
      .filter { !overridden.contains($0.key) }.map { Parameter($0.key, $0.value) }
    return try ServerRequest.post(
      parameters, to: endpoint, as: client, step: grant.step, extra: further + extra, stamp: stamp)
  }
}

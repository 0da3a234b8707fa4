internal import Crypto
internal import OAuth

/// Asks an endpoint of the authorization server in the name of a client.
struct ServerExchange: Sendable {
  let network: Network

  /// Sends what `build` makes, and once more where the server wants a nonce of its own in the proof of the key.
  ///
  /// A server that asks for its nonce has not looked at the grant (RFC 9449 section 8), so nothing is sent twice that is
  /// good for once. What it said must be in the next proof is kept in the client's binding.
  ///
  /// - Throws: ``TransportError``, `KeyError`, `RandomnessError`.
  func send(
    as client: inout RequestingClient,
    _ build: @Sendable (RequestingClient, RequestStamp) throws -> HTTPRequest
  ) async throws -> HTTPResponse {
    let request = try build(client, try network.stamp())
    let response = try await network.http.send(request)
    let isNew = client.binding?.learn(from: response, to: request.url) ?? false
    guard isNew, DPoP.wantsNonce(response) else { return response }
    let second = try build(client, try network.stamp())
    let answer = try await network.http.send(second)
    _ = client.binding?.learn(from: answer, to: second.url)
    return answer
  }

  /// Gives what hides a client's secrets, and others, in the words of a server.
  static func redactor(_ client: RequestingClient, _ secrets: [Secret]) -> Redactor {
    let redactor = Redactor()
    for secret in client.secrets + secrets { redactor.register(secret) }
    return redactor
  }
}

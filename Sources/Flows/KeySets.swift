internal import OAuth

/// The keys that providers sign with (RFC 7517).
struct KeySets: Sendable {
  let network: Network

  /// Reads a key set from where the provider publishes it.
  ///
  /// - Throws: ``TransportError``, ``KeySetError``.
  func fetch(_ url: String) async throws -> JSONWebKeySet {
    let response = try await network.http.send(
      HTTPRequest(method: .get, url: url, headers: [HTTPHeader("Accept", "application/json, application/jwk-set+json")])
    )
    guard response.status == 200, let value = JSONValue(parsing: response.body, repairing: true),
      let keys = JSONWebKeySet(value)
    else { throw KeySetError(url: url, status: response.status) }
    return keys
  }
}

/// What is published in the place of a key set is none.
public struct KeySetError: Error, Sendable, Equatable {
  /// Where it was looked for.
  public let url: String
  /// The HTTP status.
  public let status: Int
}

internal import OAuth

/// Has a server take back the tokens of a login that could not be kept: nobody will use them, and nobody could end them.
public struct RevokeLost: Sendable {
  /// How long it may take: somebody sits there and waits to be told of the failure.
  static let limit = Duration.seconds(5)

  private let network: Network

  /// Asks through the given network.
  public init(network: Network) {
    self.network = network
  }

  /// Revokes them, as far as that goes within the time limit.
  ///
  /// - Returns: whether the server has taken all of them back; nil where it has no way to.
  /// - See: https://www.rfc-editor.org/rfc/rfc7009#section-2
  public func run(_ result: LoginResult) async -> Bool? {
    let (client, tokens) = (result.client, result.tokens)
    let targets = Revocation.targets(tokens, provider: client.provider)
    guard let endpoint = client.provider.endpoints?.revocation, !targets.isEmpty else { return nil }
    let (network, limit) = (network, Self.limit)
    return try? await Uninterrupted.run {
      await withTaskGroup(of: Bool.self) { group in
        group.addTask { await Self.revoke(targets, tokens.authorizationScheme, endpoint, client, network) }
        group.addTask {
          try? await network.time.sleep(for: limit)
          return false
        }
        let isDone = await group.next() ?? false
        group.cancelAll()
        return isDone
      }
    }
  }

  private static func revoke(
    _ targets: [Revocation.Target], _ scheme: String, _ endpoint: String, _ client: RequestingClient, _ network: Network
  ) async -> Bool {
    var (client, isDone) = (client, true)
    for target in targets {
      do {
        let response = try await ServerExchange(network: network).send(as: &client) { client, stamp in
          try Revocation.request(target, scheme: scheme, endpoint: endpoint, as: client, stamp: stamp)
        }
        isDone = isDone && (200..<300).contains(response.status)
      } catch {
        isDone = false
      }
    }
    return isDone
  }
}

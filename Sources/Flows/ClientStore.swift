internal import Crypto
internal import FoundationEssentials
public import OAuth

/// Client registrations and their secrets in the keyring, each an item of its own.
public struct ClientStore: Sendable {
  private let store: any SecretStore

  /// Keeps them in the given store.
  public init(_ store: any SecretStore) {
    self.store = store
  }

  /// Gives a client of a provider by its id, or nil.
  ///
  /// Blocks; see ``SecretStore``.
  public func load(_ clientID: String, provider: String) throws(StoreError) -> ClientRegistration? {
    guard let item = try store.load(key(clientID, provider)) else { return nil }
    // An unreadable item is as good as none: the secret is asked for again, and saved over it.
    return try? JSONDecoder().decode(ClientRegistration.self, from: item.withBytes { Data($0) })
  }

  /// Gives the client that a session belongs to, its secret the caller's, else the keyring's.
  ///
  /// Blocks; see ``SecretStore``.
  func client(of session: Session, secret: Secret?) throws(StoreError) -> ClientRegistration {
    // A grant that tells the server who asks needs no client, and has none.
    let kept = session.clientID.isEmpty ? nil : try load(session.clientID, provider: session.provider.name)
    var client = kept ?? ClientRegistration(id: session.clientID)
    client.method = session.clientAuth
    // When the keyring's ends says nothing of another one.
    if let secret, secret != client.secret { (client.secret, client.secretExpiresAt) = (secret, nil) }
    return client
  }

  /// Lists the ids of a provider's clients.
  public func ids(provider: String) throws(StoreError) -> [String] {
    try store.list(.client, provider: provider).map(\.name).sorted()
  }

  /// Saves a client, replacing the one of the same id.
  public func save(_ client: ClientRegistration, provider: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    try store.save(
      Secret(bytes: try encoder.encode(client)), for: key(client.id, provider),
      label: "\(provider) client \(PrintableText.printable(client.id, limit: 80)) – oauthctl")
  }

  /// Removes a client.
  public func delete(_ clientID: String, provider: String) throws(StoreError) {
    try store.delete(key(clientID, provider))
  }

  private func key(_ clientID: String, _ provider: String) -> SecretKey {
    SecretKey(kind: .client, provider: provider, name: clientID)
  }
}

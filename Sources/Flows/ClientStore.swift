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
  ///
  /// - Throws: ``StoreError``, ``NewerItem``.
  public func load(_ clientID: String, provider: String) throws -> ClientRegistration? {
    guard let item = try store.load(key(clientID, provider)) else { return nil }
    try ItemVersion.check(item, label(clientID, provider))
    // An unreadable item is as good as none: the secret is asked for again, and saved over it.
    return try? JSONDecoder().decode(ClientRegistration.self, from: item.withBytes { Data($0) })
  }

  /// Gives the client that a session belongs to, its secret the caller's, else the keyring's.
  ///
  /// Blocks; see ``SecretStore``.
  func client(of session: Session, secret: Secret?) throws -> ClientRegistration {
    // A grant that tells the server who asks needs no client, and has none.
    let kept = session.clientID.isEmpty ? nil : try load(session.clientID, provider: session.provider.name)
    var client = kept ?? ClientRegistration(id: session.clientID)
    // A later login of a client of that id was at another server, whose means these are.
    if !client.mayProveItself(to: ClientServer(session.provider)) { client = client.withoutMeans }
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
  ///
  /// Blocks; see ``SecretStore``.
  ///
  /// - Parameter isLastCopy: what is saved exists nowhere else; see ``SecretStore/save(_:for:label:isLastCopy:)``.
  /// - Throws: ``StoreError``; ``NewerItem`` where a newer program's would be overwritten.
  @discardableResult
  public func save(_ client: ClientRegistration, provider: String, isLastCopy: Bool = false) throws -> SavedPlace {
    try refuseNewer(client.id, provider, isLastCopy: isLastCopy)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var data = try encoder.encode(Versioned(client))
    defer { data.resetBytes(in: data.indices) }
    return try store.save(
      Secret(bytes: data), for: key(client.id, provider),
      label: "\(provider) client \(PrintableText.printable(client.id, limit: 80)) – oauthctl", isLastCopy: isLastCopy)
  }

  private func refuseNewer(_ clientID: String, _ provider: String, isLastCopy: Bool) throws {
    do {
      guard let item = try store.load(key(clientID, provider)) else { return }
      try ItemVersion.check(item, label(clientID, provider))
    } catch let error as StoreError {
      // Where nothing can be read something may still be written; else the save would fail as well.
      if isLastCopy || error == .noCollection { return }
      if case .otherKeyringLocked = error { return }
      throw error
    }
  }

  /// Removes a client.
  public func delete(_ clientID: String, provider: String) throws(StoreError) {
    try store.delete(key(clientID, provider))
  }

  private func label(_ clientID: String, _ provider: String) -> String {
    "\(provider)'s client \(PrintableText.printable(clientID, limit: 80))"
  }

  private func key(_ clientID: String, _ provider: String) -> SecretKey {
    SecretKey(kind: .client, provider: provider, name: clientID)
  }
}

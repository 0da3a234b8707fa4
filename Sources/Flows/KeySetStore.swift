internal import Crypto
internal import FoundationEssentials
public import OAuth

/// The keys that providers sign with, kept in the keyring, each set an item of its own.
///
/// They are no secret, and are kept there because nothing is kept elsewhere. None of it ever stops anything: what cannot be
/// kept or found is read again.
public struct KeySetStore: Sendable {
  private let store: any SecretStore

  /// Keeps them in the given store.
  public init(_ store: any SecretStore) {
    self.store = store
  }

  /// Gives the key set of a provider that was read there; nil where there is none that can be read.
  public func kept(_ url: String, provider: String) async -> KeptKeySet? {
    try? await offPool { [self] in
      guard let item = try store.load(key(url, provider)) else { return nil }
      try ItemVersion.check(item, Self.name)
      let decoder = JSONDecoder()
      decoder.dateDecodingStrategy = .secondsSince1970
      let kept = try decoder.decode(KeptKeySet.self, from: item.withBytes { Data($0) })
      // The attributes by which it is found are anybody's to write.
      return kept.url == url ? kept : nil
    }
  }

  /// Keeps a key set in the place of the one that was read there before.
  ///
  /// One that a newer program wrote stays.
  public func keep(_ set: KeptKeySet, provider: String) async {
    try? await offPool { [self] in
      if let item = try? store.load(key(set.url, provider)) { try ItemVersion.check(item, Self.name) }
      let encoder = JSONEncoder()
      encoder.dateEncodingStrategy = .secondsSince1970
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      try store.save(
        Secret(bytes: try encoder.encode(Versioned(set))), for: key(set.url, provider),
        label: "\(provider) signing keys \(PrintableText.printable(set.url, limit: 80)) – oauthctl")
    }
  }

  /// Removes all key sets of a provider.
  ///
  /// Blocks; see ``SecretStore``.
  public func forget(provider: String) throws(StoreError) {
    for key in try store.list(.keys, provider: provider) { try store.delete(key) }
  }

  private static let name = "a provider's keys"

  private func key(_ url: String, _ provider: String) -> SecretKey {
    SecretKey(kind: .keys, provider: provider, name: url)
  }
}

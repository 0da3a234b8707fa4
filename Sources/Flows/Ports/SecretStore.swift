public import Crypto

/// Names one stored item.
///
/// All of it is readable by every program on the session bus, so nothing in it is secret.
public struct SecretKey: Hashable, Sendable {
  /// The kinds of item there are.
  public enum Kind: String, Sendable, CaseIterable {
    /// The whole of one account: its tokens and what a refresh needs.
    case session
    /// A client registration: its id, its secret.
    case client
    /// A login that was begun, and that another run of the program finishes.
    case login
    /// The keys that a provider signs with.
    case keys
  }

  /// The kind.
  public var kind: Kind
  /// The provider's name.
  public var provider: String
  /// The account's name for a session, the client id for a client, the URL of a key set, the id of a login.
  public var name: String

  /// Makes a key.
  public init(kind: Kind, provider: String, name: String) {
    self.kind = kind
    self.provider = provider
    self.name = name
  }
}

/// Keeps secrets for the user: the keyring.
///
/// The calls block, for milliseconds with an unlocked keyring and up to the implementation's time limit otherwise, so
/// a caller on the cooperative pool wraps them in ``offPool(_:)``.
public protocol SecretStore: Sendable {
  /// Gives an item's value, or nil where there is none.
  func load(_ key: SecretKey) throws(StoreError) -> Secret?
  /// Stores a value, replacing what was there.
  ///
  /// - Parameters:
  ///   - label: what a person sees in a keyring viewer.
  ///   - isLastCopy: the value exists nowhere else and cannot be had again: where it does not go in the place of what
  ///     was there, it is put wherever the keyring takes it and ``load(_:)`` finds it.
  /// - Returns: where it is now.
  @discardableResult
  func save(_ value: Secret, for key: SecretKey, label: String, isLastCopy: Bool) throws(StoreError) -> SavedPlace
  /// Removes an item; one that is not there is no error.
  func delete(_ key: SecretKey) throws(StoreError)
  /// Stores a value and removes it again, where that asks nobody anything: whether the keyring takes one.
  func tryOut(_ value: Secret, for key: SecretKey, label: String) throws(StoreError)
  /// Lists the items of a kind, of one provider or of all, without reading a secret; works on a locked keyring too.
  func list(_ kind: SecretKey.Kind, provider: String?) throws(StoreError) -> [SecretKey]
}

extension SecretStore {
  /// Stores a value that can be had again, replacing what was there.
  @discardableResult
  public func save(_ value: Secret, for key: SecretKey, label: String) throws(StoreError) -> SavedPlace {
    try save(value, for: key, label: label, isLastCopy: false)
  }

  /// The same for a store that never asks.
  public func tryOut(_ value: Secret, for key: SecretKey, label: String) throws(StoreError) {
    try save(value, for: key, label: label)
    try? delete(key)
  }

  /// Proves that the keyring takes what a login will bring, by an item about as large as a session with tokens of the common
  /// size.
  ///
  /// It is among the keys, of which none that cannot be read counts for anything, should it stay.
  func prove(for provider: String) throws(StoreError) {
    try tryOut(
      Secret(String(repeating: "0", count: 4096)), for: SecretKey(kind: .keys, provider: provider, name: "proof"),
      label: "\(provider) – oauthctl: whether the keyring takes a login")
  }
}

/// Where a value was stored.
public enum SavedPlace: Sendable, Equatable {
  /// Where it belongs; there is no other item of the key.
  case inPlace
  /// In an item of its own, beside an older one that could not be replaced; the next save that can brings them together.
  case newItem
  /// In the memory of the keyring's service alone, until that ends; the next save that can makes it last.
  case sessionOnly
}

/// Why the keyring could not be asked.
///
/// A missing item is not among these: that is `nil`.
public enum StoreError: Error, Sendable, Equatable {
  /// There is no session bus to reach a keyring through.
  case noBus(detail: String)
  /// There is a bus, but no program on it that keeps secrets.
  case noService(detail: String)
  /// The service runs, but has no default collection: nothing was ever stored, or it was removed.
  case noCollection
  /// The keyring is locked and nobody could be asked for its password.
  case locked
  /// The keyring is open, but its service keeps this item from the program until a person allows it.
  case itemLocked
  /// The default keyring is open, and the item, or a newer copy of it, is in another one that is locked; its name.
  case otherKeyringLocked(label: String)
  /// A person was asked for the keyring's password and dismissed the question.
  case unlockDismissed
  /// The service did not answer in time (seconds).
  case timedOut(seconds: Int)
  /// Anything else, in the service's own words.
  case failed(detail: String)
}

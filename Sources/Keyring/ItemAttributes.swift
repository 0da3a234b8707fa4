internal import Flows

/// The attributes an item is stored with and found by.
///
/// They are part of what the program promises: items of older versions are found by them, and so do people with
/// other tools. Every program on the session bus may read them, so none is secret.
enum ItemAttributes {
  /// What an item is stored with: what it is found by, and the name of its kind for keyring viewers.
  static func stored(with key: SecretKey) -> [(String, String)] {
    [("xdg:schema", schema(key.kind))] + sought(key)
  }

  /// What an item is found by.
  ///
  /// The schema is not among it: gnome-keyring keeps hashes of a locked keyring's attributes to search by, but takes
  /// the schema for the generic one until it is unlocked, so that with it a locked item would look like a missing one.
  static func sought(_ key: SecretKey) -> [(String, String)] {
    sought(key.kind, provider: key.provider) + [(name(of: key.kind), key.name)]
  }

  /// What the items of a kind are found by, those of one provider or all.
  static func sought(_ kind: SecretKey.Kind, provider: String?) -> [(String, String)] {
    let all = [("application", "oauthctl"), ("type", kind.rawValue)]
    guard let provider else { return all }
    return all + [("provider", provider)]
  }

  /// What an item that only tries whether the keyring takes one is stored with; the process tells whose it is.
  static func probe(process: Int32) -> [(String, String)] {
    [("xdg:schema", "org.oauthctl.Probe")] + probes + [("process", "\(process)")]
  }

  /// What all such items are found by.
  static let probes = [("application", "oauthctl"), ("type", "probe")]

  /// Reads a key back from attributes, others than ours ignored.
  ///
  /// It gives nil where they are not those of such an item, or are hashed.
  static func key(_ kind: SecretKey.Kind, from attributes: [String: String]) -> SecretKey? {
    guard attributes["type"] == kind.rawValue, let provider = attributes["provider"],
      let name = attributes[name(of: kind)]
    else { return nil }
    return SecretKey(kind: kind, provider: provider, name: name)
  }

  private static func schema(_ kind: SecretKey.Kind) -> String {
    switch kind {
    case .session: "org.oauthctl.Session"
    case .client: "org.oauthctl.Client"
    case .login: "org.oauthctl.Login"
    case .keys: "org.oauthctl.Keys"
    }
  }

  private static func name(of kind: SecretKey.Kind) -> String {
    switch kind {
    case .session: "account"
    case .client: "client_id"
    case .login: "login"
    case .keys: "jwks_uri"
    }
  }
}

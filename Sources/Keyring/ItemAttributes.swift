internal import Flows

/// The attributes an item is stored with and found by.
///
/// They are part of what the program promises: items of older versions are found by them, and so do people with
/// other tools. Every program on the session bus may read them, so none is secret.
enum ItemAttributes {
  /// The attribute that names the item's kind for keyring viewers.
  private static let schema = "xdg:schema"

  /// All attributes of one item.
  static func of(_ key: SecretKey) -> [(String, String)] {
    of(key.kind, provider: key.provider) + [(nameOf(key.kind), key.name)]
  }

  /// What the items of a kind have in common.
  static func of(_ kind: SecretKey.Kind, provider: String?) -> [(String, String)] {
    var attributes = [(schema, schemaName(kind)), ("application", "oauthctl"), ("type", kind.rawValue)]
    if let provider { attributes.append(("provider", provider)) }
    return attributes
  }

  /// Reads a key back; nil where the attributes are not those of such an item. Others than ours are ignored.
  static func key(_ kind: SecretKey.Kind, from attributes: [String: String]) -> SecretKey? {
    guard attributes["type"] == kind.rawValue, let provider = attributes["provider"], let name = attributes[nameOf(kind)]
    else { return nil }
    return SecretKey(kind: kind, provider: provider, name: name)
  }

  private static func schemaName(_ kind: SecretKey.Kind) -> String {
    switch kind {
    case .session: "org.oauthctl.Session"
    case .client: "org.oauthctl.Client"
    }
  }

  private static func nameOf(_ kind: SecretKey.Kind) -> String {
    switch kind {
    case .session: "account"
    case .client: "client_id"
    }
  }
}

internal import FoundationEssentials

/// The built-in providers.
public enum ProviderCatalog {
  /// Gives all of them, by name.
  ///
  /// It costs milliseconds: not for the path of a stored, valid token.
  public static func load() -> [Provider] {
    // The bytes are compiled in and a test decodes them: an unreadable catalogue is an empty one, not a crash.
    let providers = try? JSONDecoder().decode([Provider].self, from: Data(PackageResources.providers_json))
    return (providers ?? []).sorted { $0.name < $1.name }
  }
}

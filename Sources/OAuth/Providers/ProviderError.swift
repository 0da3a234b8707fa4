/// Why provider data cannot be used.
public enum ProviderError: Error, Sendable, Equatable {
  /// Not JSON; the line where the parser stopped, when it says so.
  case syntax(detail: String, line: Int?)
  /// A key that the schema does not have; `nearest` is one that it has.
  case unknownKey(String, line: Int?, nearest: String?)
  /// A value of the wrong type or outside its choices.
  case badValue(key: String, problem: String, line: Int?)
  /// A `{name}` in a URL that has no value.
  case missingVariable(String, provider: String)
  /// A value for a `{name}` that no URL of the provider has.
  case unknownVariable(String, provider: String, known: [String])
}

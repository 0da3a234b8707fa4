/// Scopes as providers write them (RFC 6749 section 3.3).
public enum Scope {
  /// Splits a list that a person or a server wrote: spaces and commas both separate; repeats are dropped.
  public static func split(_ text: String) -> [String] {
    unique(text.split { $0 == " " || $0 == "," || $0.isNewline || $0 == "\t" }.map(String.init))
  }

  /// Reads a reply's scope, a string or an array of strings; nil where it says nothing (absent, null, empty).
  static func read(_ value: JSONValue?) -> [String]? {
    let scopes: [String]
    switch value {
    case .string(let text): scopes = split(text)
    case .array(let items): scopes = unique(items.compactMap(\.text).flatMap(split))
    default: return nil
    }
    return scopes.isEmpty ? nil : scopes
  }

  private static func unique(_ scopes: [String]) -> [String] {
    var seen: Set<String> = []
    return scopes.filter { seen.insert($0).inserted }
  }
}

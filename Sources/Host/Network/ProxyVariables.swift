internal import CCurl
internal import Glibc
internal import OAuth

/// The environment's proxy variables, as what must not be seen: they hold passwords.
///
/// libcurl reads them itself and quotes them in its error texts, whole where it cannot read them.
struct ProxyVariables {
  private let values: [String: String]

  /// Those that libcurl reads, from where it reads them.
  static var ofProcess: ProxyVariables {
    var values: [String: String] = [:]
    for name in ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
      if let value = getenv(name) { values[name] = String(cString: value) }
    }
    return ProxyVariables(values)
  }

  init(_ values: [String: String]) {
    self.values = values
  }

  /// What is wrong with the one that is used for `https`, as a sentence that quotes nothing of it; nil where it is fine.
  var problem: String? {
    guard case .malformed(let variable, let reason)? = try? ProxyReport.find(environment: values) else { return nil }
    return "the proxy in \(variable) cannot be used: \(reason)"
  }

  /// Whether a text has neither a user and password before a host, nor a piece of what only a variable can have given.
  func mayShow(_ text: String) -> Bool {
    if text.contains("://"), text.contains("@") { return false }
    let words = Set(Self.words(text))
    return values.values.allSatisfy { value in
      Self.words(Self.secretPart(of: value)).allSatisfy { piece in
        !words.contains { word in
          // libcurl cuts a long text, and so may leave a part of a piece at its end.
          word == piece || word.count >= 4 && piece.contains(word) || piece.count >= 4 && word.contains(piece)
        }
      }
    }
  }

  /// All but scheme, host and port, as it is written and decoded; all but the scheme where it cannot be told apart.
  private static func secretPart(of value: String) -> String {
    guard case .used? = try? ProxyReport.find(environment: ["https_proxy": value]),
      let library = try? CurlLibrary.shared.get(),
      let url = URLHandle(library), url.parse(value, ProxyReport.leniency) == CURLUE_OK
    else { return String(value[(value.firstRange(of: "://")?.upperBound ?? value.startIndex)...]) }
    let parts = [
      CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_OPTIONS, CURLUPART_PATH, CURLUPART_QUERY, CURLUPART_FRAGMENT,
    ].compactMap { url.part($0) }
    let decoded = parts.flatMap { FormEncoding.decode($0).flatMap { [$0.name, $0.value] } }
    return (parts + decoded).joined(separator: " ")
  }

  private static func words(_ text: String) -> [Substring] {
    text.split { !($0.isLetter || $0.isNumber) }
  }
}

internal import OAuth

/// The address in what a person has pasted as the answer to a login.
///
/// A callback is answered at the redirect URI alone; what is pasted is held to that, too.
enum PastedAddress {
  /// Whether the text can be the redirect URI with an answer to it, as far as it has an address at all.
  ///
  /// Scheme, host, port and path are compared. A query, a fragment or a code has none of them.
  ///
  /// Where the answer is shown on a page of the provider's own (`urn:ietf:wg:oauth:2.0:oob`), there is none to compare with.
  static func fits(_ text: String, _ redirectURI: String) -> Bool {
    // A terminal may have broken a long URL into lines.
    let text = text.filter { !$0.isWhitespace }
    let (pasted, hasQuery) = address(of: text)
    let (wanted, _) = address(of: redirectURI)
    guard !pasted.isEmpty, !wanted.hasPrefix("urn:") else { return true }
    if let one = WebURL(pasted), let other = WebURL(wanted) {
      return (one.scheme, one.host, port(one)) == (other.scheme, other.host, port(other)) && path(one) == path(other)
    }
    if pasted.contains("://") { return isSame(pasted, wanted) }
    // A code may have a slash in it.
    guard hasQuery, pasted.contains("/") || pasted.contains(":") else { return true }
    if isSame(pasted, wanted) { return true }
    // Some browsers do not show the scheme, and some people copy no more than the path.
    guard let other = WebURL(wanted) else { return false }
    return pasted.hasPrefix("/") ? pasted == path(other) : fits("\(other.scheme)://\(text)", redirectURI)
  }

  private static func address(of text: String) -> (text: String, hasQuery: Bool) {
    let end = text.firstIndex { $0 == "?" || $0 == "#" }
    // A code and its state, as some pages show them: the code is no address.
    let isQuery = end.map { text[$0] == "?" } ?? false
    return (String(text[..<(end ?? text.endIndex)]), isQuery)
  }

  private static func isSame(_ one: String, _ other: String) -> Bool { one.utf8.elementsEqual(other.utf8) }
  private static func port(_ url: WebURL) -> Int { url.port ?? (url.scheme == "https" ? 443 : 80) }
  private static func path(_ url: WebURL) -> String { url.rest.isEmpty ? "/" : url.rest }
}

internal import OAuth

/// What a refresh brought, beside what was asked for.
extension RefreshSession {
  /// Tells of scopes that the server took away, and of those that a narrower token has although nobody asked for them.
  ///
  /// RFC 6749 section 6 has a refresh token keep its scopes whatever its access tokens are for. There are servers that make
  /// it as narrow as the last token, and others that make no token narrower.
  func warnOfScopes(_ tokens: TokenSet, _ session: Session, _ wanted: Wanted) {
    guard let given = tokens.scope else { return }
    let asked = wanted.variant.scopes
    if asked.isEmpty {
      let lost = (session.tokens.scope ?? []).filter { !given.contains($0) }
      guard wanted.variant.isEmpty, !lost.isEmpty else { return }
      warn(
        "the server has taken scopes from \(wanted.account): \(Self.list(lost)); log in again to have them back")
    } else if Set(given) != Set(asked) {
      warn("the server gave a token of \(wanted.account) for \(Self.list(given)), not for \(Self.list(asked))")
    }
  }

  private static func list(_ scopes: [String]) -> String {
    PrintableText.printable(scopes.joined(separator: " "), limit: 200)
  }
}

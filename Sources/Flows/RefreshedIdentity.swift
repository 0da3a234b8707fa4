internal import Crypto
internal import FoundationEssentials
internal import OAuth

/// Judges the ID token that a refresh brought, with what is at hand: the refresh token beside it is the only one that is
/// good from now on, and must not wait for anybody's keys.
struct RefreshedIdentity: Sendable {
  /// The session as it was.
  let session: Session
  /// The client's secret, where the issuer may sign with that.
  let secret: Secret?
  /// The issuer's keys, as they are kept.
  let keys: JSONWebKeySet?
  /// Whether it will be kept: that of another token of the account is not.
  let isKept: Bool
  let now: Date

  /// The keys that are kept for a session whose ID token is one of OpenID Connect; nil for others.
  static func keys(of session: Session, in store: KeySetStore) async -> JSONWebKeySet? {
    guard session.tokens.idToken != nil, session.requestedScopes.contains("openid"),
      let url = session.provider.endpoints?.jwks
    else { return nil }
    return await store.kept(url, provider: session.provider.name)?.set
  }

  /// Takes an ID token that does not hold out of the reply, so that the former one stays; gives what is to be told then.
  ///
  /// One by keys that are not known here is kept: the TLS of the token endpoint vouches for it (OpenID Connect Core section
  /// 3.1.3.7, item 6). One that cannot be read, as an encrypted one, is dropped without a word.
  ///
  /// So is one of another issuer than the login's: who it speaks of, that issuer alone knows.
  ///
  /// - Throws: `JWT.Mismatch` where it speaks of another person than the one from the login: then the tokens beside it
  ///   are that person's, too.
  func judge(_ tokens: inout TokenSet) throws(JWT.Mismatch) -> String? {
    tokens.fields["id_token"] = nil
    guard let token = tokens.idToken else { return nil }
    // Some servers give the token of the login once more; the access token beside it is another by now.
    if token == session.tokens.idToken { return nil }
    guard let next = IDToken(unverified: token) else {
      tokens.idToken = nil
      return nil
    }
    let first = session.tokens.idToken.flatMap(IDToken.init(unverified:))
    if let first {
      let aliases = session.provider.issuers(fitting: next.claims)
      guard first.hasIssuer(of: next, aliases: aliases) else {
        tokens.idToken = nil
        return Self.dropped(
          JWT.Mismatch(of: .idToken, claim: "iss", expected: first.issuer ?? "the same", got: next.issuer))
      }
      try first.validateSuccessor(next)
    }
    guard isKept, session.requestedScopes.contains("openid") else { return nil }
    var expected = IDToken.Expectation(
      issuers: session.provider.issuers(fitting: next.claims), clientID: session.clientID, keys: keys,
      clientSecret: secret, accessToken: tokens.accessToken, subject: first?.subject)
    expected.mayHaveEnded = true
    do {
      _ = try IDToken.verify(token, expecting: expected, now: now)
      return nil
    } catch {
      if error.claim == "kid" { return nil }
      tokens.idToken = nil
      return Self.dropped(error)
    }
  }

  private static func dropped(_ error: JWT.Mismatch) -> String {
    "the new ID token was not kept, for its '\(error.claim)' does not hold: expected "
      + "\(PrintableText.printable(error.expected, limit: 200)), "
      + "got \(error.got.map { PrintableText.printable($0, limit: 200) } ?? "none")"
  }
}

public import Crypto
public import FoundationEssentials

extension AuthorizationCode {
  /// Verifies the ID token that came with the code, and that it came with this one (`c_hash`); nil where none came.
  ///
  /// - Throws: `JWT.Mismatch`.
  /// - See: https://openid.net/specs/openid-connect-core-1_0.html#HybridIDTValidation
  public func verifyIDToken(expecting expected: IDToken.Expectation, now: Date) throws(JWT.Mismatch) -> IDToken? {
    guard let idToken else { return nil }
    var expected = expected
    expected.code = code
    expected.isFrontChannel = true
    return try IDToken.verify(idToken, expecting: expected, now: now)
  }
}

extension IDToken {
  /// Checks that the token endpoint's ID token is of the same issuer and person as this one, which came with the code.
  ///
  /// - Throws: `JWT.Mismatch`.
  /// - See: https://openid.net/specs/openid-connect-core-1_0.html#HybridIDToken2
  public func checkSameness(of token: Secret) throws(JWT.Mismatch) {
    let second = IDToken(unverified: token)
    for (claim, mine, other) in [("iss", issuer, second?.issuer), ("sub", subject, second?.subject)] {
      guard let mine, mine.hasSameBytes(as: other) else {
        throw JWT.Mismatch(of: .idToken, claim: claim, expected: mine ?? "the same", got: other)
      }
    }
  }
}

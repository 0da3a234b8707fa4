public import FoundationEssentials
public import OAuth

/// Why a use case ended without what was asked for, beyond what its ports and the protocol say themselves.
public enum FlowError: Error, Sendable {
  /// The access token has ended and there is no refresh token to get another.
  case noRefreshToken(Account)
  /// The server refused the grant now.
  case grantRefused(Account, ServerError, interrupted: PendingRefresh?)
  /// The server refused a grant that stands; it may take it again later.
  case standingGrantRefused(Account, ServerError)
  /// The server refused the grant before, and nothing newer was stored since.
  case alreadyRefused(Account, RefusedGrant)
  /// The server gives no more tokens for what the login was for (RFC 8707 section 2, `invalid_target`).
  case targetRefused(Account, ServerError)
  /// The server could not answer a short while ago, and timers and scripts leave it alone until then.
  case backingOff(Account, Backoff, seconds: Int)
  /// A refresh was needed, and the caller had forbidden it.
  case refreshForbidden(Account)
  /// The token is not one to access something with (RFC 8693 section 2.2.1).
  case notForAccess(Account)
  /// New tokens came, and the keyring did not take them: they are lost with this process.
  case tokensNotSaved(Account, StoreError)
  /// A login brought tokens, and the keyring did not take them; what was stored before is as it was.
  case loginNotSaved(Account, StoreError)
  /// The keyring takes no write, so nothing was revoked: it could not have been forgotten either.
  case notMarked(Account, StoreError)
  /// The server was asked to revoke the tokens, and the keyring did not forget them.
  case notForgotten(Account, StoreError)
  /// A logout came to nothing, and the keyring did not take back the mark that it was begun.
  case stillMarked(Account, StoreError)
  /// The provider's data lacks an endpoint.
  case noEndpoint(provider: String, endpoint: String)
  /// The client authentication needs a secret, and none is known.
  case noClientSecret(provider: String, clientID: String)
  /// The client's secret has ended, as the server that gave it said it would.
  case clientSecretEnded(provider: String, clientID: String, at: Date)
  /// The client authentication needs a private key, and none is known.
  case noClientKey(provider: String, clientID: String)
  /// The client authentication needs a certificate, and none is known.
  case noClientCertificate(provider: String, clientID: String)
  /// The stored key that the tokens are bound to cannot be used.
  case unusableBindingKey(provider: String, reason: String)
  /// The server takes proofs of a key by no algorithm that there is a key for here.
  case noProofAlgorithm(provider: String, offered: [String])
  /// The server takes no signed request objects.
  case noRequestObjects(provider: String)
  /// The token is not bound to the key that it had to be bound to, or to one that is not ours (RFC 9449 section 5).
  case unexpectedTokenType(expected: String, got: String?, provider: String)
  /// The key file of a service account is for another server than the provider's.
  case foreignAssertion(audience: String, endpoint: String, provider: String)
  /// Nobody entered the code of a device login before it ended.
  case deviceCodeEnded
  /// Nobody entered the code of a device login within the login's time limit (seconds).
  case deviceTimedOut(seconds: Int)
  /// Nobody answered within the login's time limit (seconds).
  case loginTimedOut(seconds: Int)
  /// Neither a listener nor a person could receive the redirect.
  case noWayBack(redirectURI: String)
  /// The authorization server's answer to the browser ended the login.
  case callback(CallbackFailure)
}

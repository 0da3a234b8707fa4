internal import Flows

/// What the account's former login leaves of its grant, so that nobody has to give it anew.
struct FormerGrant: Sendable {
  /// Whose password it was; the password is not kept.
  var username: String?
  /// What signs assertions.
  var assertion: StandingGrant.Assertion?
  /// Whether its key is one that was given now, and read: its file may be a pipe.
  var hasNewKey = false
  /// The kind of the token that was exchanged.
  var subjectTokenType: String?
  /// The kind of token that was asked for.
  var requestedTokenType: String?
  /// The names of the token request's parameters that are known.
  var parameters: [String] = []
}

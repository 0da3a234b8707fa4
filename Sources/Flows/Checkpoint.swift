internal import Glibc

/// A moment at which a crash must not lose a login.
///
/// In a debug build a test can have the program stop at one (`OAUTHCTL_STOP_AT` holds its name), and kill it there or
/// let it go on. In a release build nothing of that is left.
public enum Checkpoint: String, CaseIterable, Sendable {
  /// The account's lock is held.
  case locked
  /// The mark of a refresh that was begun is in the keyring.
  case marked
  /// The server's reply to a refresh is there, and stored nowhere yet.
  case replied
  /// The new tokens are in the keyring, and the lock is still held.
  case saved
  /// The browser has been sent away, and the listener waits for it.
  case browserSent = "browser-sent"
  /// The authorization code is there, and not redeemed yet.
  case codeReceived = "code-received"
  /// The tokens of a login are there, and stored nowhere yet.
  case loggedIn = "logged-in"
  /// A login that was begun is used up, and its tokens are stored nowhere yet.
  case loginUsed = "login-used"
  /// A login's client is in the keyring, its session is not.
  case clientSaved = "client-saved"
  /// The server has revoked the tokens, and they are still stored.
  case revoked

  /// Tells that the program is here.
  @inline(__always)
  public func reached() {
    #if DEBUG
      stopIfAsked()
    #endif
  }

  #if DEBUG
    private func stopIfAsked() {
      guard let wanted = getenv("OAUTHCTL_STOP_AT"), String(cString: wanted) == rawValue else { return }
      kill(getpid(), SIGSTOP)
    }
  #endif
}

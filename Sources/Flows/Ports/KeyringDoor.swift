public import Crypto

/// Locks and unlocks the keyring in which new items are stored, with nobody before a display.
///
/// The calls block, each within the implementation's time limit.
public protocol KeyringDoor: Sendable {
  /// Looks at the keyring, and asks nobody.
  func look() throws(StoreError) -> KeyringState
  /// Unlocks it; one that is open is left as it is.
  func unlock(_ password: Secret) throws(UnlockError)
  /// Makes the keyring where there is none yet, named `Login`, and open.
  func create(_ password: Secret) throws(UnlockError)
  /// Locks it; one that is locked is left as it is.
  func lock() throws(StoreError)
  /// Starts a service where none runs, and waits until it answers; its keyring is locked.
  func startService() throws(UnlockError)
  /// Ends a wait for a person before a display, in whichever thread that is; the operation that waits fails.
  func stopWaiting()
}

/// How the keyring stands.
public struct KeyringState: Sendable, Equatable {
  /// Its name for people; empty where there is none.
  public var label: String
  /// Whether it is there, and open.
  public var condition: Condition
  /// Whether the service takes a password from a program; otherwise it is unlocked in the service's own window.
  public var takesPassword: Bool

  /// Whether a keyring is there, and open.
  public enum Condition: Sendable {
    /// There is none yet.
    case missing
    /// It is there, and nothing in it can be read.
    case locked
    /// It can be used.
    case open
  }

  /// Makes a state.
  public init(label: String, condition: Condition, takesPassword: Bool) {
    self.label = label
    self.condition = condition
    self.takesPassword = takesPassword
  }
}

/// Why the keyring was not unlocked.
///
/// Nothing was changed.
public enum UnlockError: Error, Sendable, Equatable {
  /// The password is not the keyring's.
  case wrongPassword
  /// The service has its own window for that, and no other way.
  case onlyInItsWindow
  /// No service runs, and the one that could be started is not installed.
  case noDaemon
  /// The keyring could not be asked.
  case store(StoreError)
}

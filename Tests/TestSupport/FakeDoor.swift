package import Crypto
package import Flows
import Synchronization

/// A keyring's lock with a password, and what was done to it.
package final class FakeDoor: KeyringDoor {
  package enum Call: Equatable, Sendable { case unlock(String), create(String), lock, start }

  private struct State {
    var keyring: Result<KeyringState, StoreError>
    var calls: [Call] = []
    var failure: UnlockError?
  }

  private let password: String
  private let state: Mutex<State>

  /// A keyring named Login.
  package init(
    _ condition: KeyringState.Condition = .open, takesPassword: Bool = true, password: String = "word"
  ) {
    self.password = password
    let keyring = KeyringState(
      label: condition == .missing ? "" : "Login", condition: condition, takesPassword: takesPassword)
    state = Mutex(State(keyring: .success(keyring)))
  }

  /// One that cannot be asked; starting a service mends that, but for the failure.
  package init(failing error: StoreError, starting failure: UnlockError? = nil) {
    password = "word"
    state = Mutex(State(keyring: .failure(error), failure: failure))
  }

  package var calls: [Call] { state.withLock { $0.calls } }

  package func look() throws(StoreError) -> KeyringState { try state.withLock { $0.keyring }.get() }

  package func unlock(_ password: Secret) throws(UnlockError) {
    note(.unlock(password.reveal()))
    guard password.reveal() == self.password else { throw .wrongPassword }
    become(.open)
  }

  package func create(_ password: Secret) throws(UnlockError) {
    note(.create(password.reveal()))
    become(.open)
  }

  package func lock() throws(StoreError) {
    note(.lock)
    become(.locked)
  }

  package func startService() throws(UnlockError) {
    note(.start)
    if let failure = state.withLock({ $0.failure }) { throw failure }
    become(.locked)
  }

  package func stopWaiting() {}

  private func note(_ call: Call) { state.withLock { $0.calls.append(call) } }

  private func become(_ condition: KeyringState.Condition) {
    state.withLock {
      $0.keyring = .success(KeyringState(label: "Login", condition: condition, takesPassword: true))
    }
  }
}

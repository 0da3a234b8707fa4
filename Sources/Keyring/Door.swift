public import Crypto
public import Flows

extension Keyring: KeyringDoor {
  /// Looks at the default collection and at what its service can do.
  public func look() throws(StoreError) -> KeyringState {
    try talk { service throws(ServiceError) in try service.state() }
  }

  /// Unlocks the default collection with its password.
  public func unlock(_ password: Secret) throws(UnlockError) {
    try hand(over: password) { service, password throws(ServiceError) in
      guard let path = try service.alias("default") else { throw ServiceError(.noCollection) }
      _ = try service.call(.unlocking("UnlockWithMasterPassword"), [.path(path), password], reply: "()")
    }
  }

  /// Makes a collection with the password, and makes it the default one.
  public func create(_ password: Secret) throws(UnlockError) {
    try hand(over: password) { service, password throws(ServiceError) in
      let properties = Variant.properties([("org.freedesktop.Secret.Collection.Label", .string("Login"))])
      let made = try service.call(.unlocking("CreateWithMasterPassword"), [properties, password], reply: "(o)")
      guard let path = made[0]?.text else { return }
      _ = try service.call(.service("SetAlias"), [.string("default"), .path(path)], reply: "()")
    }
  }

  /// Locks the default collection.
  public func lock() throws(StoreError) {
    try talk { service throws(ServiceError) in
      guard let path = try service.alias("default") else { throw ServiceError(.noCollection) }
      if let prompt = try service.requestLock(path) { try service.finish(prompt: prompt) }
      guard try service.collection() != .open else { throw ServiceError(.other, "the keyring stays open") }
    }
  }

  /// Stops waiting for a person, if one is waited for.
  public func stopWaiting() {
    patience.prompt.end()
  }

  private func hand(
    over password: Secret, _ operation: (Conversation, Variant) throws(ServiceError) -> Void
  ) throws(UnlockError) {
    let outcome: UnlockError?
    do throws(StoreError) {
      outcome = try talk { service throws(ServiceError) in
        // The password goes to nobody who does not know what to do with it.
        guard try service.unlocksWithoutPrompt() else { return .onlyInItsWindow }
        do throws(ServiceError) {
          try operation(service, try service.encoded(password))
        } catch  where error.reason == .denied {
          return .wrongPassword
        }
        return nil
      }
    } catch {
      throw .store(error)
    }
    if let outcome { throw outcome }
  }
}

extension Conversation {
  fileprivate func state() throws(ServiceError) -> KeyringState {
    let condition: KeyringState.Condition =
      switch try collection() {
      case .missing: .missing
      case .locked: .locked
      case .open: .open
      }
    let label = condition == .missing ? nil : try property(.collection("Label"), at: Self.defaultCollection)?.text
    return KeyringState(label: oneLine(label ?? ""), condition: condition, takesPassword: try unlocksWithoutPrompt())
  }

  fileprivate func requestLock(_ path: String) throws(ServiceError) -> String? {
    promptPath(try call(.service("Lock"), [.paths([path])], reply: "(aoo)")[1])
  }
}

extension Method {
  /// A method of the interface that gnome-keyring has for its own login; its name is a warning to others that it may change.
  fileprivate static func unlocking(_ name: String) -> Method { Method(unlockingInterface, name) }
  static let unlockingInterface = "org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface"
}

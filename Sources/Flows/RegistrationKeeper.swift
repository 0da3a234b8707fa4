internal import Crypto
internal import OAuth

/// What becomes of what a server gives of a client, before anything else is done.
protocol RegistrationKeeper: Sendable {
  /// Sees to it that there is a place for it, before a server is asked for what it gives but once.
  func check() async throws
  /// Keeps a client as the server has it now.
  ///
  /// - Parameter before: the client as it was; nil where it is new.
  /// - Returns: it as it is kept.
  func keep(_ client: ClientRegistration, replacing before: ClientRegistration?) async throws -> ClientRegistration
  /// Hears that a client which was just registered is not used.
  ///
  /// - Parameter isKept: whether ``keep(_:replacing:)`` was able to.
  func abandoned(_ client: ClientRegistration, _ fate: AbandonedRegistration, isKept: Bool) async
  /// Gives the clients of that server that this program has registered before.
  func spares() async throws -> [ClientRegistration]
  /// Hears that a server named a way to manage a registration which is not to be used.
  func isUnmanaged(_ client: ClientRegistration)
}

/// What became, at the server, of a registration that is not used.
enum AbandonedRegistration: Sendable {
  case ended
  /// The server could not end it now, or would not.
  case stays
  /// The server has no way to end it.
  case unending
}

/// Keeps nothing: for who does that by oneself.
struct NoKeeper: RegistrationKeeper {
  func check() {}
  func keep(_ client: ClientRegistration, replacing before: ClientRegistration?) -> ClientRegistration { client }
  func abandoned(_ client: ClientRegistration, _ fate: AbandonedRegistration, isKept: Bool) {}
  func spares() -> [ClientRegistration] { [] }
  func isUnmanaged(_ client: ClientRegistration) {}
}

/// Keeps the clients of one provider in the keyring.
struct KeyringKeeper: RegistrationKeeper {
  let store: any SecretStore
  let provider: Provider
  let time: any TimeSource
  let warn: @Sendable (String) -> Void

  private var clients: ClientStore { ClientStore(store) }

  /// Writes something and removes it: a keyring that is locked, or takes nothing, is to cost no registration.
  func check() async throws {
    let name = provider.name
    try await offPool { try store.prove(for: name) }
  }

  /// Cancelling does not reach it, and a keyring that fails is tried for a while longer: the server may have ended what it
  /// gave before.
  func keep(_ client: ClientRegistration, replacing before: ClientRegistration?) async throws -> ClientRegistration {
    var client = client
    client.management?.issuer = provider.issuer
    let kept = client
    do {
      let place = try await Uninterrupted.run {
        // A client that is new is ended again where a person has to open something; one that is in use is kept anywhere.
        try await persevering(time, isHopeless: { before == nil && ($0.isLock || $0 == .noCollection) }) { isLastCopy in
          try clients.save(kept, provider: provider.name, isLastCopy: isLastCopy && before != nil)
        }
      }
      if place == .sessionOnly {
        warn(
          "what the server gave for \(shown(kept)) is in the memory of the keyring's service alone: make it writable "
            + "(oauthctl unlock), and log in again before you log out")
      }
    } catch {
      if let before, before.secrets != kept.secrets {
        warn(
          "the server has changed what \(shown(kept)) proves itself with, and the keyring did not take it: if a login fails "
            + "from now on, run 'oauthctl logout \(provider.name) --forget-client', and log in again")
      }
      throw error
    }
    return kept
  }

  func abandoned(_ client: ClientRegistration, _ fate: AbandonedRegistration, isKept: Bool) async {
    switch (fate, isKept) {
    case (.ended, _): break
    case (.stays, true):
      return warn(
        "\(shown(client)) is still registered at \(place), and not used: "
          + "'oauthctl logout \(provider.name) --forget-client' ends that")
    case (.stays, false):
      warn("\(shown(client)) is still registered at \(place), and not used: nothing is left here that could end that")
    case (.unending, _):
      warn("\(shown(client)) is still registered at \(place), and not used: that server has no way to end it")
    }
    // One that cannot be removed now is marked as being of no use.
    if isKept { try? await offPool { try clients.delete(client.id, provider: provider.name) } }
  }

  func spares() async throws -> [ClientRegistration] {
    try await offPool {
      try clients.ids(provider: provider.name).compactMap { try clients.load($0, provider: provider.name) }
    }.filter { $0.management.map { $0.issuer == provider.issuer } ?? false }
  }

  func isUnmanaged(_ client: ClientRegistration) {
    warn(
      "\(shown(client)) cannot be changed or ended from here: the address or the token that \(place) gave for that is not "
        + "one of its own, or not usable")
  }

  private func shown(_ client: ClientRegistration) -> String {
    "the client \(PrintableText.printable(client.id, limit: 80))"
  }

  private var place: String { PrintableText.printable(provider.issuer ?? provider.effectiveTitle, limit: 200) }
}

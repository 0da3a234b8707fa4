internal import Flows
internal import OAuth

/// The clients of a provider that `--forget-client` ends beside the one of the account that is logged out.
struct ForgetClients {
  let environment: Environment
  let isLocal: Bool
  let provider: String

  /// What became of several clients: what goes wrong with one does not stop the others.
  struct Ended {
    /// How many are no longer kept.
    var count = 0
    /// Why the others are.
    var failures: [Failure] = []
  }

  /// Forgets all clients of a provider at which nobody is logged in; nil where there are none, or somebody is, whose refreshes
  /// need them.
  func ofNobody() throws -> Ended? {
    guard try environment.sessions.accounts(of: provider).isEmpty else { return nil }
    let ids = try environment.clients.ids(provider: provider)
    guard !ids.isEmpty else { return nil }
    let ended = try forget(ids)
    if ended.count > 0 { environment.output.note("forgot the client of \(provider); nobody was logged in") }
    return ended
  }

  /// Ends the registrations that this program made and that nothing needs any more; nil where there are none.
  ///
  /// A client that a person gave stays: it is there for the next login. Without the server none goes, for nothing could end
  /// it any more.
  func unused() throws -> Ended? {
    guard !isLocal else { return nil }
    var needed = try environment.begunLogins.clients(of: provider, now: environment.time.now)
    for account in try environment.sessions.accounts(of: provider) {
      // What cannot be read may need any of them.
      guard let session = try? environment.sessions.load(account) else { return nil }
      needed.insert(session.clientID)
    }
    let ids = try environment.clients.ids(provider: provider).filter { id in
      !needed.contains(id) && (try? environment.clients.load(id, provider: provider))?.management?.uri != nil
    }
    return ids.isEmpty ? nil : try forget(ids)
  }

  private func forget(_ ids: [String]) throws -> Ended {
    var ended = Ended()
    for id in ids {
      do {
        if try ForgetClient(environment: environment, isLocal: isLocal).run(id, of: provider) { ended.count += 1 }
      } catch {
        let failure = Failure(error)
        if failure.kind == .interrupted { throw failure }
        ended.failures.append(failure)
      }
    }
    return ended
  }
}

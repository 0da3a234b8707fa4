internal import CLI
internal import Flows
internal import OAuth

/// What `--forget-client` does once the tokens are gone: forgets a client, at the server too where oauthctl registered it.
struct ForgetClient {
  let environment: Environment
  let isLocal: Bool

  /// Forgets one client, and tells what became of it.
  ///
  /// - Returns: whether it is no longer kept.
  /// - Throws: ``Failure`` where the server cannot be asked now; the client is kept, so that it can be later.
  @discardableResult
  func run(_ clientID: String, of provider: String) throws -> Bool {
    let shown = "the client \(PrintableText.printable(clientID, limit: 80)) of \(provider)"
    let client = isLocal ? nil : try environment.clients.load(clientID, provider: provider)
    // A client that a person registered needs no network to be forgotten.
    let isManaged = client?.management?.uri != nil
    let http: any HTTPClient = isManaged ? try environment.makeHTTP() : NoHTTPClient()
    let kept = KeptRegistration(
      store: environment.store, network: Network(http: http, time: environment.time, random: environment.random),
      warn: environment.output.warn)
    let outcome: KeptRegistration.Forgotten
    do {
      outcome = try environment.wait { try await kept.forget(clientID, of: provider, isLocal: isLocal) }
    } catch {
      var failure = Failure(error)
      guard failure.kind == .temporary else { throw failure }
      failure.message = "\(shown) is still registered at the server: \(failure.message)"
      failure.hint = "run 'oauthctl logout \(provider) --forget-client' later, or add --local to leave it there"
      throw failure
    }
    tell(outcome, shown)
    // The server may have ended it before.
    if outcome == .everywhere || (isManaged && outcome == .here) {
      ClientOfFile(environment: environment).replace(clientID, by: nil, in: provider)
    }
    if case .inUse = outcome { return false }
    return true
  }

  private func tell(_ outcome: KeptRegistration.Forgotten, _ shown: String) {
    switch outcome {
    case .unknown, .here: break
    case .inUse(let accounts):
      environment.output.warn("kept \(shown): \(accounts.map(\.description).joined(separator: ", ")) needs it")
    case .everywhere: environment.output.note("ended the registration of \(shown)")
    case .refused(let failure):
      environment.output.warn("forgot \(shown), but its registration may still be there: \(Failure(failure).message)")
    }
  }
}

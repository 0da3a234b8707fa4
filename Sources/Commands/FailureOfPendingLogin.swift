internal import CLI
internal import Flows
internal import FoundationEssentials
internal import OAuth

extension Failure {
  /// A login that was begun, and cannot be finished, or not yet.
  init(pendingLogin error: PendingLoginFailure) {
    let again = "begin it again: 'oauthctl login NAME --print-url'"
    switch error {
    case .unknown(let id, let others):
      let shown = 3
      let more = others.count > shown ? " and \(others.count - shown) more" : ""
      let known = others.prefix(shown).map { "\($0.id) (\($0.provider))" }.joined(separator: ", ") + more
      self.init(
        .configuration,
        "no login \(Quoting.quote(id)) waits to be finished\(known.isEmpty ? "" : "; there is \(known)")",
        hint: Suggestion.nearest(to: id, among: others.map(\.id.description)).map { "did you mean '\($0)'?" } ?? again)
    case .expired(let id):
      self.init(.loginRequired, "the login \(id) has ended at \(id.expiresAt.rfc3339)", hint: again)
    case .unreadable(let id):
      self.init(.loginRequired, "the keyring item of the login \(id) cannot be read", hint: again)
    case .notItsAnswer(let id):
      self.init(
        .protocolViolation,
        "that is not the redirect URL of this login: it is not its address, its 'state' is another's, or it has neither a code nor an error",
        hint: "copy the whole address that the browser ended at, and run 'oauthctl login --finish \(id)' again")
    case .noAnswer(let id):
      self.init(
        .usage, "no redirect URL was given",
        hint: "write it to standard input of 'oauthctl login --finish \(id)', which still waits for it")
    }
  }
}

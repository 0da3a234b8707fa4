internal import Flows
internal import OAuth

/// What became of one account that was to be logged out.
struct Ending {
  let account: Account
  /// What became of its tokens; nil where all was left as it was.
  var outcome: RevokeSession.Outcome?
  /// The page that ends the login in the browser.
  var pageURL: String?
  /// Whether a browser was sent there; nil where none was to be, or there is no such page.
  var isPageOpened: Bool?
  /// What went wrong, before the tokens were forgotten or after.
  var failure: Failure?

  init(account: Account) { self.account = account }

  /// The object for scripts.
  var json: JSONValue {
    var members = AccountJSON.name(account)
    members["result"] = failure?.json ?? .string("ok")
    members["tokens"] = outcome.map { .string($0.word) }
    members["end_session_url"] = pageURL.map(JSONValue.string)
    members["end_session_opened"] = isPageOpened.map(JSONValue.bool)
    return .object(members)
  }
}

/// What a logout of several accounts tells.
///
/// What goes wrong with one does not stop the others; with one alone it is the command's own failure.
struct RevokeReport {
  let output: Output
  let isAlone: Bool
  /// The highest exit code so far.
  private(set) var worst: Int32 = 0

  init(output: Output, isAlone: Bool) {
    self.output = output
    self.isAlone = isAlone
  }

  /// Tells of one account.
  ///
  /// - Throws: ``Failure`` where that ends the command.
  mutating func add(_ ending: Ending) throws(Failure) {
    let isInterrupted = ending.failure?.kind == .interrupted
    // Of what was not begun the command as a whole says that it was interrupted.
    if output.isJSON, !isInterrupted || ending.outcome != nil { try output.answer(ending.json) }
    guard let failure = ending.failure else { return }
    if isInterrupted || isAlone { throw failure }
    worst = max(worst, failure.exitCode)
    output.report(failure, about: ending.account.description)
  }

  /// Tells of a provider's clients that were to be forgotten, and that no account needs.
  ///
  /// - Throws: ``Failure`` where that ends the command.
  mutating func add(_ clients: ForgetClients.Ended, of provider: String) throws(Failure) {
    if output.isJSON {
      try output.answer(
        .object([
          "provider": .string(provider), "result": clients.failures.first?.json ?? .string("ok"),
          "clients": .integer(Int64(clients.count)),
        ]))
    }
    if isAlone, clients.failures.count == 1 { throw clients.failures[0] }
    for failure in clients.failures {
      worst = max(worst, failure.exitCode)
      output.report(failure, about: provider)
    }
  }
}

extension RevokeSession.Outcome {
  /// What a script reads of it: whether the server knows that the tokens are no more.
  fileprivate var word: String {
    switch self {
    case .revoked, .superseded: "revoked"
    case .forgotten, .noEndpoint, .refused: "forgotten"
    }
  }
}

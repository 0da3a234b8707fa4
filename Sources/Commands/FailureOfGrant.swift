internal import Flows
internal import OAuth

/// What is told of a grant that the server renews no more, and of one that a logout could not end.
extension Failure {
  /// What the server has refused of an account's grant, now or before.
  init(refusal error: FlowError) {
    switch error {
    case .grantRefused(let account, let server, let interrupted):
      let after =
        interrupted.map { " (a refresh of \($0.startedAt.rfc3339) had no clear end; it may have used that token up)" }
        ?? ""
      self.init(
        .loginRequired, "the server refused the refresh token of \(account): \(server.sentence)\(after)",
        hint: Self.loginHint(account), server: server)
    case .standingGrantRefused(let account, let server):
      self.init(
        .loginRequired, "the server refused to give another token of \(account): \(server.sentence)",
        hint: "check this machine's clock and the client's rights, then try again, or \(Self.loginHint(account))",
        server: server)
    case .alreadyRefused(let account, let refused) where refused.isRevocation:
      self.init(
        .loginRequired, "a logout of \(account) was begun at \(refused.at.rfc3339) and did not come to its end",
        hint:
          "run '\(TypedCommand.text("logout", account))' again, or log in anew: '\(TypedCommand.text("login", account))'"
      )
    case .alreadyRefused(let account, let refused):
      let said = ServerError(status: refused.status, code: refused.error, description: refused.description)
      self.init(
        .loginRequired, "the server has refused to renew the token of \(account) before: \(said.sentence)",
        hint: Self.loginHint(account), server: said)
    case .targetRefused(let account, let server):
      self.init(
        .configuration, "the server gives no more tokens for what the login of \(account) was for: \(server.sentence)",
        hint: "\(Self.loginHint(account)) with another --resource or --audience; where the server narrows the refresh "
          + "token itself, set the quirk resource_on_refresh of its data to false, and log in again", server: server)
    default: self.init(.bug, "unexpected: \(error)", hint: "please report this as a bug")
    }
  }

  /// What the keyring did not do for a logout.
  init(revocation error: FlowError) {
    switch error {
    case .notMarked(let account, let store):
      let cause = Failure(store)
      self.init(
        cause.kind, "nothing of \(account) was revoked, since the keyring could not forget it: \(cause.message)",
        hint: cause.hint)
    case .notForgotten(let account, let store):
      let cause = Failure(store)
      self.init(
        cause.kind,
        "the tokens of \(account) were revoked, but the keyring has not forgotten them, and they are handed out no more: "
          + cause.message,
        hint: (cause.hint.map { $0 + "; " } ?? "")
          + "then '\(TypedCommand.text("logout", account, "--local"))' forgets them")
    case .stillMarked(let account, let store):
      let cause = Failure(store)
      self.init(
        cause.kind,
        "nothing of \(account) was revoked, but the keyring kept the mark that it was to be, so that its token is handed out "
          + "no more: \(cause.message)",
        hint: (cause.hint.map { $0 + "; " } ?? "")
          + "then end it with '\(TypedCommand.text("logout", account))', or log in again")
    default: self.init(.bug, "unexpected: \(error)", hint: "please report this as a bug")
    }
  }
}

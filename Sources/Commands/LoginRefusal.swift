internal import CLI
internal import Flows
internal import OAuth

extension LoginFlow {
  /// Says what to look at where the server refused what this grant had to show; nil for any other failure.
  ///
  /// To log in again in the same way, as one would after a refresh was refused, is what has just failed.
  ///
  /// - Parameters:
  ///   - target: what was to be logged in to, as it was typed.
  ///   - isAsked: whether somebody can be asked for what is missing.
  func refusal(_ error: any Error, _ target: String, isAsked: Bool = true) -> Failure? {
    let login = "oauthctl login \(PrintableText.printable(target, limit: 200))"
    if case .device = self, case FlowError.deviceCodeEnded = error {
      var failure = Failure(error)
      failure.hint = "run '\(login) --flow device' again: there will be a new code"
      return failure
    }
    guard case TokenFailure.grantRefused(let said) = error else { return nil }
    var failure = Failure(error)
    switch self {
    case .code, .implicit: return nil
    case .device: failure.hint = "run '\(login) --flow device' again, and allow the request"
    case .direct(.password):
      let again = isAsked ? "--flow password" : "--username NAME --password-file FILE"
      failure.hint = "check the user name and the password, then run '\(login) \(again)' again"
    case .direct(.clientCredentials), .direct(.extension):
      failure.hint = "check at the provider what the client may do, and what it is asked for"
    case .direct(.assertion):
      failure.hint =
        "check the assertion's issuer, audience and end, then run '\(login) --flow jwt-bearer --assertion-file FILE'"
    case .direct(.signedAssertion):
      failure.hint = "check that the server knows the key and its issuer, and this machine's clock (timedatectl)"
    case .direct(.refreshToken):
      failure.message = "the server refused the refresh token: \(said.sentence)"
      failure.hint =
        "it may be spent, revoked or another client's: name the client that it was given to with --client-id, or log in "
        + "without it: '\(login)'"
    case .direct(.tokenExchange):
      failure.hint =
        "check that the token is still good, and its type, then run '\(login) --flow token-exchange --subject-token-file FILE'"
    }
    return failure
  }
}

extension Failure {
  /// There is no ID token to be shown; what would bring one.
  static func noIDToken(_ account: Account, _ stored: some TokenBearing) -> Failure {
    let message = "\(account) has no ID token"
    // What stands for no person has none, whatever it asks for.
    guard stored.grantID == nil else {
      return Failure(.configuration, message, hint: "it is the token of a client or a service, and tells of no person")
    }
    var failure = Failure(.loginRequired, message, hint: hint(toAsk: "openid", beside: stored.requestedScopes, account))
    failure.login = account
    return failure
  }

  /// What the provider says of a person where the token is a client's own.
  static func noPerson(_ account: Account, _ refusal: Failure) -> Failure {
    Failure(
      .configuration,
      "the token of \(account) is its client's own, and the provider tells of no person: \(refusal.message)",
      hint: "leave --userinfo out, or log a person in under another account", server: refusal.server)
  }

  /// Adds to a hint what the account's login has to be given anew, so that it works as it is written.
  ///
  /// Asked for where something has failed alone: the account is read whole.
  func completed(_ sessions: SessionStore) -> Failure {
    guard let login, let hint, !hint.contains("-token-file FILE"), !hint.contains("--assertion-file FILE"),
      let session = try? sessions.load(login), let needed = session.neededForLogin
    else {
      return self
    }
    var completed = self
    let command = "oauthctl login \(login)"
    // Options of its own, or the end of the command, may stand behind the account.
    completed.hint = hint.replacing(command + " --", with: "\(command) \(needed) --")
      .replacing(command + "'", with: "\(command) \(needed)'")
    return completed
  }
}

extension Failure {
  /// Names the provider that the user's own file has for the URL which was typed in a name's place.
  func naming(_ providers: ProviderDirectory) -> Failure {
    guard let url, let own = providers.own(at: url) else { return self }
    var named = self
    named.hint = "it has the name '\(own.name)' here"
    return named
  }
}

extension Session {
  /// The options without which the account cannot be logged in again as it was.
  fileprivate var neededForLogin: String? {
    switch choices?.flow.flatMap(Flow.init) {
    case .tokenExchange: "--subject-token-file FILE"
    case .jwtBearer: grant?.assertion == nil ? "--assertion-file FILE" : nil
    case .code, .device, .implicit, .clientCredentials, .password, .refreshToken, nil: nil
    }
  }
}

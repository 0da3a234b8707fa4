internal import Flows
internal import FoundationEssentials
internal import OAuth

extension Failure {
  /// What the client lacks to prove who it is.
  ///
  /// - Parameter login: what to type to log in again; empty where only the provider is known.
  init(client error: FlowError, login: String) {
    func place(_ provider: String) -> String { login.isEmpty ? provider : login }
    switch error {
    case .noClientSecret(let provider, let clientID):
      self.init(lacks: "client secret", "--client-secret-file FILE", clientID, provider, place(provider))
    case .clientSecretEnded(let provider, let clientID, let end):
      self.init(
        .configuration,
        "the secret of \(provider)'s client \(PrintableText.printable(clientID, limit: 80)) ended at \(end.rfc3339)",
        hint: "run 'oauthctl login \(place(provider))': it gets another")
    case .noClientKey(let provider, let clientID):
      self.init(lacks: "private key", "--private-key-file FILE", clientID, provider, place(provider))
    case .noClientCertificate(let provider, let clientID):
      self.init(
        lacks: "certificate", "--certificate-file FILE and --key-file FILE", clientID, provider, place(provider))
    default: self.init(.bug, "unexpected: a client's failure that is none")
    }
  }

  private init(lacks means: String, _ option: String, _ clientID: String, _ provider: String, _ login: String) {
    self.init(
      .configuration,
      "\(provider) wants a \(means) for \(PrintableText.printable(clientID, limit: 80)), and none is known",
      hint: "give it with \(option) at 'oauthctl login \(login)'")
  }

  /// Nobody came, or could come, back.
  init(person error: FlowError) {
    switch error {
    case .deviceCodeEnded:
      self.init(
        .loginRequired, "nobody entered the code before it ended", hint: "log in again: there will be a new code")
    case .deviceTimedOut(let seconds):
      self.init(
        .temporary, "nobody entered the code within \(seconds) s", hint: "log in again, with a longer --timeout")
    case .loginTimedOut(let seconds):
      self.init(
        .temporary, "nobody came back from the browser within \(seconds) s",
        hint: "try again; if the page showed an error, the redirect URI may not be registered")
    case .noWayBack(let uri):
      self.init(
        .browserUnavailable, "nothing here can receive the redirect to \(PrintableText.printable(uri, limit: 200))",
        hint:
          "run it in a terminal and paste the URL, or register a loopback redirect such as http://127.0.0.1/callback")
    default: self.init(.bug, "unexpected: a person's failure that is none")
    }
  }
}

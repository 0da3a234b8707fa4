internal import Flows
internal import FoundationEssentials
internal import OAuth

extension Failure {
  /// What the client lacks to prove who it is.
  init(client error: FlowError) {
    switch error {
    case .noClientSecret(let provider, let clientID):
      self.init(lacks: "client secret", "--client-secret-file FILE", clientID, provider)
    case .clientSecretEnded(let provider, let clientID, let end):
      self.init(
        .configuration,
        "the secret of \(provider)'s client \(PrintableText.printable(clientID, limit: 80)) ended at \(end.rfc3339)",
        hint: "run 'oauthctl login \(provider)': it gets another")
    case .noClientKey(let provider, let clientID):
      self.init(lacks: "private key", "--private-key-file FILE", clientID, provider)
    case .noClientCertificate(let provider, let clientID):
      self.init(lacks: "certificate", "--certificate-file FILE and --key-file FILE", clientID, provider)
    default: self.init(.bug, "unexpected: a client's failure that is none")
    }
  }

  private init(lacks means: String, _ option: String, _ clientID: String, _ provider: String) {
    self.init(
      .configuration,
      "\(provider) wants a \(means) for \(PrintableText.printable(clientID, limit: 80)), and none is known",
      hint: "give it with \(option) at 'oauthctl login \(provider)'")
  }
}

internal import Flows
internal import FoundationEssentials
internal import OAuth

extension Failure {
  /// When to try again, as the server has it; what is longer than a day is not told to the second.
  static func retryHint(_ seconds: Int?) -> String {
    guard let seconds else { return "try again later" }
    return seconds <= 86400 ? "try again in \(seconds) s" : "the server wants to be left alone for more than a day"
  }

  init(transport error: TransportError) {
    let said =
      "\(PrintableText.printable(error.host, limit: 100)): \(PrintableText.printable(error.message, limit: 200))"
    switch error.kind {
    case .cannotResolve:
      self.init(.temporary, "cannot find \(said)", hint: "check the network and the provider's URL")
    case .cannotConnect: self.init(.temporary, "cannot connect to \(said)", hint: "check the network, then try again")
    case .timedOut: self.init(.temporary, "no answer from \(said)", hint: "try again later")
    case .broken: self.init(.temporary, "the connection broke: \(said)", hint: "try again later")
    case .tooLarge: self.init(.protocolViolation, "the reply is too large: \(said)")
    case .tls, .handshake:
      self.init(
        .temporary, "no trustworthy connection to \(said)",
        hint: "check the clock and the network; --cacert FILE trusts another certificate authority")
    case .refusedURL: self.init(.configuration, "this URL is not sent secrets: \(said)", hint: WebURL.rule)
    case .badCertificates:
      self.init(
        .configuration,
        "the certificates to trust cannot be used: \(PrintableText.printable(error.message, limit: 200))",
        hint: "check SSL_CERT_FILE and --cacert")
    case .badClientCertificate:
      self.init(
        .configuration,
        "no client certificate that can be used for \(said)",
        hint:
          "certificate and key must belong together, in PEM, the key without a passphrase, and be known to the server")
    case .badProxy:
      self.init(
        .configuration, PrintableText.printable(error.message, limit: 200),
        hint: "check the variables with: oauthctl doctor --offline")
    case .unavailable:
      self.init(.bug, "the HTTP library cannot be used: \(said)", hint: "install libcurl (Debian: libcurl4)")
    }
  }

  init(token failure: TokenFailure, login: String) {
    let error = failure.serverError
    let said = error.sentence
    let server = "the server" + (error.endpoint.map { "'s \($0.rawValue)" } ?? "")
    switch failure {
    case .transient(_, let retryAfter):
      self.init(
        .temporary, "\(server) cannot answer now (\(said))",
        hint: Self.retryHint(retryAfter), server: error)
    case .grantRefused:
      self.init(
        .loginRequired, "\(server) refused: \(said)",
        hint: Self.grantHint(error, login), server: error)
    case .clientRefused:
      self.init(.configuration, "\(server) refused: \(said)", hint: Self.clientHint(error, login), server: error)
    case .notATokenReply(_, let reason):
      let wanted = error.endpoint == nil ? "a token reply" : "a usable reply"
      self.init(
        .protocolViolation, "not \(wanted) from \(server): \(reason)\(error.code == nil ? "" : " (\(said))")",
        hint: "check the provider's \(error.endpoint?.rawValue ?? "token endpoint")", server: error)
    }
  }

  init(flow error: FlowError, login: String) {
    self.init(ofFlow: error, login: login)
    switch error {
    case .noRefreshToken(let account), .grantRefused(let account, _, _), .standingGrantRefused(let account, _),
      .alreadyRefused(let account, _), .targetRefused(let account, _), .tokensNotSaved(let account, _):
      self.login = account
    default: break
    }
  }

  private init(ofFlow error: FlowError, login: String) {
    switch error {
    case .noRefreshToken(let account):
      self.init(
        .loginRequired, "\(account) has no refresh token, so its access token cannot be renewed",
        hint: Self.loginHint(account))
    case .grantRefused, .standingGrantRefused, .alreadyRefused, .targetRefused: self.init(refusal: error)
    case .backingOff(let account, let backoff, let seconds):
      self.init(
        .temporary,
        "\(account): \(backoff.sentence); the next try is \(Relative.text(Double(seconds))), at \(backoff.notBefore.rfc3339)",
        hint: "run 'oauthctl token \(account) --force-refresh' to ask now")
    case .refreshForbidden(let account):
      self.init(
        .loginRequired, "the access token of \(account) needs a refresh, and --no-refresh forbids it",
        hint: "run 'oauthctl refresh \(account)'")
    case .notForAccess(let account):
      self.init(
        .configuration, "the token of \(account) is not for access (token_type N_A): no request is authorized by it",
        hint: "'\(TypedCommand.text("token", account, "--format raw"))' prints it: exchange it for one that is")
    case .tokensNotSaved(let account, let store):
      self.init(
        store, lost: "the server gave new tokens for \(account)",
        hint: "if the server then refuses, run 'oauthctl login \(account)'")
    case .notMarked, .notForgotten, .stillMarked: self.init(revocation: error)
    case .loginNotSaved(let account, let store): self.init(notSaved: store, account)
    case .noEndpoint(let provider, let endpoint):
      self.init(
        .configuration, "\(provider) has no \(endpoint) endpoint",
        hint: "add it to the provider's file, or set its issuer; see 'oauthctl providers show \(provider)'")
    case .noClientSecret, .clientSecretEnded, .noClientKey, .noClientCertificate: self.init(client: error, login: login)
    case .unexpectedTokenType, .unusableBindingKey, .noProofAlgorithm, .noRequestObjects, .foreignAssertion:
      self.init(security: error, login: login)
    case .deviceCodeEnded, .deviceTimedOut, .loginTimedOut, .noWayBack: self.init(person: error)
    case .callback(let failure): self.init(callback: failure, login: login)
    }
  }

  /// A login whose tokens the keyring did not take.
  ///
  /// - Parameter fate: what became of the tokens.
  init(notSaved error: StoreError, _ account: Account, fate: String = "they are lost") {
    self.init(
      error, lost: "the login to \(account) brought tokens", fate: fate,
      hint: "what was stored before is as it was; then run 'oauthctl login \(account)' again")
  }

  /// What a server gave and the keyring did not take.
  private init(_ error: StoreError, lost: String, fate: String = "they are lost", hint: String) {
    let cause = Failure(error)
    self.init(
      cause.kind, "\(lost), but the keyring did not take them: \(cause.message); \(fate)",
      hint: (cause.hint.map { $0 + "; " } ?? "") + hint)
  }

  init(discovery failure: DiscoveryFailure) {
    switch failure {
    case .notFound(let url, let status):
      self.init(
        .configuration,
        "there is no provider metadata at \(PrintableText.printable(url, limit: 200)) (status \(status))",
        hint: "check the issuer's URL, or name the endpoints in a provider file")
    case .unreadable(let url):
      self.init(
        .protocolViolation, "what is at \(PrintableText.printable(url, limit: 200)) is no provider metadata",
        hint: "check the issuer's URL, or name the endpoints in a provider file")
    case .transient(let error):
      self.init(.temporary, "the provider's metadata cannot be read now (\(error.sentence))", hint: "try again later")
    case .issuerMismatch(let expected, let got):
      self.init(
        .protocolViolation,
        "the metadata names another issuer: expected \(PrintableText.printable(expected, limit: 200)), "
          + "got \(PrintableText.printable(got, limit: 200))",
        hint: "if that is the right one, use its URL exactly as it is written there")
    case .badEndpoint(let name, let url):
      self.init(
        .protocolViolation,
        "the metadata's \(name) endpoint is not usable: \(PrintableText.printable(url, limit: 200))",
        hint: "it \(WebURL.rule)")
    case .unverified(let mismatch):
      self.init(
        .protocolViolation, "the provider's signed metadata does not hold: \(Self.sentence(mismatch))",
        hint: "nothing was stored; the provider's keys or its metadata are not what they should be")
    }
  }

  init(provider error: ProviderError, file: String? = nil) {
    func place(_ line: Int?) -> String { file.map { $0 + (line.map { ":\($0)" } ?? "") + ": " } ?? "" }
    func clean(_ text: String) -> String { PrintableText.printable(text, limit: 160) }
    switch error {
    case .syntax(let detail, let line):
      self.init(.configuration, "\(place(line))not JSON: \(clean(detail))")
    case .unknownKey(let key, let line, let nearest):
      self.init(
        .configuration, "\(place(line))unknown key '\(clean(key))'",
        hint: nearest.map { "did you mean '\($0)'?" } ?? "see oauthctl-providers(5) for the keys that there are")
    case .badValue(let key, let problem, let line):
      self.init(
        .configuration, "\(place(line))\(key.isEmpty ? "" : "'\(clean(key))' ")\(clean(problem))",
        hint: "see oauthctl-providers(5)")
    case .missingVariable(let name, let provider):
      self.init(
        .configuration, "\(provider) needs a value for '\(clean(name))'",
        hint: "give it with --var \(clean(name))=VALUE")
    case .unknownVariable(let name, let provider, let known):
      self.init(
        .configuration, "\(provider) has no variable '\(clean(name))'",
        hint: known.isEmpty ? "it has none" : "it has \(known.joined(separator: ", "))")
    }
  }
}

internal import CLI
internal import OAuth

/// Which grants an option of `login` has an effect with: one that would be ignored is refused.
struct LoginOptionFit: Sendable {
  let option: String
  /// The grants that it has an effect with.
  let flows: [Flow]
  /// Whether it has one with a grant of the provider's own.
  var fitsOwn = false
  /// Whether it is what a grant needs, so that it names that grant.
  var namesFlow = false
  /// Why it goes with no other.
  var reason: String?

  /// The options that do not go with every grant.
  static let all =
    rules(
      "assertion-file", "assertion-issuer", "assertion-subject", flows: [.jwtBearer], namesFlow: true)
    + rules(
      "subject-token-file", "subject-token-type", "actor-token-file", "actor-token-type", "requested-token-type",
      flows: [.tokenExchange], namesFlow: true)
    + rules("username", "password-file", flows: [.password], namesFlow: true)
    + rules("refresh-token-file", flows: [.refreshToken], namesFlow: true)
    + rules("no-pkce", "response-type", flows: [.code])
    + rules("redirect-uri", "port", "par", "sign-request", "response-mode", flows: [.code, .implicit])
    + rules(
      "browser", "private", "no-browser", "timeout", "login-hint", "prompt", "max-age", "acr-values", "ui-locales",
      "param", flows: [.code, .device, .implicit])
    + rules(
      "initial-access-token-file", "software-statement-file", "client-name",
      flows: [.code, .device, .implicit, .clientCredentials])
    + rules("token-param", flows: Flow.allCases.filter { $0 != .implicit }, fitsOwn: true)
    + rules(
      "dpop", flows: Flow.allCases.filter { $0 != .implicit }, fitsOwn: true,
      reason: "a token in a redirect cannot be bound")

  private static func rules(
    _ options: String..., flows: [Flow], fitsOwn: Bool = false, namesFlow: Bool = false, reason: String? = nil
  ) -> [LoginOptionFit] {
    options.map {
      LoginOptionFit(option: $0, flows: flows, fitsOwn: fitsOwn, namesFlow: namesFlow, reason: reason)
    }
  }

  /// Whether the option has an effect with a grant.
  private func fits(_ flow: String) -> Bool { Flow(rawValue: flow).map(flows.contains) ?? fitsOwn }

  /// Whether an option has an effect with a grant.
  static func fits(_ option: String, _ flow: String) -> Bool {
    all.first { $0.option == option }?.fits(flow) ?? true
  }

  /// The first option of a command line that has no effect with a grant.
  static func stray(in invocation: Invocation, _ flow: String) -> LoginOptionFit? {
    all.first { invocation.has($0.option) && !$0.fits(flow) }
  }

  /// Refuses a secret that nobody would see: where the tokens come with the redirect, only a request that is left with the
  /// server beforehand proves the client.
  static func checkSecret(_ invocation: Invocation, _ flow: String, pushes: Bool) throws(Failure) {
    guard Flow(rawValue: flow) == .implicit, !pushes, invocation.has("client-secret-file") else { return }
    throw Failure(
      .usage, "--client-secret-file does not go with --flow implicit",
      hint: "a token in a redirect proves no client; with --par the request does")
  }

  /// Refuses an option that would be ignored.
  ///
  /// - Parameter isFormer: whether the grant is that of the account's former login, and nobody has named one now.
  static func check(_ invocation: Invocation, _ flow: String, isFormer: Bool = false) throws(Failure) {
    guard let stray = stray(in: invocation, flow) else { return }
    let message = "--\(stray.option) does not go with --flow \(PrintableText.printable(flow, limit: 40))"
    if isFormer {
      throw Failure(.usage, message + ", as the former login was", hint: hint(toLeave: stray))
    }
    // Of most grants it is shorter to say why not this one.
    let names = stray.flows.map(\.rawValue)
    let belongs = names.count > 1 ? names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "") : names[0]
    throw Failure(.usage, message, hint: stray.reason ?? "it belongs to --flow \(belongs)")
  }

  /// What has an account log in by another grant than before.
  private static func hint(toLeave stray: LoginOptionFit) -> String {
    guard let other = stray.flows.first else { return "leave it out" }
    return other == .code
      ? "name --flow code to log in by the browser" : "name --flow \(other.rawValue) to change the grant"
  }
}

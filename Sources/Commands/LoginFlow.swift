internal import CLI
internal import Crypto
internal import Flows
internal import OAuth

/// The grant that a login uses.
enum LoginFlow: Sendable {
  /// The authorization code, in a browser.
  case code
  /// A code that is typed on another device.
  case device
  /// The token with the redirect itself.
  case implicit
  /// One request, without a browser.
  case direct(DirectLogin.Kind)

  /// The names of `--flow`.
  enum Name: String, CaseIterable {
    case code, device
    case clientCredentials = "client-credentials"
    case password, implicit
    case jwtBearer = "jwt-bearer"
    case tokenExchange = "token-exchange"
  }

  /// Whether a client must be known for it; otherwise the server may know who asks by the grant itself.
  static func needsClient(_ flow: String) -> Bool {
    switch Name(rawValue: flow) {
    case .code, .device, .implicit, .clientCredentials: true
    case .password, .jwtBearer, .tokenExchange, nil: false
    }
  }

  /// Gives the name of the grant that the options mean: the one that they name, or that one of them belongs to.
  static func named(_ invocation: Invocation) throws(Failure) -> String? {
    let owners: [(option: String, flow: Name)] = [
      ("assertion-file", .jwtBearer), ("assertion-issuer", .jwtBearer), ("assertion-subject", .jwtBearer),
      ("subject-token-file", .tokenExchange), ("subject-token-type", .tokenExchange),
      ("actor-token-file", .tokenExchange), ("actor-token-type", .tokenExchange),
      ("requested-token-type", .tokenExchange), ("username", .password), ("password-file", .password),
    ]
    let meant = owners.first { invocation.has($0.option) }
    guard let flow = invocation.value("flow") else { return meant?.flow.rawValue }
    if let stray = owners.first(where: { invocation.has($0.option) && $0.flow.rawValue != flow }) {
      throw Failure(
        .usage, "--\(stray.option) does not go with --flow \(PrintableText.printable(flow, limit: 40))",
        hint: "it belongs to --flow \(stray.flow.rawValue)")
    }
    return flow
  }

  /// Reads what a grant needs beyond the client.
  static func make(
    _ name: String, _ provider: Provider, _ invocation: Invocation, _ environment: Environment
  ) throws -> LoginFlow {
    let files = GrantFiles(invocation, environment, provider)
    switch Name(rawValue: name) {
    case .code: return .code
    case .device: return .device
    case .implicit: return .implicit
    case .clientCredentials: return .direct(.clientCredentials)
    case .password: return .direct(try files.password())
    case .jwtBearer: return .direct(try files.assertion())
    case .tokenExchange: return .direct(.tokenExchange(try files.tokenExchange()))
    case nil: return .direct(try own(name, provider))
    }
  }

  /// A grant that only this provider has.
  private static func own(_ name: String, _ provider: Provider) throws(Failure) -> DirectLogin.Kind {
    let grants = provider.grants ?? [:]
    if let grant = grants[name] { return .extension(type: grant.grantType, parameters: grant.params ?? [:]) }
    let known = Name.allCases.map(\.rawValue) + grants.keys.sorted()
    throw Failure(
      .usage, "\(provider.name) has no flow \(Quoting.quote(name))",
      hint: Suggestion.nearest(to: name, among: known).map { "did you mean '\($0)'?" }
        ?? "there is \(known.joined(separator: ", "))")
  }
}

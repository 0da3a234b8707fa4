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

  /// Whether a client must be known for it; otherwise the server may know who asks by the grant itself.
  var needsClient: Bool {
    switch self {
    case .code, .device, .implicit, .direct(.clientCredentials), .direct(.extension), .direct(.refreshToken): true
    case .direct(.password), .direct(.assertion), .direct(.signedAssertion), .direct(.tokenExchange): false
    }
  }

  /// Whether it says all of who asks, so that a client is named only where the user gives one now: of a service account
  /// the key is enough, and the client that its provider's people log in with is another.
  var isWithoutClient: Bool {
    if case .direct(.signedAssertion(let assertion)) = self { assertion.holdsScope } else { false }
  }

  /// The endpoints that it does not go without.
  var essentials: [DiscoverProvider.Need] {
    switch self {
    case .code: [.authorization, .token]
    case .implicit: [.authorization]
    case .device: [.deviceAuthorization, .token]
    case .direct: [.token]
    }
  }

  /// Whether the client must be able to prove who it is: nothing else is proved by this grant (RFC 6749 section 4.4).
  var needsConfidentialClient: Bool {
    if case .direct(.clientCredentials) = self { true } else { false }
  }

  /// Gives the name of the grant that the options mean: the one that they name, or that one of them belongs to.
  static func named(_ invocation: Invocation) throws(Failure) -> String? {
    let owners: [(option: String, flow: Flow)] = [
      ("assertion-file", .jwtBearer), ("assertion-issuer", .jwtBearer), ("assertion-subject", .jwtBearer),
      ("subject-token-file", .tokenExchange), ("subject-token-type", .tokenExchange),
      ("actor-token-file", .tokenExchange), ("actor-token-type", .tokenExchange),
      ("requested-token-type", .tokenExchange), ("username", .password), ("password-file", .password),
      ("refresh-token-file", .refreshToken),
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

  /// The grant that a provider is asked by where nobody chooses one.
  static func usual(_ provider: Provider) -> String {
    let flows = provider.effectiveFlows
    // The code's flow goes over to a device login by itself, where no browser can be opened.
    if flows.isEmpty || flows.contains(.code) { return Flow.code.rawValue }
    return flows[0].rawValue
  }

  /// Reads what a grant needs beyond the client.
  static func make(
    _ name: String, _ provider: Provider, _ invocation: Invocation, _ environment: Environment
  ) throws -> LoginFlow {
    let files = GrantFiles(invocation, environment)
    switch Flow(rawValue: name) {
    case .code: return .code
    case .device: return .device
    case .implicit: return .implicit
    case .clientCredentials: return .direct(.clientCredentials)
    case .password: return .direct(try files.password())
    case .jwtBearer: return .direct(try files.assertion())
    case .tokenExchange: return .direct(.tokenExchange(try files.tokenExchange()))
    case .refreshToken: return .direct(.refreshToken(try files.refreshToken()))
    case nil: return .direct(try own(name, provider, invocation))
    }
  }

  /// A grant that only this provider has.
  private static func own(
    _ name: String, _ provider: Provider, _ invocation: Invocation
  ) throws(Failure) -> DirectLogin.Kind {
    let grants = provider.grants ?? [:]
    if let grant = grants[name] {
      let given = try invocation.pairs("token-param").map(\.name)
      if let needed = grant.neededParams.first(where: { !given.contains($0) }) {
        throw Failure(
          .usage, "the flow \(name) of \(provider.name) needs a value for '\(needed)'",
          hint: "give it with --token-param \(needed)=VALUE")
      }
      return .extension(type: grant.grantType, parameters: grant.params ?? [:])
    }
    let known = Flow.allCases.map(\.rawValue) + grants.keys.sorted()
    throw Failure(
      .usage, "\(provider.name) has no flow \(Quoting.quote(name))",
      hint: Suggestion.nearest(to: name, among: known).map { "did you mean '\($0)'?" }
        ?? "there is \(known.joined(separator: ", "))")
  }
}

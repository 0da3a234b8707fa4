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
    let meant = LoginOptionFit.all.first { $0.namesFlow && invocation.has($0.option) }
    guard let flow = invocation.value("flow") ?? meant?.flows.first?.rawValue else { return nil }
    try LoginOptionFit.check(invocation, flow)
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
  ///
  /// - Parameter former: what the account's former login leaves of it.
  static func make(
    _ name: String, _ provider: Provider, _ invocation: Invocation, _ environment: Environment,
    _ former: FormerGrant = FormerGrant()
  ) throws -> LoginFlow {
    let files = GrantFiles(invocation, environment, former)
    switch Flow(rawValue: name) {
    case .code: return .code
    case .device: return .device
    case .implicit: return .implicit
    case .clientCredentials: return .direct(.clientCredentials)
    case .password: return .direct(try files.password())
    case .jwtBearer: return .direct(try files.assertion())
    case .tokenExchange: return .direct(.tokenExchange(try files.tokenExchange()))
    case .refreshToken: return .direct(.refreshToken(try files.refreshToken()))
    case nil: return .direct(try own(name, provider, invocation, former))
    }
  }

  /// A grant that only this provider has.
  private static func own(
    _ name: String, _ provider: Provider, _ invocation: Invocation, _ former: FormerGrant
  ) throws(Failure) -> DirectLogin.Kind {
    try check(name, provider)
    let grants = provider.grants ?? [:]
    if let grant = grants[name] {
      let given = try invocation.pairs("token-param").map(\.name) + former.parameters
      if let needed = grant.neededParams.first(where: { !given.contains($0) }) {
        throw Failure(
          .usage, "the flow \(name) of \(provider.name) needs a value for '\(needed)'",
          hint: "give it with --token-param \(needed)=VALUE")
      }
      return .extension(type: grant.grantType, parameters: grant.params ?? [:])
    }
    throw Failure(.bug, "a flow that there is has no grant")
  }

  /// Checks that there is a grant of that name.
  static func check(_ name: String, _ provider: Provider) throws(Failure) {
    let grants = provider.grants ?? [:]
    guard Flow(rawValue: name) == nil, grants[name] == nil else { return }
    let known = Flow.allCases.map(\.rawValue) + grants.keys.sorted()
    throw Failure(
      .usage, "\(provider.name) has no flow \(Quoting.quote(name))",
      hint: Suggestion.nearest(to: name, among: known).map { "did you mean '\($0)'?" }
        ?? "there is \(known.joined(separator: ", "))")
  }
}

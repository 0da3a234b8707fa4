internal import CLI
internal import Flows
internal import OAuth

/// `oauthctl providers add --register`: the client of a provider that is being described.
struct RegisterAtAdd: Sendable {
  private let environment: Environment
  private let options: RegistrationOptions
  private let method: ClientAuthMethod?
  /// The URL that was given in a name's place.
  private let url: String?

  init(_ invocation: Invocation, _ environment: Environment) throws {
    self.environment = environment
    options = try RegistrationOptions(invocation, environment)
    method = invocation.value("client-auth").flatMap(ClientAuthMethod.init)
    url = invocation.operands[0].contains("://") ? invocation.operands[0] : nil
  }

  /// Whether a client shall be registered.
  ///
  /// - Throws: ``Failure`` where the options contradict each other.
  static func isWanted(_ invocation: Invocation) throws(Failure) -> Bool {
    let isWanted = invocation.has("register")
    if isWanted, let other = ["client-id", "client-secret-file"].first(where: { invocation.has($0) }) {
      throw Failure(.usage, "--register and --\(other) exclude each other", hint: "a new client has an id of its own")
    }
    let needing = ["initial-access-token-file", "software-statement-file"]
    if !isWanted, let stray = needing.first(where: { invocation.has($0) }) {
      throw Failure(.usage, "--\(stray) needs --register")
    }
    return isWanted
  }

  /// Registers the client and keeps it; gives the provider with its id.
  func run(_ described: Provider) throws -> Provider {
    let network = try environment.makeNetwork()
    environment.terminal.status("registering a client")
    defer { environment.terminal.status(nil) }
    return try environment.wait { try await register(described, network) }
  }

  /// Ends the registration of a provider whose file could not be written: nobody would find it again.
  func undo(_ provider: Provider) {
    guard let id = provider.clientID else { return }
    do {
      try ForgetClient(environment: environment, isLocal: false).run(id, of: provider.name)
    } catch {
      environment.output.warn(Failure(error).message)
    }
  }

  private func register(_ described: Provider, _ network: Network) async throws -> Provider {
    var provider = described
    var metadata: ServerMetadata?
    if let url, provider.issuer == url {
      switch try await FindResource(network: network).find(url) {
      case .issuer(let found): metadata = found
      case .resource(let resource):
        metadata = resource.server
        provider.take(resource)
      }
    }
    // What is discovered stays out of the file: the server may change it.
    let found = try await DiscoverProvider(network: network).complete(
      provider, needs: [.registration], metadata: metadata)
    let place = PrintableText.printable(provider.issuer ?? provider.effectiveTitle, limit: 200)
    let plan = try RegistrationPlan(
      options: options, found: found, flow: .code, scopes: found.provider.scopes ?? [],
      bindsTokens: provider.dpop == true, method: method ?? provider.clientAuth
    ).plan(redirectURI: try await redirect(provider))
    guard let plan else {
      throw Failure(
        .configuration, "\(place) registers no clients", hint: "register one by hand, and give its id with --client-id")
    }
    let client = try await KeptRegistration(
      store: environment.store, network: network, warn: environment.output.warn
    ).register(plan, for: provider)
    environment.terminal.status(nil)
    environment.terminal.note("registered a client at \(place)")
    provider.clientID = client.id
    // The file's would count for more than the registration's.
    provider.clientAuth = client.method
    return provider
  }

  /// The redirect to register, with a port that is free now where any will do: servers compare it.
  private func redirect(_ provider: Provider) async throws -> String {
    let redirect = provider.redirect ?? Redirect()
    let address = RedirectAddress(
      host: redirect.effectiveHost, ports: redirect.effectivePorts, path: redirect.effectivePath)
    var port = address.ports.first ?? 0
    if port == 0 { port = try await offPool { try environment.listeners.bind(address).port } }
    return "http://\(address.host):\(port)\(address.path)"
  }
}

extension Provider {
  /// Takes over what a resource says of its server, and of the tokens that it wants.
  mutating func take(_ resource: FindResource.Resource) {
    issuer = resource.server.issuer
    self.resource = [resource.identifier]
    scopes = resource.scopes ?? []
    if resource.metadata?.requiresDPoP == true { dpop = true }
  }
}

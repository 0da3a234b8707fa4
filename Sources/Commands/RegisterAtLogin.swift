internal import CLI
internal import Flows
internal import OAuth

/// The client of a login, where this program registers it by itself: made where none is known, and kept fit for use.
struct RegisterAtLogin: Sendable {
  private let environment: Environment
  private let network: Network
  private let options: LoginOptions
  private let provider: Provider
  private let plan: RegistrationPlan

  init(
    _ environment: Environment, _ network: Network, _ options: LoginOptions, _ found: DiscoverProvider.Found,
    _ flow: LoginFlow
  ) {
    self.environment = environment
    self.network = network
    self.options = options
    provider = found.provider
    plan = RegistrationPlan(
      options: options.registration, found: found, flow: flow, scopes: options.scopes ?? provider.scopes ?? [],
      bindsTokens: options.bindsTokens || provider.dpop == true, method: options.clientAuth, key: options.clientKey)
  }

  /// What a login goes on with.
  struct Prepared: Sendable {
    /// The client; nil where it is chosen as it is by hand.
    var clientID: String?
    /// Where the browser comes back to: bound, and registered; nil where that is as it is by hand.
    var redirect: LoginPlan.RedirectPlan?
    /// A client that another one has taken the place of.
    var replaced: String?
  }

  private var kept: KeptRegistration {
    KeptRegistration(store: environment.store, network: network, warn: environment.output.warn)
  }

  /// Registers a client where none is known, and where one of ours is, sees to it that it is good for this login.
  ///
  /// - Throws: ``Failure``, `RegistrationFailure`, ``TransportError``.
  func prepare(_ choice: ClientChoice, _ stored: Session?) async throws -> Prepared {
    guard let use = plan.flow.registration else { return Prepared() }
    guard let id = try await choice.knownID(stored) else { return try await register(comesBack: use.comesBack) }
    let client = try await offPool { try environment.clients.load(id, provider: provider.name) }
    guard let client, let management = client.management else { return Prepared() }
    let (redirect, uri) = try await self.redirect(use.comesBack, registered: management.redirectURIs)
    var prepared = Prepared(clientID: id, redirect: redirect)
    // Without the endpoint nothing is registered anew, and what the registration says of itself is enough for the rest.
    guard let ready = try plan.plan(redirectURI: uri) else { return prepared }
    switch try await kept.ensure(client, ready, for: provider, mayReplace: !choice.isNamed) {
    case .kept: break
    case .changed: environment.terminal.note("changed the client's registration at \(place)")
    case .replaced(let other):
      environment.terminal.note("registered another client at \(place), since the one that there was cannot be used")
      ClientOfFile(environment: environment).replace(id, by: other.id, in: provider.name)
      prepared.clientID = other.id
      prepared.replaced = id
    }
    return prepared
  }

  private func register(comesBack: Bool) async throws -> Prepared {
    // Who has a secret or a certificate has a client, whose id is asked for.
    guard options.clientSecret == nil, options.certificate == nil,
      environment.setting("CLIENT_SECRET", provider: provider.name) == nil
    else { return Prepared() }
    guard provider.endpoints?.registration != nil else {
      guard options.registration.isWanted else { return Prepared() }
      throw Failure(
        .configuration, "\(place) registers no clients", hint: "register one by hand, and give its id with --client-id")
    }
    let (redirect, uri) = try await self.redirect(comesBack, registered: [])
    guard let plan = try plan.plan(redirectURI: uri) else { return Prepared() }
    environment.terminal.status("registering a client at \(place)")
    defer { environment.terminal.status(nil) }
    do {
      let client = try await kept.register(plan, for: provider)
      environment.terminal.note("registered a client at \(place)")
      return Prepared(clientID: client.id, redirect: redirect)
    } catch let failure as RegistrationFailure
      where environment.terminal.isInteractive && !options.registration.isWanted
    {
      // A person may have a client of their own, and is asked for it as where there is no registration.
      switch failure {
      case .tokenRefused, .notOffered: break
      default: throw failure
      }
      environment.terminal.note(Failure(failure).message)
      return Prepared()
    }
  }

  /// Where it goes on, for a person.
  private var place: String {
    PrintableText.printable(provider.issuer ?? provider.effectiveTitle, limit: 200)
  }

  /// Binds the listener before the redirect is registered: many servers compare its port, whatever RFC 8252 section 7.3 says.
  ///
  /// The ports that are registered are tried first, so that most logins change nothing at the server.
  private func redirect(
    _ comesBack: Bool, registered: [String]
  ) async throws -> (plan: LoginPlan.RedirectPlan?, uri: String?) {
    guard comesBack else { return (nil, nil) }
    switch try options.redirect(of: provider) {
    case .listen(var address):
      let before = "http://\(address.host):"
      let ours = registered.filter { $0.hasPrefix(before) && WebURL($0)?.rest == address.path }
      if options.ports == nil, address.ports.contains(0) {
        address.ports = LoopbackRedirect.ports(in: ours) + address.ports
      }
      let wanted = address
      let listener = try await offPool { try environment.listeners.bind(wanted) }
      let uri = "http://\(address.host):\(listener.port)\(address.path)"
      return (.bound(listener, uri), uri)
    case .listenAs(let uri, let address): return (.listenAs(uri, address), uri)
    case .bound(let listener, let uri): return (.bound(listener, uri), uri)
    case .paste(let uri): return (.paste(uri), uri)
    }
  }

  /// Forgets the client that another one has taken the place of, where no account needs it; what fails here is no failure of
  /// the login.
  static func forget(_ replaced: String?, of provider: Provider, _ environment: Environment, _ network: Network) async {
    guard let id = replaced else { return }
    let shown = "the former client \(PrintableText.printable(id, limit: 80))"
    do {
      let kept = KeptRegistration(store: environment.store, network: network, warn: environment.output.warn)
      if case .refused(let failure) = try await kept.forget(id, of: provider.name, isLocal: false) {
        environment.output.warn("\(shown) is forgotten, but may still be registered: \(Failure(failure).message)")
      }
    } catch {
      environment.output.warn("\(shown) is kept, and may still be registered: \(Failure(error).message)")
    }
  }
}

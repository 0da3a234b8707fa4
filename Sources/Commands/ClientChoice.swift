internal import CLI
internal import Crypto
internal import Flows
internal import OAuth

/// Which client a login uses: options win over the environment, that over files, those over the keyring; a person is asked last.
struct ClientChoice: Sendable {
  private let environment: Environment
  private let provider: Provider
  private let options: LoginOptions
  /// Whether a client counts only where it is known to be this very server's: a resource may name another one any time.
  private let isForResource: Bool
  /// The client that was registered for this login.
  var registeredID: String?

  init(
    _ environment: Environment, _ provider: Provider, _ options: LoginOptions, isForResource: Bool = false
  ) {
    self.environment = environment
    self.provider = provider
    self.options = options
    self.isForResource = isForResource
  }

  /// Gives the client.
  ///
  /// - Parameters:
  ///   - stored: the session that the login replaces; its client is used again where nothing else is said.
  ///   - isOptional: whether the server may do without; then none is asked for, and its id is empty.
  ///   - isConfidential: whether it must be one that has a secret, or the like.
  /// - Throws: ``Failure`` where none is known and nobody can be asked.
  func choose(
    stored: Session?, isOptional: Bool, isConfidential: Bool = false
  ) async throws -> ClientRegistration {
    var isAsked = false
    let id: String
    if let known = try await knownID(stored) {
      id = known
    } else if isOptional {
      return ClientRegistration(id: "", method: ClientAuthMethod.none)
    } else {
      id = try await ask()
      isAsked = true
    }
    guard !id.isEmpty || isOptional, id.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
      throw Failure(
        .configuration, "the client id \(Quoting.quote(id)) is not printable ASCII", hint: "give it with --client-id")
    }
    let variable = try await variableSecret(id)
    let kept = try usable(
      try await offPool { try environment.clients.load(id, provider: provider.name) }, hasVariable: variable != nil)
    var client = ClientRegistration(id: id, secret: nil, method: options.clientAuth)
    client.secret = options.clientSecret ?? variable ?? kept?.secret
    client.key = options.clientKey ?? kept?.key
    client.certificate = options.certificate ?? kept?.certificate
    client.secretExpiresAt = client.secret == kept?.secret ? kept?.secretExpiresAt : nil
    client.management = kept?.management
    client.method = client.method ?? keptMethod(kept, client)
    let method = client.method ?? (options.prefersSecret(to: provider.clientAuth) ? nil : provider.clientAuth)
    if needsSecret(client, method, isAsked: isAsked || isConfidential) {
      client.secret = try await askSecret(isRequired: method != nil || isConfidential)
    }
    // A public client keeps no secret: sending one would not make it confidential.
    if method == ClientAuthMethod.none { client.secret = nil }
    if client.hasMeans, server.isKnown { client.server = server }
    return client
  }

  /// What is given now counts for more than what was chosen for what the client had then.
  private func keptMethod(_ kept: ClientRegistration?, _ client: ClientRegistration) -> ClientAuthMethod? {
    guard options.clientKey == nil, options.certificate == nil else { return nil }
    let hasNewSecret = options.clientSecret != nil || client.secret != kept?.secret
    return hasNewSecret && kept?.method?.needsSecret == false ? nil : kept?.method
  }

  private func needsSecret(
    _ client: ClientRegistration, _ method: ClientAuthMethod?, isAsked: Bool
  ) -> Bool {
    guard client.secret == nil, client.key == nil, client.certificate == nil else { return false }
    guard let method else { return isAsked }
    if method == .basic, provider.effectiveQuirks.basicEmpty == true { return false }
    return method.needsSecret
  }

  /// Whether the user has named the client for this login.
  var isNamed: Bool { namedID != nil }

  private var namedID: String? { options.clientID ?? environment.setting("CLIENT_ID", provider: provider.name) }

  /// Gives the id of the client that is known; nil where there is none.
  ///
  /// - Throws: ``Failure`` where there are several, and nothing that decides.
  func knownID(_ stored: Session?) async throws -> String? {
    if let id = registeredID ?? namedID { return id }
    let before = stored.flatMap { former($0) }
    // The account's own client goes before that of the provider's file, unless somebody has changed that since.
    if let before, before.provider.clientID == provider.clientID { return before.clientID }
    if let id = provider.clientID { return id }
    if let before { return before.clientID }
    // What was given to another server is not offered to this one, under whatever name it is kept.
    let foreign = options.isForOtherServer ? stored?.clientID : nil
    let kept = try await offPool {
      try environment.clients.ids(provider: provider.name).map { id in
        try environment.clients.load(id, provider: provider.name) ?? ClientRegistration(id: id)
      }
    }.filter { $0.id != foreign && isOfServer($0) }
    // A client of the user's own counts for more than those of our own making, any of which will do.
    let own = kept.filter { $0.management == nil }
    guard own.count > 1 else { return own.first?.id ?? kept.first?.id }
    let ids = own.map(\.id)
    throw Failure(
      .configuration,
      "several clients of \(provider.name) are known: \(ids.map { PrintableText.printable($0, limit: 80) }.joined(separator: ", "))",
      hint: "choose one with --client-id")
  }

  /// The former login, where its client is one of this server's.
  private func former(_ stored: Session) -> Session? {
    guard !stored.clientID.isEmpty, !options.isForOtherServer else { return nil }
    return !isForResource || stored.provider.issuer == provider.issuer ? stored : nil
  }

  /// Whether a client has to be registered, or was, and may have to be anew.
  func mayBeRegistered(_ stored: Session?) async throws -> Bool {
    guard let id = try await knownID(stored) else { return true }
    return try await offPool { try environment.clients.load(id, provider: provider.name)?.management != nil }
  }

  private func ask() async throws -> String {
    let where_ = provider.registerURL.map { " (register one at \($0))" } ?? ""
    guard environment.terminal.isInteractive else {
      throw Failure(
        .configuration, "no client id is known for \(provider.name)\(where_)",
        hint: "give it with --client-id, or in the environment as "
          + Environment.settingName("CLIENT_ID", provider: provider.name))
    }
    let redirect = provider.redirect ?? Redirect()
    let port = redirect.effectivePorts.first { $0 != 0 }.map { ":\($0)" } ?? ""
    environment.terminal.show("\(provider.effectiveTitle) needs a client of yours\(where_)")
    environment.terminal.show("its redirect URI is http://\(redirect.effectiveHost)\(port)\(redirect.effectivePath)")
    for note in provider.notes ?? [] { environment.terminal.show(note) }
    guard let answer = try await environment.terminal.ask("client id: ", echo: true) else { throw CancellationError() }
    let id = answer.reveal().filter { !$0.isWhitespace }
    guard !id.isEmpty else { throw Failure(.configuration, "no client id was given") }
    return id
  }

  private func askSecret(isRequired: Bool) async throws -> Secret? {
    guard environment.terminal.isInteractive else {
      throw Failure(
        .configuration, "\(provider.name) needs the client's secret, and none is known",
        hint: "give it with --client-secret-file FILE (- for standard input)")
    }
    let prompt = isRequired ? "client secret: " : "client secret (empty for a public client): "
    guard let answer = try await environment.terminal.ask(prompt, echo: false) else { throw CancellationError() }
    if answer.isEmpty && isRequired { throw Failure(.configuration, "no client secret was given") }
    return answer.isEmpty ? nil : answer
  }
}

/// What was given for one server must not reach another one (RFC 9700 section 4.4).
extension ClientChoice {
  private var server: ClientServer { ClientServer(provider) }

  /// Whether a client that is kept is this server's, as far as is known.
  ///
  /// Of what an older version has kept nothing is known: it counts where the user has named the server, and not where a resource
  /// has.
  private func isOfServer(_ client: ClientRegistration) -> Bool {
    guard let known = client.knownServer else { return !isForResource }
    return client.mayProveItself(to: server) && (!isForResource || known.isSameIssuer(as: server))
  }

  /// Gives what is kept of a client, as far as this server may have it.
  ///
  /// - Throws: ``Failure`` where it proves the client to another server, and the user gives nothing in its place.
  private func usable(_ kept: ClientRegistration?, hasVariable: Bool) throws(Failure) -> ClientRegistration? {
    guard let kept, kept.hasMeans || kept.management != nil, !isOfServer(kept) else { return kept }
    let isGiven =
      hasVariable || options.clientSecret != nil || options.clientKey != nil || options.certificate != nil
      || options.clientAuth == ClientAuthMethod.none
    if isGiven || !kept.hasMeans { return nil }
    let option =
      kept.secret != nil
      ? "--client-secret-file FILE"
      : kept.key != nil ? "--private-key-file FILE" : "--certificate-file FILE --key-file FILE"
    throw Failure(
      .configuration,
      "what is kept of the client \(PrintableText.printable(kept.id, limit: 80)) was given for "
        + "\(shown(kept.knownServer?.name)), and \(provider.name) is at \(shown(server.name)) now",
      hint: "if that one is to have it, give it again with \(option)")
  }

  private func shown(_ name: String?) -> String {
    name.map { PrintableText.printable($0, limit: 200) } ?? "a server that is not known any more"
  }

  /// The secret that the environment has for the client.
  ///
  /// A variable is named for the provider, and where a URL was given the provider is named for that. Whoever sets one means the
  /// server that the URL led to then; a resource may name another one since. So it is taken at the first login, when there is
  /// nothing else to go by, and as long as all that is known under the name is of this one issuer. A variable that is set is
  /// refused even where an option gives another secret: each refresh would send it. For a provider that the user describes it
  /// is the user who says where it goes, by name, now.
  ///
  /// - Throws: ``Failure``, `StoreError`.
  private func variableSecret(_ id: String) async throws -> Secret? {
    guard let secret = environment.environmentSecret(provider: provider.name, clientID: id) else { return nil }
    guard isForResource, let other = try await otherIssuer() else { return secret }
    throw Failure(
      .configuration,
      "\(Environment.settingName("CLIENT_SECRET", provider: provider.name)) may be meant for \(shown(other)), and "
        + "\(provider.name) is at \(shown(server.name)) now",
      hint: "unset it; if that one is to have a secret, give it with --client-secret-file FILE")
  }

  /// Another issuer that something is kept of under the provider's name.
  private func otherIssuer() async throws -> String? {
    let (environment, name) = (environment, provider.name)
    let known = try await offPool {
      let sessions = try environment.sessions.accounts(of: name).compactMap { try? environment.sessions.load($0) }
      let clients = try environment.clients.ids(provider: name).compactMap {
        try environment.clients.load($0, provider: name)
      }
      return sessions.compactMap(\.provider.issuer) + clients.compactMap { $0.knownServer?.issuer }
    }
    return known.first { $0 != provider.issuer }
  }
}

extension ClientServer {
  /// Whether anything tells it from others.
  var isKnown: Bool { issuer != nil || origin != nil }
}

extension LoginOptions {
  /// Whether a secret is given now, and nothing else that proves the client, while what was chosen before would not use it.
  func prefersSecret(to method: ClientAuthMethod?) -> Bool {
    clientSecret != nil && clientKey == nil && certificate == nil && clientAuth == nil && method?.needsSecret != true
  }
}

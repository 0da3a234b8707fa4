internal import CLI
internal import Flows
internal import OAuth

/// `oauthctl providers add`: writes a provider file of the user's own.
enum ProvidersAddCommand {
  static let spec = CommandSpec(
    name: "add", summary: "describe a provider of one's own in a file",
    discussion:
      "A built-in provider's data is copied to start from. The client secret goes to the keyring, never into the file. "
      + SharedOptions.secretFiles,
    operands: [
      OperandSpec(
        "NAME|URL", arity: .required, completion: .dynamic("providers"),
        help: "the provider's name, or the URL of its issuer; with --register of a resource, too")
    ],
    options: [
      OptionSpec("issuer", value: .required(placeholder: "URL", completion: .none), help: "the issuer, for discovery"),
      OptionSpec("title", value: .required(placeholder: "TEXT", completion: .none), help: "the name for people"),
      SharedOptions.clientID, SharedOptions.clientSecretFile, SharedOptions.clientAuth,
      OptionSpec(
        "scope", short: "s", value: .required(placeholder: "SCOPE", completion: .none), repeatable: true,
        help: "a scope to ask for at login; a list is split at spaces and commas"),
      OptionSpec(
        "redirect-uri", value: .required(placeholder: "URI", completion: .none),
        help: "the redirect that is registered, as http://127.0.0.1:8085/callback; port 0 is any"),
      OptionSpec("register", help: "have the server register a client (RFC 7591), which is kept in the keyring"),
    ] + RegistrationOptions.specs + endpointOptions + [
      OptionSpec("force", short: "f", help: "replace the file where there is one"), SharedOptions.json,
      SharedOptions.cacert,
    ],
    examples: [
      Example(
        "oauthctl providers add acme --issuer https://id.acme.example --client-id abc", "a provider with discovery"),
      Example(
        "oauthctl providers add github --client-id abc --client-secret-file -", "one's own client of a built-in one"),
      Example("oauthctl providers add https://mcp.example.com/mcp --register", "a resource, with a new client"),
    ])

  /// Each endpoint's option, under the name that RFC 8414 gives the endpoint.
  private static let endpointOptions = Endpoints.all.map { key, _ in
    OptionSpec(
      optionName(key), value: .required(placeholder: "URL", completion: .none),
      help: "the \(key.replacing("_", with: " ")) endpoint")
  }

  private static func optionName(_ key: String) -> String {
    key == "jwks" ? "jwks-uri" : key.replacing("_", with: "-") + "-endpoint"
  }

  static func run(_ invocation: Invocation, _ environment: Environment) throws {
    let isRegistering = try RegisterAtAdd.isWanted(invocation)
    var provider = try describe(invocation, environment)
    let registering = try isRegistering ? RegisterAtAdd(invocation, environment) : nil
    if let registering { provider = try registering.run(provider) }
    do {
      try write(provider, invocation, environment)
    } catch {
      registering?.undo(provider)
      throw error
    }
    let path = environment.providers.path(provider.name)
    environment.output.note("wrote \(path); try 'oauthctl login \(provider.name)'")
    try ProvidersCommand.answerDone(
      provider.name, clientID: isRegistering ? provider.clientID : nil, environment.output)
  }

  private static func write(_ provider: Provider, _ invocation: Invocation, _ environment: Environment) throws {
    // Through the reader, so that no file is written that could not be read.
    let checked = try ProviderFile.read(Array(ProviderFile.write(provider).utf8))
    let secret = try invocation.value("client-secret-file").map {
      try environment.secret(from: $0, prompt: "client secret: ")
    }
    if let secret {
      guard let id = checked.clientID else {
        throw Failure(.usage, "a client secret needs the client's id", hint: "give --client-id too")
      }
      // The secret first: a file whose client cannot authenticate would be half an answer.
      try environment.clients.save(
        ClientRegistration(id: id, secret: secret, method: checked.clientAuth), provider: checked.name)
    }
    try environment.providers.write(checked)
  }

  private static func describe(_ invocation: Invocation, _ environment: Environment) throws -> Provider {
    let operand = invocation.operands[0]
    var provider = operand.contains("://") ? IssuerName.provider(issuer: operand) : Provider(name: operand)
    guard Name.isValid(provider.name) else {
      throw Failure(.usage, "\(Quoting.quote(operand)) is no name for a provider", hint: "it \(Name.rule)")
    }
    if let (known, source) = try existing(provider.name, invocation, environment) {
      guard source == .builtIn || invocation.has("force") else {
        throw Failure(
          .configuration, "there is a provider \(provider.name) of yours already",
          hint: "replace it with --force, or remove it: 'oauthctl providers remove \(provider.name)'")
      }
      provider = source == .builtIn ? known : ProviderDirectory.builtIn(provider.name) ?? provider
    }
    if let issuer = invocation.value("issuer") { provider.issuer = issuer }
    if let title = invocation.value("title") { provider.title = title }
    if let id = invocation.value("client-id") { provider.clientID = id }
    if let method = invocation.value("client-auth") { provider.clientAuth = ClientAuthMethod(rawValue: method) }
    if invocation.has("scope") { provider.scopes = invocation.values("scope").flatMap { Scope.split($0) } }
    if let uri = invocation.value("redirect-uri") { provider.redirect = try redirect(uri) }
    for (key, path) in Endpoints.all {
      guard let url = invocation.value(optionName(key)) else { continue }
      provider.endpoints = provider.endpoints ?? Endpoints()
      provider.endpoints?[keyPath: path] = url
    }
    guard provider.issuer != nil || (provider.endpoints?.authorization != nil && provider.endpoints?.token != nil)
    else {
      throw Failure(
        .usage, "nothing is known of where \(provider.name) is",
        hint: "give --issuer, or --authorization-endpoint and --token-endpoint")
    }
    return provider
  }

  private static func redirect(_ uri: String) throws(Failure) -> Redirect {
    // A port of 0 is none of a URL's, but says what is meant.
    let isAnyPort = uri.contains(":0/") || uri.hasSuffix(":0")
    guard let url = WebURL(isAnyPort ? uri.replacing(":0", with: "") : uri), url.scheme == "http" else {
      throw Failure(
        .usage, "\(Quoting.quote(uri)) is no loopback redirect", hint: "write it as http://127.0.0.1:8085/callback")
    }
    return Redirect(host: url.host, port: isAnyPort ? [0] : [url.port ?? 0], path: url.rest.isEmpty ? "/" : url.rest)
  }

  /// The provider of that name; with --force a broken file of the user's is no obstacle.
  private static func existing(
    _ name: String, _ invocation: Invocation, _ environment: Environment
  ) throws -> (Provider, ProviderDirectory.Source)? {
    guard invocation.has("force") else { return try environment.providers.find(name) }
    if let found = try? environment.providers.find(name) { return found }
    return ProviderDirectory.builtIn(name).map { ($0, .builtIn) }
  }
}

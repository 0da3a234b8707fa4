internal import CLI
internal import Flows
internal import OAuth

/// Logs an account in again as it was: what the options leave open is taken over from the former login.
///
/// What is said now counts for more; so does what the user has changed in the provider's file since.
struct LoginAgain {
  private let stored: Session
  private let target: LoginTarget
  private let invocation: Invocation
  /// The provider as the former login knew it.
  private var former: Provider { stored.provider }
  private var choices: LoginChoices { stored.choices ?? LoginChoices() }
  /// What is taken over and is not the provider's own, as options.
  private(set) var taken: [String] = []
  /// The grant, where an option means another than the former login's.
  private var departure: String?

  /// Looks at the former login of the account that is meant.
  init(_ stored: Session, _ target: LoginTarget, _ invocation: Invocation) {
    (self.stored, self.target, self.invocation) = (stored, target, invocation)
  }

  /// Fills the options.
  ///
  /// - Parameter isClientNamed: whether the surroundings name a client.
  mutating func fill(_ options: inout LoginOptions, isClientNamed: Bool) {
    takeVariables(&options)
    let provider = (try? options.applied(to: target.provider)) ?? target.provider
    let server = FormerServer(former, target, now: provider)
    guard server != .another else {
      options.isForOtherServer = true
      return
    }
    takeFlow(&options, provider, isSure: server == .same)
    let flow = options.flow ?? LoginFlow.usual(provider)
    takeScopes(&options, provider, flow)
    takeWays(&options, provider, flow)
    // What may be secret, or be good at its own server alone, waits until that is known.
    guard server == .same else { return }
    takeTargets(&options, provider)
    takeParameters(&options, provider, flow)
    takeClientAuth(&options, provider, isNamed: isClientNamed)
    tellClient(&options, provider, isNamed: isClientNamed)
  }

  /// Whether the user has changed the provider's file since.
  private func isChanged<Value: Equatable>(_ path: KeyPath<Provider, Value?>, _ provider: Provider) -> Bool {
    // What a file leaves open may have been found by the former login.
    guard target.isUsersOwn, let now = provider[keyPath: path] else { return false }
    return now != former[keyPath: path]
  }

  private mutating func tell(_ option: String, _ value: String? = nil) {
    guard let value else { return taken.append("--\(option)") }
    let plain = PrintableText.printable(value, limit: 100)
    taken.append("--\(option) \(plain.isEmpty || plain.contains(" ") ? "'\(plain)'" : plain)")
  }

  private mutating func takeVariables(_ options: inout LoginOptions) {
    let given = former.variables ?? [:]
    let own = target.provider.variables ?? [:]
    // Older sessions do not say which ones were options; that the provider leaves one open tells as much.
    let names = choices.variables ?? given.keys.filter { own[$0] == nil }
    for name in names.sorted() where options.variables[name] == nil && target.provider.variableNames.contains(name) {
      guard let value = given[name], value != own[name] else { continue }
      options.variables[name] = value
      tell("var", "\(name)=\(value)")
    }
  }

  /// The grant of the former login, as `--flow` names it; nil where nobody chose it.
  private func formerFlow(_ provider: Provider) -> String? {
    if let flow = choices.flow { return flow }
    switch stored.grant?.kind {
    case .clientCredentials: return Flow.clientCredentials.rawValue
    case .jwtBearer: return Flow.jwtBearer.rawValue
    case .extension: return provider.grants?.filter { $0.value.grantType == stored.grant?.type }.keys.min()
    case nil: return nil
    }
  }

  private mutating func takeFlow(_ options: inout LoginOptions, _ provider: Provider, isSure: Bool) {
    let former = formerFlow(provider)
    if options.flow == nil, let former, !isChanged(\.flows, provider), isSure || former == Flow.device.rawValue,
      Flow(rawValue: former) != nil || provider.grants?[former] != nil
    {
      options.flow = former
    }
    tellFlow(options.flow, former, provider)
    guard isSure, former == options.flow ?? LoginFlow.usual(provider) else { return }
    options.formerGrant = FormerGrant(
      username: choices.username, assertion: stored.grant?.assertion, subjectTokenType: choices.subjectTokenType,
      requestedTokenType: choices.requestedTokenType)
    tellGrant(choices)
    guard let assertion = stored.grant?.assertion, !invocation.has("assertion-file") else { return }
    if !stored.clientID.isEmpty { options.clientID = options.clientID ?? stored.clientID }
    // Where the grant is the former login's, a key is its key, as with the grant's name.
    guard let key = options.clientKey, options.clientAuth != .privateKeyJWT else { return }
    options.clientKey = nil
    options.formerGrant.assertion = assertion
    options.formerGrant.assertion?.key = key
    options.formerGrant.hasNewKey = true
  }

  /// Says which grant it is, where nobody has named it now.
  private mutating func tellFlow(_ flow: String?, _ former: String?, _ provider: Provider) {
    guard let flow, let former, !invocation.has("flow") else { return }
    if flow == former {
      if flow != LoginFlow.usual(provider) { tell("flow", flow) }
    } else if let option = LoginOptionFit.all.first(where: { $0.namesFlow && invocation.has($0.option) })?.option {
      departure = "by --flow \(flow), which --\(option) means, and not by \(PrintableText.printable(former, limit: 40))"
    }
  }

  /// Says what the grant itself takes over, as options.
  private mutating func tellGrant(_ choices: LoginChoices) {
    if let name = choices.username, !invocation.has("username") { tell("username", name) }
    if let type = choices.subjectTokenType, type != TokenExchange.accessTokenType,
      !invocation.has("subject-token-type")
    {
      tell("subject-token-type", type)
    }
    if let type = choices.requestedTokenType, !invocation.has("requested-token-type") {
      tell("requested-token-type", type)
    }
  }

  private mutating func takeScopes(_ options: inout LoginOptions, _ provider: Provider, _ flow: String) {
    guard options.scopes == nil, !isChanged(\.scopes, provider) else { return }
    func usual(_ flow: String?) -> [String] {
      let scopes = former.scopes ?? []
      guard Self.isForNoPerson(flow) else { return scopes }
      return scopes.filter { !LoginFlow.scopesOfPersons.contains($0) }
    }
    let before = formerFlow(provider) ?? LoginFlow.usual(provider)
    guard Set(stored.requestedScopes) != Set(usual(before)) else { return }
    // That a login asked for none was a wish only where it was said: a token from elsewhere asks for none by itself.
    guard !stored.requestedScopes.isEmpty || choices.asksForNoScope == true else { return }
    var scopes = stored.requestedScopes
    if flow != before, Self.isForNoPerson(flow) {
      scopes.removeAll { LoginFlow.scopesOfPersons.contains($0) }
    }
    options.scopes = scopes
    tell("scope", scopes.joined(separator: " "))
  }

  private static func isForNoPerson(_ flow: String?) -> Bool {
    flow == Flow.clientCredentials.rawValue || flow == Flow.tokenExchange.rawValue
  }

  /// How the request goes and comes back, and what it binds.
  private mutating func takeWays(_ options: inout LoginOptions, _ provider: Provider, _ flow: String) {
    if stored.binding != nil, !options.bindsTokens, former.dpop != true, !isChanged(\.dpop, provider),
      LoginOptionFit.fits("dpop", flow)
    {
      options.bindsTokens = true
      tell("dpop")
    }
    if choices.pushesRequest == true, !options.pushesRequest, !isChanged(\.par, provider),
      LoginOptionFit.fits("par", flow)
    {
      options.pushesRequest = true
      tell("par")
    }
    if choices.signsRequest == true, !options.signsRequest, !isChanged(\.requestObject, provider),
      LoginOptionFit.fits("sign-request", flow)
    {
      options.signsRequest = true
      tell("sign-request")
    }
    if choices.skipsPKCE == true, !options.skipsPKCE, LoginOptionFit.fits("no-pkce", flow) {
      options.skipsPKCE = true
      tell("no-pkce")
    }
    if let mode = choices.responseMode, options.responseMode == nil, !isChanged(\.responseMode, provider),
      LoginOptionFit.fits("response-mode", flow)
    {
      options.responseMode = mode
      tell("response-mode", mode.rawValue)
    }
    if let isHybrid = choices.isHybrid, options.isHybrid == nil, LoginOptionFit.fits("response-type", flow) {
      options.isHybrid = isHybrid
      tell("response-type", isHybrid ? "code id_token" : "code")
    }
    guard options.redirectURI == nil, options.ports == nil, !isChanged(\.redirect, provider),
      LoginOptionFit.fits("redirect-uri", flow)
    else { return }
    (options.redirectURI, options.ports) = (choices.redirectURI, choices.ports)
    if let uri = options.redirectURI { tell("redirect-uri", uri) }
    if let ports = options.ports { tell("port", ports.map(String.init).joined(separator: ",")) }
  }

  /// Whom the tokens are for.
  private mutating func takeTargets(_ options: inout LoginOptions, _ provider: Provider) {
    if options.resources.isEmpty, !isChanged(\.resource, provider), let resources = stored.resources,
      resources != former.resource
    {
      options.resources = resources
      for resource in resources { tell("resource", resource) }
    }
    guard !isChanged(\.audience, provider), let audience = stored.audience, audience != former.audience,
      !options.tokenParameters.contains(where: { $0.name == "audience" }),
      !options.authorizationParameters.contains(where: { $0.name == "audience" })
    else { return }
    options.authorizationParameters.append(Parameter("audience", audience))
    options.tokenParameters.append(Parameter("audience", audience))
    tell("audience", audience)
  }

  private mutating func takeParameters(_ options: inout LoginOptions, _ provider: Provider, _ flow: String) {
    func others(_ list: [Parameter]?, than own: [Parameter]) -> [Parameter] {
      (list ?? []).filter { one in
        !own.contains { $0.name == one.name } && !(one.name == "audience" && isChanged(\.audience, provider))
      }
    }
    let authorization = others(choices.authorizationParameters, than: options.authorizationParameters)
    if LoginOptionFit.fits("param", flow) {
      options.authorizationParameters += authorization
      for parameter in authorization { tell("param", parameter.name + "=…") }
    }
    let token =
      others(choices.tokenParameters, than: options.tokenParameters) + parametersOfGrant(options, flow, provider)
    if LoginOptionFit.fits("token-param", flow) {
      options.tokenParameters += token
      for parameter in token where !authorization.contains(parameter) { tell("token-param", parameter.name + "=…") }
    }
    options.formerGrant.parameters = options.tokenParameters.map(\.name)
    for name in choices.headers ?? [] where !options.headers.contains(where: { $0.name == name }) {
      guard let value = former.headers?[name], value != provider.headers?[name] else { continue }
      options.headers.append(Parameter(name, value))
      tell("header", name + "=…")
    }
  }

  /// What a standing grant holds and the choices do not tell: those of an older layout, and what may be secret.
  private func parametersOfGrant(_ options: LoginOptions, _ flow: String, _ provider: Provider) -> [Parameter] {
    guard flow == formerFlow(provider), let held = stored.grant?.extra else { return [] }
    let told = Set((choices.tokenParameters ?? []).map(\.name) + options.tokenParameters.map(\.name) + ["audience"])
    let fixed = former.grants?[flow]?.params ?? [:]
    return held.filter { !told.contains($0.name) && fixed[$0.name] != $0.value }
  }

  /// How the account's client authenticates, as long as it is that client, and has what it had.
  private mutating func takeClientAuth(_ options: inout LoginOptions, _ provider: Provider, isNamed: Bool) {
    guard let method = choices.clientAuth, options.clientAuth == nil, !isChanged(\.clientAuth, provider),
      !isChanged(\.clientID, provider),
      options.clientID.map({ $0 == stored.clientID }) ?? !isNamed, options.clientSecret == nil,
      options.clientKey == nil, options.certificate == nil
    else { return }
    options.clientAuth = method
    tell("client-auth", method.rawValue)
  }

  /// The client is chosen elsewhere; that it is another than the provider's own is told.
  private mutating func tellClient(_ options: inout LoginOptions, _ provider: Provider, isNamed: Bool) {
    guard options.clientID == nil, !isNamed, !stored.clientID.isEmpty, let own = provider.clientID,
      own != stored.clientID, own == former.clientID
    else { return }
    tell("client-id", stored.clientID)
  }

  /// Says what was taken over, and how to leave it; nil where that is nothing.
  var sentence: String? {
    guard !taken.isEmpty else { return departure.map { "not as in the former login: \($0)" } }
    let other = departure.map { ", but \($0)" } ?? ""
    return "as in the former login\(other): \(PrintableText.printable(taken.joined(separator: " "), limit: 400)) "
      + "(other options win; with --anew nothing is taken over)"
  }
}

/// Whether the server that an account was logged in at is the one that a login is for: what was given to one must not reach
/// another (RFC 9700 section 4.4).
enum FormerServer {
  case same, another
  /// A resource has not told yet who its server is.
  case unknown

  /// Compares issuer and token endpoint, as far as they are known before the login begins.
  init(_ former: Provider, _ target: LoginTarget, now provider: Provider) {
    if let place = target.place {
      self = former.resource == nil && former.issuer == place.url ? .same : .unknown
      return
    }
    if let before = former.issuer, let now = provider.issuer, before != now {
      self = .another
      return
    }
    let endpoints = (former.endpoints ?? Endpoints(), provider.endpoints ?? Endpoints())
    let pairs = [
      (endpoints.0.token, endpoints.1.token), (endpoints.0.authorization, endpoints.1.authorization),
    ]
    for case (let before?, let now?) in pairs {
      self = before == now ? .same : .another
      return
    }
    self = former.issuer != nil && former.issuer == provider.issuer ? .same : .unknown
  }
}

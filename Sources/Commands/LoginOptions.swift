internal import CLI
internal import Crypto
internal import Flows
internal import OAuth

/// The options of `oauthctl login`, read and checked.
struct LoginOptions: Sendable {
  let target: String
  var scopes: [String]?
  var clientID: String?
  let clientSecret: Secret?
  var clientAuth: ClientAuthMethod?
  var redirectURI: String?
  var ports: [Int]?
  /// Whether the login ends with its URL, and another run finishes it.
  let isTwoStep: Bool
  /// Whether nothing of the account's former login counts.
  let beginsAnew: Bool
  let opensBrowser: Bool
  let browser: String?
  let isPrivate: Bool
  var skipsPKCE: Bool
  var headers: [Parameter]
  var authorizationParameters: [Parameter]
  var tokenParameters: [Parameter]
  var variables: [String: String]
  let timeout: Duration?
  var flow: String?
  var resources: [String]
  var pushesRequest: Bool
  var signsRequest: Bool
  var responseMode: ResponseMode?
  var isHybrid: Bool?
  var bindsTokens: Bool
  let maxAge: Int?
  var clientKey: ClientKey?
  let certificate: ClientCertificate?
  let registration: RegistrationOptions
  /// What the account's former login leaves of its grant.
  var formerGrant = FormerGrant()
  /// Whether the account's former login was at another server, which its client is kept from.
  var isForOtherServer = false

  init(_ invocation: Invocation, _ environment: Environment) throws {
    target = invocation.operand(0) ?? ""
    scopes = try Self.scopes(invocation)
    clientID = invocation.value("client-id")
    clientSecret = try invocation.value("client-secret-file").map {
      try environment.secret(from: $0, prompt: "client secret: ")
    }
    clientAuth = invocation.value("client-auth").flatMap(ClientAuthMethod.init)
    redirectURI = try invocation.value("redirect-uri").map(Self.absoluteURI)
    ports = try invocation.value("port").map(Self.ports)
    isTwoStep = invocation.has("print-url")
    beginsAnew = invocation.has("anew")
    opensBrowser = !invocation.has("no-browser")
    browser = invocation.value("browser")
    isPrivate = invocation.has("private")
    skipsPKCE = invocation.has("no-pkce")
    headers = try invocation.pairs("header")
    flow = try LoginFlow.named(invocation)
    resources = try invocation.values("resource").map(Self.resource)
    pushesRequest = invocation.has("par")
    signsRequest = invocation.has("sign-request")
    responseMode = invocation.value("response-mode").flatMap(ResponseMode.init)
    isHybrid = try ResponseTypeChoice.isHybrid(invocation)
    bindsTokens = invocation.has("dpop")
    maxAge = try invocation.seconds("max-age")
    // With the JWT bearer grant it signs the assertion, which is the grant, unless it is said to be the client's.
    let isGrant = flow == Flow.jwtBearer.rawValue && clientAuth != .privateKeyJWT
    clientKey = isGrant ? nil : try KeyFiles(environment).clientKey(invocation)
    certificate = try KeyFiles(environment).certificate(invocation)
    registration = try RegistrationOptions(invocation, environment)
    let free = try Self.free(invocation, "param", AuthorizationRequest.ownParameters + ["scope"])
    let details = try Self.details(invocation, environment)
    authorizationParameters =
      (Self.hints(invocation, maxAge) + details).filter { hint in !free.contains { $0.name == hint.name } } + free
    tokenParameters =
      details + (invocation.value("audience").map { [Parameter("audience", $0)] } ?? [])
      + (try Self.free(invocation, "token-param", TokenRequest.ownParameters + ["redirect_uri", "client_secret"]))
    variables = Dictionary(try invocation.pairs("var").map { ($0.name, $0.value) }) { _, last in last }
    timeout = try invocation.seconds("timeout").map { .seconds($0) }
    if let clientID, clientID.isEmpty { throw Failure(.usage, "the client id is empty") }
    try Self.check(headers: headers)
    if clientSecret != nil, let clientAuth, !clientAuth.needsSecret {
      throw Failure(
        .usage, "--client-auth \(clientAuth.rawValue) has no use for a client secret",
        hint: "leave out --client-secret-file, or --client-auth")
    }
  }

  /// As in a provider's file, a line that requests have of themselves cannot be set.
  private static func check(headers: [Parameter]) throws(Failure) {
    for header in headers {
      guard HeaderLine.isSafe(name: header.name, value: header.value) else {
        throw Failure(.usage, "\(Quoting.quote(header.name)) is no header line", hint: "write --header NAME=VALUE")
      }
      if HeaderLine.ownNames.contains(header.name.lowercased()) {
        throw Failure(.usage, "--header cannot set '\(header.name)'", hint: "oauthctl sets it itself")
      }
    }
  }

  /// The scopes to ask for; nil where nothing is said, while an empty word asks for none.
  private static func scopes(_ invocation: Invocation) throws(Failure) -> [String]? {
    guard invocation.has("scope") else { return nil }
    let lists = invocation.values("scope")
    if let list = lists.first(where: { !$0.isEmpty && Scope.split($0).isEmpty }) {
      throw Failure(
        .usage, "\(Quoting.quote(list)) is no scope", hint: "write --scope 'ONE TWO', or --scope '' to ask for none")
    }
    return lists.flatMap { Scope.split($0) }
  }

  /// The parameters of the authorization request that have options of their own.
  private static func hints(_ invocation: Invocation, _ maxAge: Int?) -> [Parameter] {
    let named = [
      ("audience", "audience"), ("login-hint", "login_hint"), ("prompt", "prompt"), ("acr-values", "acr_values"),
      ("ui-locales", "ui_locales"),
    ].compactMap { option, name in invocation.value(option).map { Parameter(name, $0) } }
    return named + (maxAge.map { [Parameter("max_age", String($0))] } ?? [])
  }

  /// RFC 8707 section 2: an absolute URI without a fragment.
  static func resource(_ text: String) throws(Failure) -> String {
    if let uri = try? absoluteURI(text), !uri.contains("#") { return uri }
    throw Failure(
      .usage, "\(Quoting.quote(text)) is no resource", hint: "write an absolute URI without a fragment (RFC 8707)")
  }

  /// What oauthctl itself sets may not be set by hand: a fixed state or verifier would protect nothing.
  private static func free(_ invocation: Invocation, _ option: String, _ own: [String]) throws(Failure)
    -> [Parameter]
  {
    let pairs = try invocation.pairs(option)
    if let age = pairs.first(where: { $0.name == "max_age" && Int($0.value).map { $0 >= 0 } != true }),
      option == "param"
    {
      throw Failure(
        .usage, "\(Quoting.quote(age.value)) is no number of seconds", hint: "write --param max_age=60, or --max-age 60"
      )
    }
    if let taken = pairs.first(where: { own.contains($0.name) }) {
      throw Failure(.usage, "--\(option) cannot set '\(taken.name)'", hint: "oauthctl sets it itself")
    }
    return pairs
  }

  /// A list of objects with a type each (RFC 9396 section 2), as it is or from a file.
  private static func details(_ invocation: Invocation, _ environment: Environment) throws -> [Parameter] {
    guard let text = invocation.value("authorization-details") else { return [] }
    let json = text.hasPrefix("@") ? try environment.readPublic(String(text.dropFirst())).reveal() : text
    do {
      return [Parameter("authorization_details", try AuthorizationDetails(parsing: json).text)]
    } catch {
      throw Failure(
        .usage, "the authorization details \(error.sentence)",
        hint: #"write them as '[{"type": "…"}]', or @FILE (RFC 9396)"#)
    }
  }

  private static func absoluteURI(_ text: String) throws(Failure) -> String {
    if let scheme = text.firstIndex(of: ":"), scheme != text.startIndex,
      text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
    {
      return text
    }
    throw Failure(
      .usage, "\(Quoting.quote(text)) is no redirect URI", hint: "write it as http://127.0.0.1:8085/callback")
  }

  private static func ports(_ text: String) throws(Failure) -> [Int] {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    let ports = parts.filter { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }.compactMap { Int($0) }.filter {
      (0...65535).contains($0)
    }
    guard ports.count == parts.count else {
      throw Failure(.usage, "\(Quoting.quote(text)) is no list of ports", hint: "write --port 8085 or --port 8085,8086")
    }
    return ports
  }

  /// Gives the provider with what the options add to its data; the session keeps that.
  func applied(to provider: Provider) throws -> Provider {
    var applied = try provider.filling(variables)
    if !headers.isEmpty {
      applied.headers = (applied.headers ?? [:]).merging(headers.map { ($0.name, $0.value) }) { _, own in own }
    }
    return applied
  }

  /// What another login of the account takes over, beyond what its session tells.
  func choices(_ flow: LoginFlow) -> LoginChoices {
    var choices = LoginChoices()
    choices.flow = self.flow
    switch flow {
    case .direct(.password(let username, _)): choices.username = username
    case .direct(.tokenExchange(let exchange)):
      choices.subjectTokenType = exchange.subjectTokenType
      choices.requestedTokenType = exchange.requestedTokenType
    // The token was for once: the next login is as any other.
    case .direct(.refreshToken): choices.flow = nil
    case .code, .device, .implicit, .direct: break
    }
    (choices.redirectURI, choices.ports) = (redirectURI, ports)
    choices.authorizationParameters = LoginChoices.lasting(authorizationParameters)
    choices.tokenParameters = LoginChoices.lasting(tokenParameters)
    choices.headers = headers.isEmpty ? nil : headers.map(\.name)
    choices.variables = variables.isEmpty ? nil : variables.keys.sorted()
    choices.pushesRequest = pushesRequest ? true : nil
    choices.signsRequest = signsRequest ? true : nil
    choices.skipsPKCE = skipsPKCE ? true : nil
    choices.responseMode = responseMode
    choices.isHybrid = isHybrid
    choices.asksForNoScope = scopes?.isEmpty == true ? true : nil
    choices.clientAuth = clientAuth
    return choices
  }

  /// Where the browser shall come back to.
  func redirect(of provider: Provider) throws(Failure) -> LoginPlan.RedirectPlan {
    let usual = provider.redirect ?? Redirect()
    guard let redirectURI else {
      if isTwoStep { return .paste(TwoStepRedirect.uri(usual, ports: ports)) }
      return .listen(
        RedirectAddress(host: usual.effectiveHost, ports: ports ?? usual.effectivePorts, path: usual.effectivePath))
    }
    guard ports == nil else {
      throw Failure(.usage, "--redirect-uri and --port exclude each other", hint: "write the port into the URI")
    }
    guard !isTwoStep, let url = WebURL(redirectURI), url.scheme == "http", Redirect.loopbackHosts.contains(url.host)
    else {
      return .paste(redirectURI)
    }
    let path = url.rest.prefix { $0 != "?" && $0 != "#" }
    return .listenAs(
      redirectURI, RedirectAddress(host: url.host, ports: [url.port ?? 80], path: path.isEmpty ? "/" : String(path)))
  }
}

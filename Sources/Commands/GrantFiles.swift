internal import CLI
internal import Crypto
internal import Flows
internal import OAuth

/// Reads what the grants without a browser need: passwords, assertions, tokens to be exchanged.
struct GrantFiles {
  private let invocation: Invocation
  private let environment: Environment
  private let former: FormerGrant

  /// Reads the files that the options name.
  ///
  /// - Parameter former: what the account's former login leaves of the same grant.
  init(_ invocation: Invocation, _ environment: Environment, _ former: FormerGrant = FormerGrant()) {
    self.invocation = invocation
    self.environment = environment
    self.former = former
  }

  /// What was typed, for a hint.
  private var login: String {
    "oauthctl login \(PrintableText.printable(invocation.operand(0) ?? "NAME", limit: 200))"
  }

  /// The name and password of a person; they are asked for where they are not given.
  func password() throws -> DirectLogin.Kind {
    let username = try invocation.value("username") ?? former.username ?? ask("user name: ")
    let prompt = "\(PrintableText.printable(username, limit: 80))'s password: "
    if let file = invocation.value("password-file") {
      let password = try environment.secret(from: file, prompt: prompt, named: "password")
      return .password(username: username, password: password)
    }
    guard environment.terminal.isInteractive else {
      throw Failure(
        .usage, "no password was given",
        // Whose it is needs not be said twice, and the file means the grant.
        hint: "run '\(login)\(invocation.has("username") ? " --username NAME" : "") --password-file FILE' "
          + "(- for standard input)")
    }
    let password = try environment.wait { [environment] in try await environment.terminal.ask(prompt, echo: false) }
    guard let password else { throw CancellationError() }
    return .password(username: username, password: password)
  }

  private func ask(_ prompt: String) throws -> String {
    guard environment.terminal.isInteractive else {
      throw Failure(
        .usage, "no user name was given", hint: "run '\(login) --flow password --username NAME --password-file FILE'")
    }
    let answer = try environment.wait { [environment] in try await environment.terminal.ask(prompt, echo: true) }
    guard let answer, !answer.isEmpty else { throw CancellationError() }
    return answer.reveal()
  }

  /// The assertion of the JWT bearer grant: one that somebody signed, or what signs one each time.
  func assertion() throws -> DirectLogin.Kind {
    let issuer = invocation.value("assertion-issuer")
    if let file = invocation.value("assertion-file") {
      if issuer != nil || invocation.has("private-key-file") {
        throw Failure(
          .usage, "--assertion-file and a private key exclude each other",
          hint: "give the file alone, or --private-key-file with --assertion-issuer")
      }
      let content = try environment.secret(from: file, prompt: "assertion: ", named: "assertion")
      let isKey = content.withBytes { ServiceAccountKey.isLikely(Array($0)) }
      return isKey ? .signedAssertion(try serviceAccount(content, file)) : .assertion(try checked(content, file))
    }
    if let kept = former.assertion, issuer == nil || !invocation.has("private-key-file") {
      return .signedAssertion(try renewed(kept))
    }
    guard let key = try KeyFiles(environment).clientKey(invocation) else {
      throw Failure(
        .usage, "the JWT bearer grant needs an assertion, or what signs one",
        hint: "give --assertion-file FILE (a service account's key, too), or --private-key-file with --assertion-issuer"
      )
    }
    guard let issuer else {
      throw Failure(.usage, "an assertion needs an issuer", hint: "give --assertion-issuer WHO")
    }
    return .signedAssertion(
      StandingGrant.Assertion(
        issuer: issuer, subject: invocation.value("assertion-subject") ?? issuer,
        audience: invocation.value("audience"), key: key, holdsScope: false))
  }

  /// What signed the assertions of the former login, with what is said of them now.
  private func renewed(_ kept: StandingGrant.Assertion) throws -> StandingGrant.Assertion {
    var assertion = kept
    if let issuer = invocation.value("assertion-issuer") { assertion.issuer = issuer }
    if let subject = invocation.value("assertion-subject") { assertion.subject = subject }
    if let audience = invocation.value("audience") { assertion.audience = audience }
    let isClients = invocation.value("client-auth") == ClientAuthMethod.privateKeyJWT.rawValue
    if !former.hasNewKey, !isClients, let key = try KeyFiles(environment).clientKey(invocation) { assertion.key = key }
    return assertion
  }

  /// A service account's key: its scopes are a claim of the assertion.
  private func serviceAccount(_ content: Secret, _ file: String) throws -> StandingGrant.Assertion {
    let account: ServiceAccountKey
    do {
      account = try ServiceAccountKey(reading: content)
    } catch {
      throw Failure(
        .configuration, "\(PrintableText.printable(file, limit: 200)): \(Self.sentence(error))",
        hint: "download the service account's key anew, as JSON")
    }
    var key = try KeyFiles.key(account.privateKey, from: file)
    key.keyID = account.keyID
    return StandingGrant.Assertion(
      issuer: account.email, subject: invocation.value("assertion-subject"),
      audience: invocation.value("audience") ?? account.tokenURI, key: key, holdsScope: true)
  }

  private static func sentence(_ problem: ServiceAccountKey.Problem) -> String {
    switch problem {
    case .notJSON: "it is not JSON"
    case .otherType(let type):
      "it is no service account's key\(type.map { ", but \(PrintableText.printable($0, limit: 60))" } ?? "")"
    case .missing(let name): "it has no \(name)"
    case .badTokenURI(let url): "its token_uri \(WebURL.rule): \(PrintableText.printable(url, limit: 200))"
    }
  }

  private func checked(_ content: Secret, _ file: String) throws(Failure) -> Secret {
    guard JWT.Parsed(content) != nil else {
      throw Failure(
        .configuration, "\(PrintableText.printable(file, limit: 200)): it is no JWT, and no service account's key",
        hint: "give a signed JWT on one line")
    }
    return content
  }

  /// The tokens of an exchange.
  func tokenExchange() throws -> TokenExchange {
    guard let file = invocation.value("subject-token-file") else {
      throw Failure(
        .usage, "there is no token to exchange",
        hint: "run '\(login) --flow token-exchange --subject-token-file FILE', or choose another --flow")
    }
    let subject = try environment.secret(from: file, prompt: "subject token: ", named: "subject token")
    let actor = try invocation.value("actor-token-file").map {
      try environment.secret(from: $0, prompt: "actor token: ", named: "actor token")
    }
    if actor == nil, invocation.has("actor-token-type") {
      throw Failure(.usage, "--actor-token-type is for an actor's token", hint: "give it with --actor-token-file FILE")
    }
    return TokenExchange(
      subjectToken: subject,
      subjectTokenType: try type("subject-token-type") ?? former.subjectTokenType
        ?? TokenExchange.accessTokenType,
      actorToken: actor,
      actorTokenType: try actor.map { _ in try type("actor-token-type") ?? TokenExchange.accessTokenType },
      requestedTokenType: try type("requested-token-type") ?? former.requestedTokenType)
  }

  /// A refresh token that the client has from elsewhere.
  func refreshToken() throws -> Secret {
    guard let file = invocation.value("refresh-token-file") else {
      throw Failure(
        .usage, "there is no refresh token", hint: "give it with --refresh-token-file FILE (- for standard input)")
    }
    let token = try environment.secret(from: file, prompt: "refresh token: ", named: "refresh token")
    // RFC 6749 appendix A.17; what it is not, it would be spent for nothing.
    guard token.withBytes({ $0.allSatisfy { (0x21...0x7E).contains($0) } && $0.first != UInt8(ascii: "{") }) else {
      throw Failure(
        .usage, "\(PrintableText.printable(file, limit: 200)): it is no refresh token alone",
        hint: "give it on one line; out of JSON: jq -r .refresh_token FILE | oauthctl login … --refresh-token-file -")
    }
    return token
  }

  /// A token type, by its short name (RFC 8693 section 3) or as a URI.
  private func type(_ option: String) throws(Failure) -> String? {
    guard let text = invocation.value(option) else { return nil }
    if let type = TokenExchange.type(named: text) { return type }
    throw Failure(
      .usage, "\(Quoting.quote(text)) is no type of token for --\(option)",
      hint: "write \(TokenExchange.typeNames.joined(separator: ", ")), or a URI")
  }
}

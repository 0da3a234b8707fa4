internal import Flows
internal import OAuth

extension Failure {
  private static func clean(_ text: String) -> String { PrintableText.printable(text, limit: 200) }

  /// What did not hold, as the end of a sentence.
  static func sentence(_ mismatch: JWT.Mismatch) -> String {
    "'\(clean(mismatch.claim))': expected \(clean(mismatch.expected)), got \(mismatch.got.map(clean) ?? "none")"
  }

  init(newer item: NewerItem) {
    self.init(
      .configuration,
      "the keyring item of \(Self.clean(item.name)) was written by a newer oauthctl (layout \(item.version))",
      hint: "upgrade oauthctl; the item was left as it is")
  }

  init(resource failure: ResourceFailure) {
    switch failure {
    case .notFound(let url, let status):
      self.init(
        .configuration, "there is no resource metadata at \(Self.clean(url)) (status \(status))",
        hint: "name the resource's server: 'oauthctl login ISSUER --resource URL'")
    case .unreadable(let url):
      self.init(
        .protocolViolation, "what is at \(Self.clean(url)) is no resource metadata",
        hint: "name the resource's server: 'oauthctl login ISSUER --resource URL'")
    case .transient(let error):
      self.init(.temporary, "the resource's metadata cannot be read now (\(error.sentence))", hint: "try again later")
    case .resourceMismatch(let expected, let got):
      self.init(
        .protocolViolation,
        "the metadata is another resource's: expected \(Self.clean(expected)), got \(Self.clean(got))",
        hint: "nothing was stored; if that is the right one, log in with its URL exactly as it is written there")
    case .badURL(let name, let url):
      self.init(
        .protocolViolation, "the resource's '\(name)' is not usable: \(Self.clean(url))",
        hint: "it \(WebURL.rule), and on this machine only for a resource on this machine")
    case .unverified(let mismatch):
      self.init(
        .protocolViolation, "the resource's signed metadata does not hold: \(Self.sentence(mismatch))",
        hint: "nothing was stored; the resource's keys or its metadata are not what they should be")
    case .noAuthorizationServer(let resource):
      self.init(
        .configuration, "\(Self.clean(resource)) wants a token, and does not say whose",
        hint: "name its server: 'oauthctl login ISSUER --resource \(Self.clean(resource))'")
    }
  }

  init(registration failure: RegistrationFailure) {
    let byHand = "register a client by hand, and give its id with --client-id"
    switch failure {
    case .transient(let error, let retryAfter):
      self.init(
        .temporary, "no client can be registered now (\(error.sentence))",
        hint: retryAfter.map { "try again in \($0) s" } ?? "try again later", server: error)
    case .notOffered(let url, let status):
      self.init(.configuration, "no client is registered at \(Self.clean(url)) (status \(status))", hint: byHand)
    case .tokenRefused(let error, let wasSent):
      self.init(
        .configuration,
        wasSent
          ? "the server did not take the initial access token: \(error.sentence)"
          : "the server registers nobody without an initial access token (\(error.sentence))",
        hint: "give one of the server's operator with --initial-access-token-file FILE, or \(byHand)", server: error)
    case .refused(let error, let reason):
      let what =
        switch reason {
        case .redirectURI: "does not take the redirect URI"
        case .clientMetadata: "does not take what the client says of itself"
        case .softwareStatement(isApproved: true): "cannot use the software statement"
        case .softwareStatement(isApproved: false): "does not approve of the software statement"
        case .other: "does not register the client"
        }
      let other = reason == .redirectURI ? "choose another redirect with --redirect-uri URI, or " : ""
      self.init(.configuration, "the server \(what): \(error.sentence)", hint: other + byHand, server: error)
    case .unreadable(let error, let reason):
      self.init(.protocolViolation, "the answer is no registration: \(reason)", hint: byHand, server: error)
    case .unusableMethod(let name, let reason):
      self.init(
        .configuration, "the server registered the client for '\(Self.clean(name))', which cannot be used: \(reason)",
        hint: byHand)
    case .otherRedirects(let asked, let got):
      self.init(
        .protocolViolation,
        "the server registered other redirect URIs: expected \(Self.clean(asked)), "
          + "got \(got.isEmpty ? "none" : Self.clean(got.joined(separator: " ")))", hint: byHand)
    }
  }

  init(authentication failure: UnsupportedClientAuth) {
    let options: [(name: String, option: String)] = [
      ("private_key_jwt", "--private-key-file FILE"),
      ("tls_client_auth", "--certificate-file FILE --key-file FILE"),
      ("self_signed_tls_client_auth", "--certificate-file FILE --key-file FILE"),
      ("client_secret_basic", "--client-secret-file FILE"), ("client_secret_post", "--client-secret-file FILE"),
      ("client_secret_jwt", "--client-secret-file FILE"), ("none", "--client-auth none"),
    ]
    let working = options.first { failure.offered.contains($0.name) }?.option
    self.init(
      .configuration,
      "the server takes none of the ways in which this client can authenticate: "
        + "it takes \(Self.clean(failure.offered.joined(separator: ", "))), "
        + "the client can do \(failure.possible.joined(separator: ", "))",
      hint: working.map { "use \($0), or force a way with --client-auth" } ?? "force a way with --client-auth")
  }

  init(clientID failure: ClientIDDocument.Failure) {
    switch failure {
    case .malformed(let id, let reason):
      self.init(
        .configuration, "the client id \(Self.clean(id)) cannot be the URL of a client's metadata: \(reason)",
        hint: "write it as https://app.example/client.json")
    case .unsupported(let issuer, let canRegister):
      self.init(
        .configuration, "\(Self.clean(issuer)) does not take the URL of a client's metadata as its id",
        hint: canRegister
          ? "leave --client-id out, and a client is registered" : "register a client by hand, and give its id")
    }
  }

  init(userinfo failure: Userinfo.Failure, login: String) {
    switch failure {
    case .transient(let error, let retryAfter):
      self.init(
        .temporary, "the provider cannot say now who it is (\(error.sentence))",
        hint: retryAfter.map { "try again in \($0) s" } ?? "try again later", server: error)
    case .refused(let error):
      self.init(
        .loginRequired, "the provider does not say who it is: \(error.sentence)",
        hint: Self.grantHint(error, login), server: error)
    case .unreadable(let error, let reason):
      self.init(
        .protocolViolation, "the answer does not say who it is: \(reason)",
        hint: "check the provider's userinfo endpoint", server: error)
    case .mismatch(let mismatch) where mismatch.isEncrypted: self.init(token: mismatch)
    case .mismatch(let mismatch):
      self.init(
        .protocolViolation, "the answer of the userinfo endpoint does not hold: \(Self.sentence(mismatch))",
        hint: "it is not used")
    }
  }

  init(introspection failure: Introspection.Failure) {
    switch failure {
    case .transient(let error, let retryAfter):
      self.init(
        .temporary, "the server cannot say now what the token is good for (\(error.sentence))",
        hint: retryAfter.map { "try again in \($0) s" } ?? "try again later", server: error)
    case .refused(let error):
      self.init(
        .configuration, "the server does not say what the token is good for: \(error.sentence)",
        hint: "it may want a client with a secret; see --client-secret-file at 'oauthctl login'", server: error)
    case .unreadable(let error, let reason):
      self.init(
        .protocolViolation, "the answer does not say what the token is good for: \(reason)",
        hint: "check the provider's introspection endpoint", server: error)
    }
  }
}

internal import CLI
internal import OAuth

/// The options of `oauthctl login`, as the parser, the help and the manual page have them.
extension LoginOptions {
  static let specs =
    grantOptions.map { $0.under("Grant") } + clientOptions.map { $0.under("Client") }
    + requestOptions.map { $0.under("Request") } + browserOptions.map { $0.under("Browser") }
    + twoStepOptions.map { $0.under("Two steps") } + [SharedOptions.json, SharedOptions.cacert]

  private static func value(_ name: String, _ placeholder: String, _ help: String) -> OptionSpec {
    value(name, placeholder, .none, help)
  }

  private static func value(
    _ name: String, _ placeholder: String, _ completion: Completion, repeats: Bool = false, _ help: String
  ) -> OptionSpec {
    OptionSpec(
      name, value: .required(placeholder: placeholder, completion: completion), repeatable: repeats, help: help)
  }

  private static let grantOptions = [
    value(
      "flow", "FLOW", .suggested(Flow.allCases.map(\.rawValue)),
      "the grant: \(Flow.allCases.map(\.rawValue).joined(separator: ", ")), or the name of one of the provider's own; by default the authorization code with PKCE, and a device login where no browser can be opened and the provider has it"
    ),
    OptionSpec(
      "scope", short: "s", value: .required(placeholder: "SCOPE", completion: .none), repeatable: true,
      help: "ask for this scope instead of the provider's usual ones; a list is split at spaces and commas"),
    OptionSpec(
      "anew", help: "take nothing over from the account's former login: its grant, client, scopes and the like"),
    value("username", "NAME", "for the password grant: whose password it is"),
    value("password-file", "FILE", .file, "read that password from a file, - for standard input; it is not kept"),
    value(
      "assertion-file", "FILE", .file,
      "for the JWT bearer grant: a signed assertion, or a service account's JSON key, which is kept and signs one each time"
    ),
    value("assertion-issuer", "WHO", "whose word an assertion is that --private-key-file signs"),
    value("assertion-subject", "WHO", "for whom such an assertion asks"),
    value("subject-token-file", "FILE", .file, "for token exchange: read the token to be exchanged from a file"),
    value("subject-token-type", "TYPE", .suggested(tokenTypes), "what it is (default access_token)"),
    value("actor-token-file", "FILE", .file, "read the token of who acts in its name from a file"),
    value("actor-token-type", "TYPE", .suggested(tokenTypes), "what that is (default access_token)"),
    value("requested-token-type", "TYPE", .suggested(tokenTypes), "what to ask for"),
    value(
      "refresh-token-file", "FILE", .file,
      "begin with a refresh token that the client has from elsewhere, read from a file, - for standard input; many servers take it once, and what they give in its place is kept"
    ),
  ]

  private static let tokenTypes = TokenExchange.typeNames

  private static let clientOptions =
    [
      SharedOptions.clientID, SharedOptions.clientSecretFile, SharedOptions.clientAuth, SharedOptions.privateKeyFile,
      SharedOptions.certificateFile, SharedOptions.keyFile,
    ] + RegistrationOptions.specs

  private static let requestOptions = [
    value("param", "NAME=VALUE", .none, repeats: true, "add a parameter to the authorization request"),
    value("token-param", "NAME=VALUE", .none, repeats: true, "add a parameter to the token request"),
    value(
      "header", "NAME=VALUE", .none, repeats: true,
      "add a header to token requests, refreshes too; not one that oauthctl sets itself"
    ),
    value("audience", "NAME", "whom the token is for, as Auth0 names it"),
    value("resource", "URI", .none, repeats: true, "the resource that the token is for (RFC 8707)"),
    value(
      "authorization-details", "JSON|@FILE", "what to ask for in detail, a list of objects with a type (RFC 9396)"),
    value("login-hint", "WHO", "whom to offer on the login page"),
    value(
      "prompt", "WHAT", .suggested(["login", "consent", "select_account", "none"]),
      "what the provider shall ask again; consent, without which no refresh token may be given, is asked for by itself with the scopes openid and offline_access"
    ),
    SharedOptions.duration("max-age", help: "how long ago the person may have logged in at the provider"),
    value("acr-values", "LIST", "how sure of the person the provider shall be, best first"),
    value("ui-locales", "LIST", "the languages of the login page, best first"),
    OptionSpec("par", help: "leave the request with the server beforehand (RFC 9126)"),
    OptionSpec("sign-request", help: "sign the request with the client's private key (RFC 9101)"),
    ResponseTypeChoice.spec, ResponseModeChoice.spec,
    OptionSpec("dpop", help: "bind the tokens to a key of this account's own (RFC 9449)"),
    OptionSpec("no-pkce", help: "leave out PKCE, for a server that refuses it; the code is then not protected"),
    value("var", "NAME=VALUE", .none, repeats: true, "a value for a variable in the provider's URLs"),
  ]

  private static let browserOptions = [
    value("redirect-uri", "URI", "the registered redirect URI, sent as it is"),
    value("port", "N[,N...]", "the ports to try for the redirect, in order; 0 is any free one"),
    OptionSpec("no-browser", help: "print the URL and open no browser"),
    value("browser", "CMD", .command, "the browser to open; %s stands for the URL"),
    OptionSpec("private", help: "open a private window"),
    SharedOptions.duration("timeout", help: "how long to wait for the browser (default 5m, with --print-url 15m)"),
  ]

  private static let twoStepOptions = [
    OptionSpec(
      "print-url",
      help: "print the page's URL and, on a line of its own, an id, and exit; --finish ends the login, on this machine"),
    value(
      "finish", "ID", .dynamic("logins"),
      "finish a login that --print-url began: the redirect URL is read from standard input, or asked for on a terminal"),
  ]
}

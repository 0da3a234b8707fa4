internal import CLI

/// What each command prints with `--json`: a section of the manual, which a test holds to what is printed.
///
/// A key that is not always there has `absent` in its meaning, and when.
enum JSONManual {
  private typealias Key = JSONShape.Key

  static let shapes = [
    login, printURL, token, refresh, revoke, status, inspect, list, show, change, keyring, doctor, error,
  ]

  private static let account = [
    Key("provider", "string", "the provider's name"),
    Key("account", "string", "the account's, the part after the slash, default where none was named"),
  ]
  private static let result = Key("result", "string or object", "ok, or the error object, as under ERRORS")
  private static let expiresAt = Key(
    "expires_at", "string, RFC 3339", "when the access token ends; absent where that is not known")
  private static let scope = Key(
    "scope", "list of strings", "the scopes granted, or asked for where the server is silent")

  private static let login = JSONShape(
    "login", "An object, once the tokens are kept; after an error there is none.",
    account + [Key("result", "string", "ok"), expiresAt, scope])

  private static let printURL = JSONShape(
    "login --print-url", "An object, once the login has begun.",
    account + [
      Key("id", "string", "what to give to --finish"),
      Key("url", "string", "the page to open"),
      Key("expires_at", "string, RFC 3339", "until when --finish can be run"),
      Key("url_expires_at", "string, RFC 3339", "until when the page can be opened; absent where no end is known"),
    ])

  private static let token = JSONShape(
    "token", "An object, as with --format json.",
    account + [
      Key("access_token", "string", "the token, a secret"),
      Key("token_type", "string", "Bearer, DPoP, or N_A of a token that is not for access"), expiresAt,
      Key("expires_in", "integer, seconds", "how long it is until then; absent where that is not known"), scope,
      Key("id_token", "string", "the ID token; absent without one"),
      Key("fields", "object", "the other fields of the provider's reply"),
    ])

  private static let refresh = JSONShape(
    "refresh", "An object a line for each account, as soon as it is done.",
    account + [
      result, Key("refreshed", "boolean", "false where nothing had to be done; absent after an error"), expiresAt,
      Key("scope", "list of strings", "the scopes granted; absent after an error"),
    ])

  private static let revoke = JSONShape(
    "revoke, logout",
    "An object a line for each account. A provider at which nobody was logged in, and whose clients --forget-client forgot, has one without account.",
    [
      account[0], Key("account", "string", "the account's name; absent where a provider's clients were forgotten"),
      result,
      Key(
        "tokens", "string",
        "revoked, or forgotten where the server did not revoke them; absent where all was left as it was"),
      Key("clients", "integer", "how many clients were forgotten; absent where an account was"),
      Key("end_session_url", "string", "the provider's logout page; absent without --everywhere, or where it has none"),
      Key(
        "end_session_opened", "boolean",
        "whether a browser was sent there; absent where there is no such page, or an error came first"),
    ])

  private static let status = JSONShape(
    "status", "A list of objects.",
    account + [
      Key("identity", "string or null", "whose account it is, null where that is not known"),
      Key("state", "string", "valid, expired, refused or unknown-expiry"), expiresAt,
      Key("refreshable", "boolean", "whether a new access token can be had without a person"),
      Key("refresh_expires_at", "string, RFC 3339", "when the refresh token ends; absent where that is not known"),
      scope,
      Key("back_off", "object", "how long the server is left alone; absent where it can be asked"),
      Key("back_off.until", "string, RFC 3339", "when timers ask it again"),
      Key("back_off.failures", "integer", "how often in a row it could not answer"),
      Key("back_off.holds_scripts", "boolean", "whether scripts that want a token are held back, too"),
      Key(
        "interrupted_at", "string, RFC 3339", "when a refresh began that had no clear end; absent where none did"),
      Key(
        "grant", "string",
        "what is redeemed again in a refresh token's place: client-credentials, jwt-bearer or extension; absent where nothing is"
      ),
      Key("bound", "boolean", "true where the tokens are bound to a key (DPoP); absent where not"),
      Key("variants", "integer", "how many other tokens of the same login are kept; absent where there is none"),
    ])

  private static let inspect = JSONShape(
    "inspect", "An object. A part that could not be had is absent, and an error tells why.",
    account + [
      Key("identity", "string or null", "whose account it is, null where that is not known"),
      Key("id_token", "object or null", "the ID token, null without one"),
    ] + parsed("id_token")
      + [Key("id_token.has_ended", "boolean", "whether its time is over; absent where it names none")]
      + [Key("access_token", "object", "the access token; absent with --id-token")] + parsed("access_token")
      + [
        Key("access_token.is_jwt", "boolean", "whether it is a JWT that can be read"),
        Key("access_token.token_type", "string", "Bearer or DPoP"),
        Key("access_token.scope", "list of strings", "the scopes granted"),
        Key(
          "userinfo", "object", "what the provider says of the person; absent without --userinfo, or where it failed"),
        Key(
          "introspection", "object",
          "what the server says of the access token; absent without --introspect, or where it failed"),
      ])

  private static func parsed(_ token: String) -> [Key] {
    [
      Key("\(token).verified", "boolean", "whether the provider's keys signed it"),
      Key("\(token).reason", "string", "why that is not known; absent where it is"),
      Key("\(token).expires_at", "string, RFC 3339", "when it ends; absent where that is not known"),
      Key("\(token).header", "object", "its JOSE header; absent where it is no JWT"),
      Key("\(token).claims", "object", "its claims; absent where it is no JWT"),
    ]
  }

  private static let list = JSONShape(
    "providers list", "A list of objects.",
    [
      Key("name", "string", "the provider's name"), Key("title", "string", "its name for people"),
      Key("flows", "list of strings", "the values of --flow that it takes"),
      Key("source", "string", "built-in, or user for a file of one's own"),
    ])

  private static let show = JSONShape(
    "providers show", "An object with the keys of oauthctl-providers(5), with or without --json.", [])

  private static let change = JSONShape(
    "providers add, providers remove", "An object.",
    [
      Key("name", "string", "the provider's name"), Key("result", "string", "ok"),
      Key("client_id", "string", "the client that was registered; absent without --register"),
    ])

  private static let keyring = JSONShape(
    "unlock, lock", "An object.",
    [
      Key("result", "string", "ok"), Key("keyring", "string", "the keyring's name"),
      Key("locked", "boolean", "whether it is locked now"),
    ])

  private static let doctor = JSONShape(
    "doctor", "A list of objects, one for each check, or several of a kind.",
    [
      Key("check", "string", "the check's name"), Key("result", "string", "ok, warn, fail or skip"),
      Key("message", "string", "what was found"),
      Key("remedy", "string or null", "what helps, null where nothing must"),
      Key("code", "integer", "the exit code that this alone would give, 0 unless it failed"),
    ])

  private static let error = JSONShape(
    "ERRORS",
    "An object on standard error, on a line of its own; of several accounts, or parts, one for each. In its place as a result it is the same.",
    [
      Key("error", "object", "what went wrong"), Key("error.code", "integer", "the exit code"),
      Key(
        "error.kind", "string",
        "one of \(FailureKind.allCases.map(\.rawValue).joined(separator: ", "))"),
      Key("error.message", "string", "what happened"),
      Key("error.hint", "string", "what helps; absent where nothing is known to"),
      Key("error.server", "object", "what the server said; absent where it was not asked, or said nothing"),
      Key("error.server.error", "string", "its error code; absent where it gave none"),
      Key(
        "error.server.error_description", "string",
        "its words, or in ours what it sent in their place; absent where there is neither"),
      Key("error.server.status", "integer", "the HTTP status; absent where there is an error code"),
    ])
}

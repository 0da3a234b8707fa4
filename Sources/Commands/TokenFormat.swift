internal import CLI
internal import Crypto
internal import Flows
internal import FoundationEssentials
internal import OAuth

/// How a token is printed.
enum TokenFormat: String, CaseIterable {
  case raw, header, json, env

  func render(_ stored: StoredToken, _ account: Account, now: Date) -> String {
    let tokens = stored.tokens
    let token = tokens.accessToken.reveal()
    switch self {
    case .raw: return token + "\n"
    case .header: return "Authorization: \(tokens.authorizationScheme) \(token)\n"
    case .json: return Self.json(stored, account, now: now).plainText + "\n"
    case .env:
      let expiry = tokens.expiresAt.map { "export ACCESS_TOKEN_EXPIRES_AT=\(ShellWord.quoted($0.rfc3339))\n" }
      return "export ACCESS_TOKEN=\(ShellWord.quoted(token))\n" + (expiry ?? "unset ACCESS_TOKEN_EXPIRES_AT\n")
    }
  }

  private static func json(_ stored: StoredToken, _ account: Account, now: Date) -> JSONValue {
    let tokens = stored.tokens
    var members: [String: JSONValue] = [
      "provider": .string(account.provider), "account": .string(account.name),
      "access_token": .string(tokens.accessToken.reveal()),
      "token_type": .string(tokens.isForAccess ? tokens.authorizationScheme : "N_A"),
      "scope": .array(stored.scope.map(JSONValue.string)), "fields": .object(stored.fields),
    ]
    if let expiry = tokens.expiresAt {
      members["expires_at"] = .string(expiry.rfc3339)
      members["expires_in"] = .integer(Int64(min(max(expiry.timeIntervalSince(now), -1e15), 1e15).rounded(.down)))
    }
    if let idToken = tokens.idToken { members["id_token"] = .string(idToken.reveal()) }
    return .object(members)
  }
}

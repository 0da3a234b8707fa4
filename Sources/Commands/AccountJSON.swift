internal import Flows
internal import OAuth

/// The members that several commands' JSON shares.
enum AccountJSON {
  static func name(_ account: Account) -> [String: JSONValue] {
    ["provider": .string(account.provider), "account": .string(account.name)]
  }

  /// `expires_at`, absent when unknown, and `scope`, a list.
  static func expiryAndScope(_ session: Session) -> [String: JSONValue] {
    var members: [String: JSONValue] = ["scope": .array(session.scope.map(JSONValue.string))]
    if let expiry = session.tokens.expiresAt { members["expires_at"] = .string(expiry.rfc3339) }
    return members
  }
}

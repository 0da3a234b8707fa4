extension Provider {
  /// What an ID token's `iss` may be, given its other claims; empty where the provider's issuer is not known.
  ///
  /// A `{claim}` of an alias is that claim of the same token: the tokens of a server of many tenants name theirs. One
  /// that could change what the rest of the URL means stands for nothing.
  ///
  /// - Parameter claims: the claims as they came, not yet verified.
  public func issuers(fitting claims: [String: JSONValue]) -> [String] {
    let values = claims.compactMapValues { claim in
      claim.text.flatMap { Name.isValid($0) && $0.contains(where: { $0 != "." }) ? $0 : nil }
    }
    let aliases = (effectiveQuirks.issuerAliases ?? []).map { alias in
      // With its braces it is nobody's issuer: a token without the claim fits none.
      (try? Template.fill(alias, values, provider: name)) ?? alias
    }
    return (issuer.map { [$0] } ?? []) + aliases
  }
}

internal import OAuth

/// The name that a provider gets which the user knows by its issuer's URL alone.
enum IssuerName {
  /// Gives a provider of which the issuer is known.
  static func provider(issuer: String) -> Provider {
    var provider = Provider(name: name(of: issuer))
    provider.issuer = issuer
    return provider
  }

  /// Host, port and path, with dashes for what a name cannot hold: `id.example.com-realms-staff`.
  static func name(of issuer: String) -> String {
    let rest = issuer.firstRange(of: "://").map { issuer[$0.upperBound...] } ?? issuer[...]
    let mapped = rest.map { Name.isValid(String($0)) ? $0 : "-" }
    let trimmed = String(mapped).split(separator: "-").joined(separator: "-")
    return trimmed.isEmpty ? "issuer" : String(trimmed.prefix(64))
  }
}

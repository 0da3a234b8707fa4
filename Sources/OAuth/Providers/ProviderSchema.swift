internal import Crypto

/// The rules of provider data that its types do not carry.
enum ProviderSchema {
  /// Refuses a key that the schema does not have, anywhere in the file.
  static func refuseUnknownKeys(_ members: [String: JSONValue], text: String) throws(ProviderError) {
    try check(members, Provider.CodingKeys.self, under: [], text)
    if let part = members["endpoints"]?.members { try check(part, Endpoints.CodingKeys.self, under: ["endpoints"], text) }
    if let part = members["redirect"]?.members { try check(part, Redirect.CodingKeys.self, under: ["redirect"], text) }
    if let part = members["quirks"]?.members {
      try check(part, Quirks.CodingKeys.self, under: ["quirks"], text)
      if let style = part["revocation"]?.members {
        try check(style, RevocationStyle.CodingKeys.self, under: ["quirks", "revocation"], text)
      }
    }
  }

  private static func check<Keys: CodingKey & CaseIterable>(
    _ members: [String: JSONValue], _ keys: Keys.Type, under path: [String], _ text: String
  ) throws(ProviderError) {
    let known = keys.allCases.map(\.stringValue)
    guard let stray = members.keys.sorted().first(where: { !known.contains($0) }) else { return }
    let nearest = known.first { $0.replacing("_", with: "") == stray.lowercased().replacing("-", with: "").replacing("_", with: "") }
    throw ProviderError.unknownKey(
      (path + [stray]).joined(separator: "."), line: KeyLocator.line(of: path + [stray], in: text), nearest: nearest)
  }

  /// Checks names, URLs, ports and parameters.
  static func validate(_ provider: Provider, text: String) throws(ProviderError) {
    func fail(_ path: [String], _ problem: String) -> ProviderError {
      .badValue(key: path.joined(separator: "."), problem: problem, line: KeyLocator.line(of: path, in: text))
    }
    guard Name.isValid(provider.name) else { throw fail(["name"], Name.rule) }
    if let issuer = provider.issuer, !WebURL.isAcceptable(issuer) { throw fail(["issuer"], WebURL.rule) }
    for (key, path) in Endpoints.all {
      if let url = provider.endpoints?[keyPath: path], !WebURL.isAcceptable(url) {
        throw fail(["endpoints", key], WebURL.rule)
      }
    }
    if let separator = provider.scopeSeparator, separator.isEmpty || separator.utf8.count > 3 {
      throw fail(["scope_separator"], "is one to three characters")
    }
    try validate(provider.redirect, fail)
    let reserved = ["client_id", "redirect_uri", "state", "nonce", "code_challenge", "code_challenge_method", "response_type"]
    if let name = provider.authorizationParams?.keys.sorted().first(where: reserved.contains) {
      throw fail(["authorization_params", name], "is set by oauthctl itself")
    }
    for (key, params) in [("token_params", provider.tokenParams), ("refresh_params", provider.refreshParams)] {
      let own = ["grant_type", "code", "code_verifier", "refresh_token", "client_secret"]
      if let name = params?.keys.sorted().first(where: own.contains) {
        throw fail([key, name], "is set by oauthctl itself")
      }
    }
    for (name, value) in provider.headers ?? [:] where !HeaderLine.isSafe(name: name, value: value) {
      throw fail(["headers", name], "is not a header line")
    }
  }

  private static func validate(
    _ redirect: Redirect?, _ fail: ([String], String) -> ProviderError
  ) throws(ProviderError) {
    guard let redirect else { return }
    guard ["127.0.0.1", "localhost", "[::1]"].contains(redirect.effectiveHost) else {
      throw fail(["redirect", "host"], "is 127.0.0.1, localhost or [::1]")
    }
    guard !redirect.effectivePorts.isEmpty, redirect.effectivePorts.allSatisfy((0...65535).contains) else {
      throw fail(["redirect", "port"], "is a list of ports from 0 to 65535")
    }
    guard redirect.effectivePath.hasPrefix("/"), !redirect.effectivePath.contains(where: { "?# ".contains($0) }) else {
      throw fail(["redirect", "path"], "begins with a slash and has no query")
    }
  }
}

/// The names of providers and accounts.
public enum Name {
  /// The rule in words.
  public static let rule = "is 1 to 64 of A-Z a-z 0-9 . _ @ + -"

  /// Whether a text may be the name of a provider or an account.
  public static func isValid(_ name: String) -> Bool {
    (1...64).contains(name.utf8.count)
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "@"),
          UInt8(ascii: "+"), UInt8(ascii: "-"):
          true
        default: false
        }
      }
  }
}

/// What a header line may hold (RFC 9110 section 5.5): nothing that could end the line or begin another.
public enum HeaderLine {
  /// Whether both parts can be sent as one header line.
  public static func isSafe(name: String, value: String) -> Bool {
    let token = Set("!#$%&'*+-.^_`|~".utf8)
    return !name.isEmpty
      && name.utf8.allSatisfy { byte in
        token.contains(byte) || (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
      }
      && value.utf8.allSatisfy { $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }
  }
}

/// Which names of parameters, members and header fields have values that must not be seen.
enum SensitiveNames {
  /// Compared without case, `_` and `-`, so that `accessToken` and `X-Access-Token` are the same thing.
  private static let exact: Set<String> = [
    "code", "codeverifier", "state", "nonce", "devicecode", "usercode", "idtokenhint", "requesturi", "authorization",
    "proxyauthorization", "cookie", "setcookie", "dpop", "jwt", "otp", "pin", "passcode", "passphrase", "pwd",
    "authorizationcode", "authcode", "privatekey", "accesskey", "samlresponse", "credential", "credentials",
    "signature", "sessionid", "sessionkey", "totp", "mfacode", "verificationcode",
  ]
  private static let endings = [
    "token", "tokens", "secret", "password", "passwd", "assertion", "apikey", "authkey", "subscriptionkey",
  ]
  /// What people make up, or type from a small screen.
  private static let guessable = [
    "password", "passwd", "pwd", "passphrase", "passcode", "pin", "otp", "usercode", "mfacode", "verificationcode",
    "cookie", "setcookie",
  ]

  /// Tells whether a name's value is secret.
  static func contains(_ name: some Collection<UInt8>) -> Bool {
    let squeezed = squeeze(name)
    return exact.contains(squeezed) || endings.contains { squeezed.hasSuffix($0) }
  }

  /// Tells whether a secret of this name may be one that can be guessed, so that not even its digest may be seen.
  static func isGuessable(_ name: some Collection<UInt8>) -> Bool {
    let squeezed = squeeze(name)
    return guessable.contains { squeezed.hasSuffix($0) }
  }

  /// Tells whether `name: value`, without quotes, is likely a header or a setting and not a sentence about a code.
  static func isUnmistakable(_ name: some Collection<UInt8>) -> Bool {
    let isCompound = name.contains(UInt8(ascii: "_")) || name.contains(UInt8(ascii: "-"))
    return isCompound || isHeader(name) || squeeze(name).hasSuffix("password")
  }

  /// Tells whether a setting of that name lets in whoever knows its value, for more than one request.
  static func isCredential(_ name: some Collection<UInt8>) -> Bool {
    let squeezed = squeeze(name)
    return isHeader(name) || endings.contains { squeezed.hasSuffix($0) }
  }

  /// Tells whether a header field's whole line is secret.
  static func isHeader(_ name: some Collection<UInt8>) -> Bool {
    ["authorization", "proxyauthorization", "cookie", "setcookie", "dpop"].contains(squeeze(name))
  }

  /// Tells whether names like this one are also given to what is no secret: an error's code, a state of things.
  static func isAmbiguous(_ name: some Collection<UInt8>) -> Bool { ["code", "state"].contains(squeeze(name)) }

  /// Tells whether a value shorter than the limit is likely a word (`expired`, `invalid_grant`, `AccessDenied`).
  static func isWord(_ value: some Collection<UInt8>, limit: Int) -> Bool {
    guard value.count < limit else { return false }
    let capitals = value.count { (0x41...0x5A).contains($0) }
    return capitals * 3 <= value.count
      && value.allSatisfy { (0x41...0x5A).contains($0 & 0xDF) || [0x20, 0x2D, 0x2E, 0x5F].contains($0) }
  }

  private static func squeeze(_ name: some Collection<UInt8>) -> String {
    String(decoding: name.filter { $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "-") }, as: UTF8.self).lowercased()
  }
}

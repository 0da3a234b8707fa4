public import OAuth

/// Another token of the same grant: for fewer scopes, another audience, other resources.
public struct TokenVariant: Sendable, Equatable, Codable {
  /// What tells it from the account's others.
  public struct Request: Sendable, Hashable, Codable {
    /// The scopes (RFC 6749 section 6); empty leaves them as they were granted.
    public var scopes: [String]
    /// The audience, as some providers name it.
    public var audience: String?
    /// The resources (RFC 8707).
    public var resources: [String]

    /// Makes one; the order in which scopes and resources are named does not matter.
    public init(scopes: [String] = [], audience: String? = nil, resources: [String] = []) {
      self.scopes = scopes.sorted()
      self.audience = audience
      self.resources = resources.sorted()
    }

    /// Whether it asks for nothing that the account's own token is not for.
    public var isEmpty: Bool { scopes.isEmpty && audience == nil && resources.isEmpty }

    /// The parameters beside the scopes.
    var parameters: [Parameter] {
      (audience.map { [Parameter("audience", $0)] } ?? []) + resources.map { Parameter("resource", $0) }
    }
  }

  /// What was asked for.
  public var request: Request
  /// What came; without a refresh token, since the account has one for all.
  public var tokens: TokenSet

  /// Makes one.
  public init(request: Request, tokens: TokenSet) {
    self.request = request
    self.tokens = tokens
  }
}

extension Session {
  /// Takes what a refresh brought.
  ///
  /// A new refresh token replaces the account's, whichever access token was asked for: the old one is spent.
  mutating func take(_ reply: TokenSet, for request: TokenVariant.Request) {
    guard !request.isEmpty else {
      tokens = tokens.updated(by: reply)
      return
    }
    var variant = reply
    if let token = reply.refreshToken {
      tokens.refreshToken = token
      tokens.refreshExpiresAt = reply.refreshExpiresAt ?? tokens.refreshExpiresAt
      variant.refreshToken = nil
      variant.refreshExpiresAt = nil
    }
    variant.idToken = nil
    let others = (variants ?? []).filter { $0.request != request }
    // The oldest goes: an item that grows with each new word of a script would not fit the keyring some day.
    variants = others.suffix(Self.mostVariants - 1) + [TokenVariant(request: request, tokens: variant)]
  }

  /// How many further tokens of an account are kept.
  static let mostVariants = 16
}

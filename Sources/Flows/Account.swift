internal import OAuth

/// What the user names: a provider and one of their accounts there, as `google/work`.
public struct Account: Hashable, Sendable, CustomStringConvertible {
  /// The provider's name.
  public let provider: String
  /// The account's name, `default` where the user gave none.
  public let name: String

  /// The name of an account that the user did not name.
  public static let defaultName = "default"

  /// Makes an account of two valid names.
  public init(provider: String, name: String = Account.defaultName) {
    self.provider = provider
    self.name = name
  }

  /// `google/default`, whatever the account: it leads to this one however many others there are.
  public var fullName: String { "\(provider)/\(name)" }

  /// `google/work`; the provider's name alone for the default account: what the user would type.
  public var description: String {
    name == Self.defaultName ? provider : fullName
  }
}

/// What the user typed for an account: the part after the slash may be left out.
public struct AccountName: Hashable, Sendable {
  /// The provider's name.
  public let provider: String
  /// The account's name, if one was typed.
  public let account: String?

  /// Names a provider alone.
  public init(provider: String) {
    self.provider = provider
    account = nil
  }

  /// Reads `PROVIDER[/ACCOUNT]`; nil where a part is not a valid name.
  public init?(_ text: String) {
    if let slash = text.utf8.firstIndex(of: UInt8(ascii: "/")) {
      provider = String(text[..<slash])
      account = String(text[text.utf8.index(after: slash)...])
    } else {
      provider = text
      account = nil
    }
    guard Name.isValid(provider), account.map(Name.isValid) ?? true else { return nil }
  }
}

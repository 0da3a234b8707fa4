internal import CLI
internal import Flows
internal import OAuth

/// Options and operands that several commands have.
enum SharedOptions {
  static let json = OptionSpec("json", help: "print JSON, errors too")
  static let cacert = OptionSpec(
    "cacert", value: .required(placeholder: "FILE", completion: .file),
    help: "trust the certificate authorities in this PEM file too")

  static let clientID = OptionSpec(
    "client-id", value: .required(placeholder: "ID", completion: .none), help: "the client id")
  static let clientSecretFile = OptionSpec(
    "client-secret-file", value: .required(placeholder: "FILE", completion: .file),
    help: "read the client secret from a file, - for standard input; it is kept in the keyring")
  /// For the discussion of a command with such an option.
  static let secretFiles =
    "A secret's file is refused where other users may write it, or where it belongs to one of them; one line end at its "
    + "end is not part of the secret."
  static let clientAuth = OptionSpec(
    "client-auth",
    value: .required(placeholder: "METHOD", completion: .oneOf(ClientAuthMethod.allCases.map(\.rawValue))),
    help: "how the client authenticates")

  static let privateKeyFile = OptionSpec(
    "private-key-file", value: .required(placeholder: "FILE", completion: .file),
    help: "read the client's private key (PEM or JWK) from a file; it is kept in the keyring")
  static let certificateFile = OptionSpec(
    "certificate-file", value: .required(placeholder: "FILE", completion: .file),
    help: "the client's certificate (PEM), with those between it and the authority; kept in the keyring")
  static let keyFile = OptionSpec(
    "key-file", value: .required(placeholder: "FILE", completion: .file),
    help: "the certificate's private key (PEM); kept in the keyring")

  /// What tells another token of the same grant from the account's own.
  static let variant = [
    OptionSpec(
      "scope", short: "s", value: .required(placeholder: "SCOPE", completion: .none), repeatable: true,
      help: "another token of the same grant, for these scopes alone; it is kept apart"),
    OptionSpec(
      "audience", value: .required(placeholder: "NAME", completion: .none),
      help: "another token of the same grant, for this audience"),
    OptionSpec(
      "resource", value: .required(placeholder: "URI", completion: .none), repeatable: true,
      help: "another token of the same grant, for this resource (RFC 8707)"),
  ]

  static func account(_ arity: OperandSpec.Arity, help: String = "the account, as google or google/work") -> OperandSpec
  {
    OperandSpec("PROVIDER[/ACCOUNT]", arity: arity, completion: .dynamic("accounts"), help: help)
  }

  static func duration(_ name: String, help: String) -> OptionSpec {
    OptionSpec(name, value: .required(placeholder: "DURATION", completion: .none), help: help)
  }
}

extension Invocation {
  /// Reads an option as a duration in seconds: `90`, `90s`, `10m`, `2h`, `7d`.
  func seconds(_ option: String) throws(Failure) -> Int? {
    guard let text = value(option) else { return nil }
    let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86400]
    let unit = text.last.flatMap { units[$0] }
    let digits = unit == nil ? text[...] : text.dropLast()
    // A century is long enough, and keeps the arithmetic far from its edges.
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(digits),
      number <= 3_155_760_000 / (unit ?? 1)
    else {
      throw Failure(
        .usage, "\(Quoting.quote(text)) is no duration for --\(option)", hint: "write it as 90, 90s, 10m, 2h or 7d")
    }
    return number * (unit ?? 1)
  }

  /// Reads an option as a whole number within a range.
  func integer(_ option: String, in range: ClosedRange<Int>) throws(Failure) -> Int? {
    guard let text = value(option) else { return nil }
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text), range.contains(number) else {
      throw Failure(
        .usage, "\(Quoting.quote(text)) is no number for --\(option)",
        hint: "give a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// Reads which of an account's tokens is meant.
  func tokenVariant() throws(Failure) -> TokenVariant.Request {
    var resources: [String] = []
    for text in values("resource") { resources.append(try LoginOptions.resource(text)) }
    return TokenVariant.Request(
      scopes: values("scope").flatMap { Scope.split($0) }, audience: value("audience"), resources: resources)
  }

  /// Reads a repeatable option of the form `NAME=VALUE`.
  func pairs(_ option: String) throws(Failure) -> [Parameter] {
    var pairs: [Parameter] = []
    for text in values(option) {
      guard let mark = text.firstIndex(of: "="), mark != text.startIndex else {
        throw Failure(
          .usage, "\(Quoting.quote(text)) is no NAME=VALUE for --\(option)", hint: "write --\(option) NAME=VALUE")
      }
      pairs.append(Parameter(String(text[..<mark]), String(text[text.index(after: mark)...])))
    }
    return pairs
  }

  /// Reads account operands beside `--all`: either names or that option, and not both.
  func accountsOrAll() throws(Failure) -> (names: [AccountName], isAll: Bool) {
    var names: [AccountName] = []
    for operand in operands { names.append(try account(operand)) }
    let isAll = has("all")
    guard isAll != !names.isEmpty else {
      throw Failure(
        .usage, isAll ? "--all and account names exclude each other" : "no account is named",
        hint: "name accounts, or use --all")
    }
    return (names, isAll)
  }

  /// Reads an account operand.
  func account(_ text: String) throws(Failure) -> AccountName {
    if let name = AccountName(text) { return name }
    if text.contains("://") {
      var failure = Failure(
        .usage, "\(Quoting.quote(text)) is no PROVIDER[/ACCOUNT]",
        hint: "what is logged in to by that URL has the name '\(IssuerName.name(of: text))' here")
      failure.url = text
      throw failure
    }
    throw Failure(
      .usage, "\(Quoting.quote(text)) is no PROVIDER[/ACCOUNT]", hint: "each part \(Name.rule), as in google/work")
  }
}

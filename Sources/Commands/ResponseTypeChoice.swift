internal import CLI
internal import Flows
internal import OAuth

/// What the authorization server's answer shall hold, for the code's grant.
struct ResponseTypeChoice: Sendable {
  static let spec = OptionSpec(
    "response-type", value: .required(placeholder: "TYPE", completion: .none),
    help:
      "what the answer holds: 'code', as usual, or 'code id_token', with an ID token that is verified before the code is redeemed"
  )

  /// Whether an ID token shall come with the code; nil where nothing is said.
  static func isHybrid(_ invocation: Invocation) throws(Failure) -> Bool? {
    guard let text = invocation.value("response-type") else { return nil }
    switch text.split(separator: " ").sorted() {
    case ["code"]: return false
    case ["code", "id_token"]: return true
    default:
      throw Failure(
        .usage, "\(Quoting.quote(text)) is no response type for --response-type",
        hint: "write 'code' or 'code id_token'; tokens in the answer itself come with --flow implicit")
    }
  }

  private let options: LoginOptions
  private let found: DiscoverProvider.Found

  init(_ options: LoginOptions, _ found: DiscoverProvider.Found) {
    self.options = options
    self.found = found
  }

  /// Tells whether an ID token shall come with the code.
  ///
  /// - Throws: ``Failure`` where the grant or the server has no such answer; `FlowError.noEndpoint` where the ID token could
  ///   not be verified.
  func isHybrid(for flow: LoginFlow, scopes: [String]) throws -> Bool {
    guard let isHybrid = options.isHybrid else { return false }
    guard case .code = flow else {
      throw Failure(.usage, "--response-type is for the code's grant", hint: "leave it out, or log in with --flow code")
    }
    guard isHybrid else { return false }
    guard scopes.contains("openid") else {
      throw Failure(
        .usage, "an ID token comes with the scope openid alone", hint: "ask for it, too: --scope openid")
    }
    if let mode = options.responseMode ?? found.provider.responseMode, !mode.maySendTokens {
      throw Failure(
        .usage, "response mode \(mode.rawValue) would put the ID token into a query",
        hint: "log in with --response-mode form_post or fragment")
    }
    if let offered = found.metadata?.responseTypes,
      !offered.contains(where: { $0.split(separator: " ").sorted() == ["code", "id_token"] })
    {
      throw Failure(
        .configuration,
        "\(found.provider.name) has no response type 'code id_token': it has "
          + PrintableText.printable(offered.joined(separator: ", "), limit: 200),
        hint: "log in without --response-type")
    }
    guard found.provider.endpoints?.jwks != nil else {
      throw FlowError.noEndpoint(provider: found.provider.name, endpoint: "jwks")
    }
    return true
  }
}

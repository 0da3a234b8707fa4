internal import CLI
internal import Crypto
internal import Flows
internal import OAuth

/// How the authorization server's answer shall come back.
struct ResponseModeChoice: Sendable {
  static let spec = OptionSpec(
    "response-mode",
    value: .required(placeholder: "MODE", completion: .oneOf(ResponseMode.allCases.map(\.rawValue))),
    help:
      "how the answer comes back: query, fragment, form_post, or signed by the server (JARM): jwt, query.jwt, fragment.jwt, form_post.jwt"
  )

  private let options: LoginOptions
  private let found: DiscoverProvider.Found

  init(_ options: LoginOptions, _ found: DiscoverProvider.Found) {
    self.options = options
    self.found = found
  }

  /// Gives the mode for a grant; nil where the response type decides.
  ///
  /// - Throws: ``Failure`` where the grant has no such answer, or the server says that it has no such mode;
  ///   `FlowError.noEndpoint` where a signature could not be verified.
  func choose(for flow: LoginFlow) throws -> ResponseMode? {
    let isImplicit: Bool
    switch flow {
    case .code: isImplicit = false
    case .implicit: isImplicit = true
    case .device, .direct:
      guard options.responseMode == nil else {
        throw Failure(
          .usage, "--response-mode is for an answer that a browser brings back",
          hint: "leave it out, or log in with --flow code")
      }
      return nil
    }
    guard let mode = options.responseMode ?? found.provider.responseMode else { return nil }
    if isImplicit, !mode.maySendTokens {
      throw Failure(
        .usage, "--response-mode \(mode.rawValue) would put tokens into a query",
        hint: "the implicit grant takes fragment, form_post, jwt, fragment.jwt and form_post.jwt")
    }
    if mode.isPosted, options.isTwoStep {
      throw Failure(
        .usage,
        "with response mode \(mode.rawValue) no address has the answer, so that --print-url can have no second step",
        hint: "log in without --print-url, or with --response-mode query")
    }
    try checkOffer(mode)
    if mode.isSigned { try checkSignature(mode) }
    return mode
  }

  /// A server that lists no modes is taken at the user's word, or its data's.
  private func checkOffer(_ mode: ResponseMode) throws(Failure) {
    guard let offered = found.metadata?.responseModes, !offered.contains(mode.rawValue) else { return }
    let known = ResponseMode.allCases.map(\.rawValue).filter(offered.contains)
    let alike = known.first { ResponseMode(rawValue: $0)?.isSigned == mode.isSigned } ?? known.first
    throw Failure(
      .configuration,
      "\(found.provider.name) has no response mode \(mode.rawValue): it has "
        + PrintableText.printable(offered.joined(separator: ", "), limit: 200),
      hint: alike.map { "log in with --response-mode \($0)" } ?? "log in without --response-mode")
  }

  /// What has to be known for a signature to be worth anything.
  private func checkSignature(_ mode: ResponseMode) throws {
    let provider = found.provider
    guard provider.issuer != nil else {
      throw Failure(
        .configuration, "an answer by \(mode.rawValue) must be signed by the issuer, and \(provider.name) has none",
        hint: "set issuer in the provider's file; or log in with --response-mode query")
    }
    guard provider.endpoints?.jwks != nil else {
      throw FlowError.noEndpoint(provider: provider.name, endpoint: "jwks")
    }
    let possible = SignatureAlgorithm.allCases.filter { !$0.isSymmetric }.map(\.rawValue)
    guard let offered = found.metadata?.responseAlgorithms, !offered.contains(where: possible.contains) else { return }
    throw Failure(
      .configuration,
      "\(provider.name) signs its answers by \(PrintableText.printable(offered.joined(separator: ", "), limit: 200)), "
        + "which prove nothing of what came through a browser",
      hint: "log in with --response-mode query")
  }
}

public import Crypto
public import FoundationEssentials

/// A token that is given for another one.
///
/// - See: https://www.rfc-editor.org/rfc/rfc8693
public struct TokenExchange: Sendable {
  /// The token of whom the new one is about.
  public var subjectToken: Secret
  /// Its type, as ``type(named:)`` gives it.
  public var subjectTokenType: String
  /// The token of who acts for them, where that is another.
  public var actorToken: Secret?
  /// Its type.
  public var actorTokenType: String?
  /// The type of token that is wanted; nil leaves it to the server.
  public var requestedTokenType: String?
  /// The names of the services that it is for.
  public var audiences: [String]
  /// The addresses of the services that it is for (RFC 8707).
  public var resources: [String]
  /// The scopes to ask for.
  public var scopes: [String]

  /// Makes one.
  public init(
    subjectToken: Secret, subjectTokenType: String, actorToken: Secret? = nil, actorTokenType: String? = nil,
    requestedTokenType: String? = nil, audiences: [String] = [], resources: [String] = [], scopes: [String] = []
  ) {
    self.subjectToken = subjectToken
    self.subjectTokenType = subjectTokenType
    self.actorToken = actorToken
    self.actorTokenType = actorTokenType
    self.requestedTokenType = requestedTokenType
    self.audiences = audiences
    self.resources = resources
    self.scopes = scopes
  }

  /// The grant type.
  public static let grantType = "urn:ietf:params:oauth:grant-type:token-exchange"

  /// The types of RFC 8693 section 3, by the last word of each.
  public static let typeNames = ["access_token", "refresh_token", "id_token", "saml1", "saml2", "jwt"]

  /// The type of an access token, whatever it is made of.
  public static let accessTokenType = "urn:ietf:params:oauth:token-type:access_token"
  private static let accessTypes: Set = [accessTokenType, "urn:ietf:params:oauth:token-type:jwt"]

  /// Gives the type that a person named: a word of ``typeNames``, or a URI as it is; nil for anything else.
  public static func type(named text: String) -> String? {
    let word = text.replacing("-", with: "_").lowercased()
    if typeNames.contains(word) { return "urn:ietf:params:oauth:token-type:" + word }
    // RFC 3986 section 3.1: a scheme, then what it wants.
    let isURI =
      text.utf8.allSatisfy { (0x21...0x7E).contains($0) } && text.first?.isLetter == true && text.contains(":")
    return isURI ? text : nil
  }

  /// All that is secret in it.
  public var secrets: [Secret] { [subjectToken] + (actorToken.map { [$0] } ?? []) }

  /// Gives the parameters of the token request.
  ///
  /// - See: https://www.rfc-editor.org/rfc/rfc8693#section-2.1
  public func parameters(scopeSeparator: String = " ") -> [Parameter] {
    var parameters = [Parameter("grant_type", Self.grantType)]
    parameters += resources.map { Parameter("resource", $0) }
    parameters += audiences.map { Parameter("audience", $0) }
    if !scopes.isEmpty { parameters.append(Parameter("scope", scopes.joined(separator: scopeSeparator))) }
    if let requestedTokenType { parameters.append(Parameter("requested_token_type", requestedTokenType)) }
    parameters.append(Parameter("subject_token", subjectToken.reveal()))
    parameters.append(Parameter("subject_token_type", subjectTokenType))
    if let actorToken {
      parameters.append(Parameter("actor_token", actorToken.reveal()))
      // Required with an actor's token, and forbidden without one.
      parameters.append(Parameter("actor_token_type", actorTokenType ?? Self.accessTokenType))
    }
    return parameters
  }

  /// Gives the tokens of the reply, whose type must be the one that was wanted.
  ///
  /// - Throws: ``TokenFailure``.
  /// - See: https://www.rfc-editor.org/rfc/rfc8693#section-2.2
  public func validate(
    _ response: HTTPResponse, provider: Provider, now: Date
  ) throws(TokenFailure) -> TokenSet {
    let tokens = try TokenResponse.validate(response, provider: provider, now: now)
    try checkType(of: tokens)
    return tokens
  }

  /// Checks that tokens are of the type that was wanted, where both are named.
  ///
  /// An access token may be a JWT, and the other way round: those two are not told apart.
  ///
  /// - Throws: ``TokenFailure/notATokenReply(_:reason:)``.
  /// - See: https://www.rfc-editor.org/rfc/rfc8693#section-2.2.1
  public func checkType(of tokens: TokenSet) throws(TokenFailure) {
    guard let wanted = requestedTokenType, let got = tokens.issuedTokenType, got != wanted,
      !(Self.accessTypes.contains(wanted) && Self.accessTypes.contains(got))
    else { return }
    throw .notATokenReply(
      ServerError(),
      reason: "issued_token_type is '\(PrintableText.printable(got, limit: 100))', expected '\(wanted)'")
  }
}

extension TokenSet {
  /// What kind of token an exchange gave (RFC 8693 section 2.2.1), kept as it came.
  public var issuedTokenType: String? { fields["issued_token_type"]?.text.flatMap { $0.isEmpty ? nil : $0 } }

  /// Whether the token is one to access something with: what an exchange gives may be for other purposes alone
  /// (`N_A`, RFC 8693 section 2.2.1), and has no place in an Authorization header.
  public var isForAccess: Bool { tokenType?.lowercased() != "n_a" }
}

public import Crypto
public import FoundationEssentials

/// Asking a provider who the person is (OpenID Connect Core section 5.3, and what other providers have in its place).
public enum Userinfo {
  /// Why there is no answer.
  public enum Failure: Error, Sendable, Equatable {
    /// It may work later; the seconds of `Retry-After`, where given.
    case transient(ServerError, retryAfter: Int?)
    /// The access token is not taken, or not for this.
    case refused(ServerError)
    /// What came is nothing that says who it is; the reason in words.
    case unreadable(ServerError, reason: String)
    /// It speaks of somebody else, or a signature does not hold.
    case mismatch(JWT.Mismatch)

    /// Gives the same failure with its words redacted.
    public func redacted(by redactor: Redactor) -> Failure {
      switch self {
      case .transient(let error, let seconds): .transient(error.redacted(by: redactor), retryAfter: seconds)
      case .refused(let error): .refused(error.redacted(by: redactor))
      case .unreadable(let error, let reason): .unreadable(error.redacted(by: redactor), reason: reason)
      case .mismatch: self
      }
    }
  }

  /// Builds the request, in the provider's own way where its data has one.
  ///
  /// - Parameters:
  ///   - tokens: of which the access token says who asks.
  ///   - client: whose tokens they are; its key is proved where the token is bound to it.
  /// - Throws: `KeyError` where the key cannot sign.
  /// - See: https://openid.net/specs/openid-connect-core-1_0.html#UserInfoRequest,
  ///   https://www.rfc-editor.org/rfc/rfc9449#section-7.1
  public static func request(
    _ tokens: TokenSet, endpoint: String, as client: RequestingClient, stamp: RequestStamp
  ) throws(KeyError) -> HTTPRequest {
    let style = client.provider.effectiveQuirks.userinfo ?? UserinfoStyle()
    let method: HTTPRequest.Method = style.method == .post ? .post : .get
    let own = style.headers ?? [:]
    // A name of the provider's own stands in the place of ours: some make the version a part of `Accept`.
    var headers = own.keys.contains { $0.lowercased() == "accept" } ? [] : [HTTPHeader("Accept", "application/json")]
    let scheme = style.scheme ?? tokens.authorizationScheme
    headers.append(HTTPHeader("Authorization", "\(scheme) \(tokens.accessToken.reveal())"))
    if let binding = client.binding, scheme == "DPoP" {
      headers.append(
        try binding.proof(method: method.rawValue, url: endpoint, accessToken: tokens.accessToken, stamp: stamp))
    }
    headers += own.sorted { $0.key < $1.key }.map { HTTPHeader($0.key, $0.value) }
    var request = HTTPRequest(method: method, url: endpoint, headers: headers, body: method == .post ? Secret("") : nil)
    // RFC 8705 section 3: a resource compares the certificate of the connection with the token's.
    request.clientCertificate = client.registration.certificate
    return request
  }

  /// What a signed reply must hold (OpenID Connect Core section 5.3.2).
  public struct Signature: Sendable {
    /// The provider's issuer, which must have signed it.
    public var issuer: String
    /// The client, which it must be for.
    public var clientID: String
    /// The issuer's keys.
    public var keys: JSONWebKeySet
    /// The client's own secret, where the issuer may sign with that.
    public var clientSecret: Secret?

    /// Makes one.
    public init(issuer: String, clientID: String, keys: JSONWebKeySet, clientSecret: Secret? = nil) {
      self.issuer = issuer
      self.clientID = clientID
      self.keys = keys
      self.clientSecret = clientSecret
    }
  }

  /// Reads the reply.
  ///
  /// - Parameters:
  ///   - subject: the `sub` of the ID token, which it must have; nil where there is no ID token.
  ///   - signature: what a reply that is a JWT must hold; without it such a reply is not taken.
  ///   - now: when it came.
  /// - Throws: ``Failure``.
  /// - See: https://openid.net/specs/openid-connect-core-1_0.html#UserInfoResponse
  public static func validate(
    _ response: HTTPResponse, subject: String?, signature: Signature? = nil, now: Date
  ) throws(Failure) -> [String: JSONValue] {
    let claims: [String: JSONValue]
    if response.status == 200, let token = jwt(in: response) {
      claims = try verified(token, signature)
    } else {
      claims = try plain(response, now: now)
    }
    if let subject {
      let got = claims["sub"]?.plainText
      guard subject.hasSameBytes(as: got) else {
        throw .mismatch(JWT.Mismatch(of: .userinfo, claim: "sub", expected: subject, got: got))
      }
    }
    return claims
  }

  /// Whether a reply is a signed JWT, so that the issuer's keys are needed to read it.
  public static func isSigned(_ response: HTTPResponse) -> Bool {
    response.status == 200 && jwt(in: response).map { JWT.Parsed($0) != nil } == true
  }

  private static func plain(_ response: HTTPResponse, now: Date) throws(Failure) -> [String: JSONValue] {
    let body = ReplyBody(response)
    var error = ServerError(status: response.status)
    if case .fields(let fields) = body {
      // Providers have fields of that name, too: beside a success it is an error only where nothing says who it is.
      let said = ServerError(status: response.status, fields: fields)
      if response.status == 200, said == nil || fields["sub"] != nil { return fields }
      error = said ?? error
    } else if let challenge = AuthenticationChallenge.all(in: response).first(where: { $0.parameter("error") != nil }) {
      error.code = challenge.parameter("error")
      error.description = challenge.parameter("error_description")
    }
    switch response.status {
    case 408, 425, 429, 500...599: throw .transient(error, retryAfter: response.retryAfter(now: now))
    case 200...299:
      throw error.code == nil ? .unreadable(error, reason: "it is no JSON object") : .refused(error)
    case 300...399: throw .unreadable(error, reason: "a redirect instead of a reply")
    case _ where body == .html && response.status != 401: throw .unreadable(error, reason: "a web page")
    default: throw .refused(error)
    }
  }

  /// The reply as a JWT; nil where it is something else.
  private static func jwt(in response: HTTPResponse) -> Secret? {
    let text = String(decoding: response.body.prefix(JWT.largest + 1), as: UTF8.self).filter { !$0.isWhitespace }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3 || parts.count == 5, text.utf8.first == UInt8(ascii: "e") else { return nil }
    return Secret(text)
  }

  private static func verified(_ token: Secret, _ expected: Signature?) throws(Failure) -> [String: JSONValue] {
    guard let jwt = JWT.Parsed(token) else {
      let mismatch = JWT.Mismatch.unreadable(token, as: .userinfo)
      throw mismatch.isEncrypted
        ? .mismatch(mismatch) : .unreadable(ServerError(status: 200), reason: "it is no whole JWT")
    }
    guard let expected else {
      throw .unreadable(ServerError(status: 200), reason: "it is signed, and the issuer's keys are not known")
    }
    do throws(JWT.Mismatch) {
      try jwt.checkSignature(keys: expected.keys, secret: expected.clientSecret)
    } catch {
      throw .mismatch(error.of(.userinfo))
    }
    // Both SHOULD be there; what is there must hold.
    if let issuer = jwt.claims["iss"], !expected.issuer.hasSameBytes(as: issuer.text) {
      throw .mismatch(JWT.Mismatch(of: .userinfo, claim: "iss", expected: expected.issuer, got: issuer.plainText))
    }
    let audience = jwt.claims.audience
    if jwt.claims["aud"] != nil, !audience.contains(where: expected.clientID.hasSameBytes) {
      throw .mismatch(
        JWT.Mismatch(of: .userinfo, claim: "aud", expected: expected.clientID, got: audience.joined(separator: " ")))
    }
    return jwt.claims
  }

  /// Who it is, for people: what stands at a path (`data.0.email`), else the first of the usual claims.
  public static func identity(in claims: [String: JSONValue], path: String? = nil) -> String? {
    if let path {
      var value: JSONValue? = .object(claims)
      for part in path.split(separator: ".") {
        switch value {
        case .object(let members): value = members[String(part)]
        case .array(let items): value = Int(part).flatMap { items.indices.contains($0) ? items[$0] : nil }
        default: value = nil
        }
      }
      switch value {
      case .string(let text) where !text.isEmpty: return text
      case .integer, .number: return value?.plainText
      default: break
      }
    }
    return ["email", "preferred_username", "upn", "login", "username", "name", "sub"].lazy
      .compactMap { claims[$0]?.text }.first { !$0.isEmpty }
  }
}

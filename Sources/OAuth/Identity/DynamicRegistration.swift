public import Crypto
public import FoundationEssentials

/// Registering a client by itself (RFC 7591).
public enum DynamicRegistration {
  /// What a server made of a registration.
  public struct Registered: Sendable, Equatable {
    /// The client, as it can be used from now on.
    public var client: ClientRegistration
    /// All that the server has registered, less its secrets; it may differ from what was asked for.
    public var metadata: [String: JSONValue]
    /// Why the client is of no use, though it is registered; nil where it is.
    public var flaw: RegistrationFailure?

    /// The redirect URIs that are registered.
    public var redirectURIs: [String] { DynamicRegistration.strings(metadata["redirect_uris"]) ?? [] }
    /// The grants that are registered; nil where the server does not say.
    public var grantTypes: [String]? { DynamicRegistration.strings(metadata["grant_types"]) }
    /// The scopes that the client may ask for; nil where the server does not say.
    public var scopes: [String]? { Scope.read(metadata["scope"]) }
  }

  /// Builds the request that registers a client.
  ///
  /// - Parameter initialAccessToken: what the server's operator gave, for servers that do not register just anybody.
  /// - See: https://www.rfc-editor.org/rfc/rfc7591#section-3.1
  public static func request(
    _ metadata: ClientMetadata, endpoint: String, initialAccessToken: Secret? = nil
  ) -> HTTPRequest {
    send(.post, to: endpoint, token: initialAccessToken, body: metadata.members)
  }

  /// Reads the reply to a registration, or to the reading or change of one, as ``receive(_:to:asked:present:now:)`` does,
  /// and refuses a client that is of no use.
  ///
  /// - Throws: ``RegistrationFailure``.
  public static func validate(
    _ response: HTTPResponse, to request: HTTPRequest, asked: ClientMetadata, present: ClientRegistration? = nil,
    now: Date
  ) throws(RegistrationFailure) -> Registered {
    let registered = try receive(response, to: request, asked: asked, present: present, now: now)
    if let flaw = registered.flaw { throw flaw }
    return registered
  }

  /// Reads the reply to a registration, or to the reading or change of one (RFC 7592 section 3).
  ///
  /// What the server registered holds, not what was asked for: RFC 7591 lets it replace any member. The client is there, with
  /// its secrets, even where it is of no use: it has to be kept, or ended.
  ///
  /// - Parameters:
  ///   - request: what was sent.
  ///   - asked: what was asked for, for what the server does not repeat.
  ///   - present: the client as it is, where there is one: what a reply does not repeat stays.
  ///   - now: when the reply came.
  /// - Throws: ``RegistrationFailure``.
  /// - See: https://www.rfc-editor.org/rfc/rfc7591#section-3.2.1
  public static func receive(
    _ response: HTTPResponse, to request: HTTPRequest, asked: ClientMetadata, present: ClientRegistration? = nil,
    now: Date
  ) throws(RegistrationFailure) -> Registered {
    let body = ReplyBody(response)
    // 201 is the RFC's; many servers say 200.
    guard case .fields(let fields) = body, response.status == 200 || response.status == 201,
      let id = fields["client_id"]?.text, isUsable(id)
    else {
      let sentToken = request.headers.contains { $0.name == "Authorization" }
      throw .classify(response, body: body, url: request.url, sentToken: sentToken, now: now)
    }
    let before = present.flatMap { $0.id == id ? $0 : nil }
    var client = before ?? ClientRegistration(id: id)
    let end = fields["client_secret_expires_at"]
    if let secret = fields["client_secret"]?.text, !secret.isEmpty {
      (client.secret, client.secretExpiresAt) = (Secret(secret), expiry(end))
    } else if end != nil, client.secret != nil {
      client.secretExpiresAt = expiry(end)
    }
    let redirects = strings(fields["redirect_uris"]) ?? asked.redirectURIs
    client.management = management(fields, of: request.url, redirects, before?.management)
    var flaw: RegistrationFailure?
    do {
      client.method = try method(fields, asked: asked, hasSecret: client.secret != nil)
    } catch {
      flaw = error
      client.management?.isUnfit = true
    }
    var metadata = fields.filter { !secrets.contains($0.key) }
    metadata["redirect_uris"] = .array(redirects.map(JSONValue.string))
    return Registered(client: client, metadata: metadata, flaw: flaw)
  }

  /// RFC 6749 appendix A.1; one that no URL holds is of no use.
  private static func isUsable(_ id: String) -> Bool {
    (1...2048).contains(id.utf8.count) && id.utf8.allSatisfy { (0x20...0x7E).contains($0) }
  }

  private static let secrets = ["client_secret", "registration_access_token", "software_statement"]

  /// The method that the server registered; nil where it leaves it to the usual one.
  private static func method(
    _ fields: [String: JSONValue], asked: ClientMetadata, hasSecret: Bool
  ) throws(RegistrationFailure) -> ClientAuthMethod? {
    guard let name = fields["token_endpoint_auth_method"]?.text, !name.isEmpty else {
      // A server that gives a secret and says no more wants it (RFC 7591 section 2: Basic).
      let usual = ClientAuthMethod.allCases.first { $0.registeredNames.contains(asked.authMethod) }
      if hasSecret { return usual.flatMap { $0.needsSecret ? $0 : nil } ?? .basic }
      guard usual?.needsSecret != true else {
        throw .unusableMethod(asked.authMethod, reason: "the server gave no secret for it")
      }
      return usual
    }
    guard let method = ClientAuthMethod.allCases.first(where: { $0.registeredNames.contains(name) }) else {
      throw .unusableMethod(name, reason: "it is not known here")
    }
    if method.needsSecret, !hasSecret { throw .unusableMethod(name, reason: "the server gave no secret for it") }
    if [.privateKeyJWT, .tls].contains(method), !method.registeredNames.contains(asked.authMethod) {
      throw .unusableMethod(name, reason: "the client was registered without a key or a certificate")
    }
    return method
  }

  /// When the secret ends; 0 is never (RFC 7591 section 3.2.1).
  private static func expiry(_ value: JSONValue?) -> Date? {
    let seconds: Double? =
      switch value {
      case .integer(let number): Double(number)
      case .number(let number): number
      case .string(let text): text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Double(text) : nil
      default: nil
      }
    // Beyond a hundred centuries it is milliseconds, or nonsense.
    guard let seconds, seconds > 0, seconds < 1e12 else {
      return seconds.flatMap { (1e12..<1e15).contains($0) ? Date(timeIntervalSince1970: $0 / 1000) : nil }
    }
    return Date(timeIntervalSince1970: seconds)
  }

  /// What is kept of the registration itself (RFC 7592 section 3).
  ///
  /// A URL that must not be given a token manages nothing, and neither does one half of the two.
  private static func management(
    _ fields: [String: JSONValue], of server: String, _ redirects: [String], _ present: RegistrationManagement?
  ) -> RegistrationManagement {
    let uri =
      fields["registration_client_uri"]?.text.flatMap { WebURL.isAcceptable($0, from: server) ? $0 : nil }
      ?? present?.uri
    let token =
      fields["registration_access_token"]?.text.flatMap { isToken($0) ? Secret($0) : nil } ?? present?.token
    var management = RegistrationManagement(redirectURIs: redirects)
    if let uri, let token { (management.uri, management.token) = (uri, token) }
    management.issuer = present?.issuer
    return management
  }

  /// What can stand in a header line (RFC 6750 section 2.1).
  private static func isToken(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }

  static func strings(_ value: JSONValue?) -> [String]? {
    guard case .array(let items) = value else { return nil }
    return items.prefix(1000).compactMap(\.text)
  }

  static func send(
    _ method: HTTPRequest.Method, to url: String, token: Secret?, body: [String: JSONValue]? = nil
  ) -> HTTPRequest {
    var headers = [HTTPHeader("Accept", "application/json")]
    if let token { headers.append(HTTPHeader("Authorization", "Bearer " + token.reveal())) }
    guard let body else { return HTTPRequest(method: method, url: url, headers: headers) }
    headers.append(HTTPHeader("Content-Type", "application/json"))
    return HTTPRequest(method: method, url: url, headers: headers, body: Secret(JSONValue.object(body).plainText))
  }
}

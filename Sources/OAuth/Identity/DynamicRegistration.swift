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
    /// Whether the server named a way to manage the registration that is not to be used.
    public var isManagementRefused = false

    /// The redirect URIs that are registered.
    public var redirectURIs: [String] { DynamicRegistration.strings(metadata["redirect_uris"]) ?? [] }
    /// The grants that are registered; nil where the server does not say.
    public var grantTypes: [String]? { DynamicRegistration.strings(metadata["grant_types"]) }
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

  /// Reads the reply to a registration, or to the reading or change of one (RFC 7592 section 3).
  ///
  /// What the server registered holds, not what was asked for: RFC 7591 lets it replace any member. The client is there, with
  /// its secrets, even where it is of no use: it has to be kept, or ended.
  ///
  /// - Parameters:
  ///   - request: what was sent.
  ///   - asked: what was asked for, for what the server does not repeat.
  ///   - present: the client as it is, where there is one: what a reply does not repeat stays.
  ///   - issuer: whose server it is, where that is known.
  ///   - now: when the reply came.
  /// - Throws: ``RegistrationFailure``.
  /// - See: https://www.rfc-editor.org/rfc/rfc7591#section-3.2.1
  public static func receive(
    _ response: HTTPResponse, to request: HTTPRequest, asked: ClientMetadata, present: ClientRegistration? = nil,
    issuer: String? = nil, now: Date
  ) throws(RegistrationFailure) -> Registered {
    let body = ReplyBody(response)
    // 201 is the RFC's; many servers say 200.
    guard case .fields(let fields) = body, response.status == 200 || response.status == 201,
      let id = fields["client_id"]?.text, !id.isEmpty
    else {
      let sentToken = request.headers.contains { $0.name == "Authorization" }
      throw .classify(
        response, body: body, url: request.url, isOfUpkeep: present != nil, sentToken: sentToken, now: now)
    }
    if let fault = fault(ofID: id) { throw .unreadable(ServerError(status: response.status), reason: fault) }
    let before = present.flatMap { $0.id == id ? $0 : nil }
    var client = before ?? ClientRegistration(id: id)
    if let secret = fields["client_secret"]?.text, !secret.isEmpty {
      (client.secret, client.secretExpiresAt) = (Secret(secret), expiry(fields["client_secret_expires_at"]))
    } else if client.secret != nil, let end = expiry(fields["client_secret_expires_at"]) {
      // Without the secret, a 0 is many servers' way to say nothing.
      client.secretExpiresAt = end
    }
    let redirects = strings(fields["redirect_uris"]) ?? asked.redirectURIs
    let offer = offer(fields, from: [request.url, issuer].compactMap(\.self))
    var management = RegistrationManagement(redirectURIs: redirects)
    let kept = before?.management
    if let uri = offer.uri ?? kept?.uri, let token = offer.token ?? kept?.token {
      (management.uri, management.token) = (uri, token)
    }
    management.issuer = kept?.issuer
    management.metadata = RegistrationUpkeep.known(fields, asked, of: request.method, before: kept?.metadata)
    client.management = management
    var flaw: RegistrationFailure?
    do {
      client.method = try method(fields, asked: asked, hasSecret: client.secret != nil)
    } catch {
      flaw = error
      client.management?.isUnfit = true
    }
    var metadata = fields.filter { !secrets.contains($0.key) }
    metadata["redirect_uris"] = .array(redirects.map(JSONValue.string))
    return Registered(
      client: client, metadata: metadata, flaw: flaw,
      isManagementRefused: offer.isRefused && client.management?.uri == nil)
  }

  private static let longestID = 2048

  /// What keeps an id from being used, in words: RFC 6749 appendix A.1, and one that no URL holds is of no use.
  private static func fault(ofID id: String) -> String? {
    guard id.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
      return "its client_id has other characters than printable ASCII"
    }
    return id.utf8.count > longestID ? "its client_id has \(id.utf8.count) characters, more than \(longestID)" : nil
  }

  private static let secrets = ["client_secret", "registration_access_token"]

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

  /// What a reply says of how the registration is managed (RFC 7592 section 3), as far as it is to be used.
  ///
  /// The token goes to the server that gave it alone: to the origin of its registration endpoint, or of its issuer.
  private static func offer(
    _ fields: [String: JSONValue], from servers: [String]
  ) -> (uri: String?, token: Secret?, isRefused: Bool) {
    let said = (fields["registration_client_uri"], fields["registration_access_token"])
    let uri = said.0?.text.flatMap { uri in
      servers.contains { WebURL.isAcceptable(uri, from: $0) && DPoP.origin(of: uri) == DPoP.origin(of: $0) } ? uri : nil
    }
    let token = said.1?.text.flatMap { isToken($0) ? Secret($0) : nil }
    let isOffered = [said.0, said.1].allSatisfy { $0 != nil && $0 != .null && $0 != .string("") }
    return (uri, token, isOffered && (uri == nil || token == nil))
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

package import Crypto
package import Flows
package import Foundation
package import OAuth

/// Data that tests start from.
package enum Sample {
  /// The time of every test.
  package static let now = Date(timeIntervalSince1970: 1_800_000_000)
  package static let account = Account(provider: "acme", name: "work")
  package static let key = SecretKey(kind: .session, provider: "acme", name: "work")
  package static let clientKey = SecretKey(kind: .client, provider: "acme", name: "app")
  package static let tokenURL = "https://id.acme.example/token"
  package static let revocationURL = "https://id.acme.example/revoke"
  package static let issuer = "https://id.acme.example"

  /// A provider with the endpoints of a login, a refresh and a revocation.
  package static func provider(_ change: (inout Provider) -> Void = { _ in }) -> Provider {
    var provider = Provider(name: "acme")
    var endpoints = Endpoints()
    endpoints.authorization = "https://id.acme.example/authorize"
    endpoints.token = tokenURL
    endpoints.revocation = revocationURL
    provider.endpoints = endpoints
    change(&provider)
    return provider
  }

  /// The same with quirks.
  package static func provider(quirks change: (inout Quirks) -> Void) -> Provider {
    var quirks = Quirks()
    change(&quirks)
    return provider { $0.quirks = quirks }
  }

  /// Tokens that are good for an hour.
  package static func tokens(_ change: (inout TokenSet) -> Void = { _ in }) -> TokenSet {
    var tokens = TokenSet(
      accessToken: Secret("access-1"), tokenType: "Bearer", obtainedAt: now, expiresAt: now.addingTimeInterval(3600),
      refreshToken: Secret("refresh-1"), scope: ["read"])
    change(&tokens)
    return tokens
  }

  /// A login at the sample provider, by a public client.
  package static func session(
    provider: Provider = provider(), tokens: TokenSet = tokens(), _ change: (inout Session) -> Void = { _ in }
  ) -> Session {
    var session = Session(
      provider: provider, account: account.name, clientID: "app", clientAuth: nil, requestedScopes: ["read", "write"],
      tokens: tokens, identity: "ada@example.com")
    change(&session)
    return session
  }

  /// A login whose access token has ended.
  package static func expired(_ change: (inout Session) -> Void = { _ in }) -> Session {
    session(tokens: tokens { $0.expiresAt = now.addingTimeInterval(-10) }, change)
  }

  /// The reply to a refresh that rotates the refresh token.
  package static let rotated = HTTPResponse.json(
    #"{"access_token":"access-2","token_type":"Bearer","expires_in":3600,"refresh_token":"refresh-2"}"#)

  /// What a request is made of, beside what it asks for.
  package static let stamp = RequestStamp(now: now, id: "id-1")

  /// The sample client at the sample provider.
  package static func client(
    _ registration: ClientRegistration = ClientRegistration(id: "app"), at provider: Provider = provider()
  ) -> RequestingClient {
    RequestingClient(provider: provider, registration: registration)
  }

  /// A network of fakes.
  package static func network(_ http: any HTTPClient, _ time: any TimeSource = FakeTime()) -> Network {
    Network(http: http, time: time, random: { random($0) })
  }

  /// 0, 1, 2, …: no randomness, so that what is made of it can be foretold.
  package static func random(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0) } }

  /// A JWT of these claims, its signature nonsense.
  package static func jwt(_ claims: String) -> Secret {
    Secret([#"{"alg":"RS256"}"#, claims, "signature"].map { Base64URL.encode($0.utf8) }.joined(separator: "."))
  }

  /// An ID token of the sample issuer for the sample client.
  package static func idToken(
    sub: String = "ada", iss: String = issuer, aud: String = "app", nonce: String? = nil
  ) -> Secret {
    let end = Int(now.timeIntervalSince1970) + 3600
    let tie = nonce.map { #","nonce":"\#($0)""# } ?? ""
    return jwt(
      #"{"iss":"\#(iss)","sub":"\#(sub)","aud":"\#(aud)","exp":\#(end),"iat":\#(end - 3600),"email":"\#(sub)@example.com"\#(tie)}"#
    )
  }
}

extension MemoryStore {
  /// A keyring that holds these sessions.
  package convenience init(_ sessions: Session...) throws {
    self.init()
    for session in sessions { try put(session) }
  }

  /// Stores a session without any of it counting as the tested code's call.
  package func put(_ session: Session) throws {
    let scratch = MemoryStore()
    var session = session
    session.generation -= 1
    try SessionStore(scratch).save(&session, as: Account(provider: session.provider.name, name: session.account))
    items.merge(scratch.items) { _, new in new }
  }

  /// What is stored of an account, read without that counting as a call.
  package func session(_ account: Account = Sample.account) throws -> Session? {
    let scratch = MemoryStore()
    scratch.items = items
    return try SessionStore(scratch).load(account)
  }

  /// Stores a client without that counting as a call.
  package func put(_ client: ClientRegistration, provider: String = "acme") throws {
    let scratch = MemoryStore()
    try ClientStore(scratch).save(client, provider: provider)
    items.merge(scratch.items) { _, new in new }
  }
}

import OAuth
import TestSupport
import Testing

struct AuthorizationRequestTests {
  private func url(
    _ provider: Provider = Sample.provider(), endpoint: String = "https://id.acme.example/authorize",
    scopes: [String] = ["read", "a:b"], usesOpenID: Bool = false, method: CodeChallengeMethod = .s256,
    extra: [Parameter] = []
  ) -> String {
    let pending = PendingAuthorization(
      random: Sample.random(96), method: method, usesOpenID: usesOpenID,
      redirectURI: "http://127.0.0.1:4711/callback", issuer: nil, requiresIssuer: false)
    let client = Sample.client(ClientRegistration(id: "app & co"), at: provider)
    let parameters = try? AuthorizationRequest.parameters(for: client, scopes: scopes, pending: pending, extra: extra)
    return FormEncoding.url(endpoint, adding: parameters ?? [])
  }

  private let head =
    "response_type=code&client_id=app%20%26%20co&redirect_uri=http%3A%2F%2F127.0.0.1%3A4711%2Fcallback"
  private let state = "state=AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
  private let nonce = "nonce=ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8"
  private let challenge = "code_challenge=9F3IKnUj0Ul0zqBQ4wKOi_BqjuhVqdYwNOu0-57MIwU&code_challenge_method=S256"

  @Test func `the whole URL`() {
    #expect(
      url() == "https://id.acme.example/authorize?\(head)&scope=read%20a%3Ab&\(state)&\(challenge)")
  }

  @Test func `with OpenID Connect a nonce goes along`() {
    #expect(url(usesOpenID: true).contains("&\(state)&\(nonce)&\(challenge)"))
  }

  @Test func `a request for the token itself has no challenge, for there is no code to redeem`() throws {
    let pending = PendingAuthorization(
      random: Sample.random(96), method: .s256, usesOpenID: true, redirectURI: "http://127.0.0.1:4711/callback",
      issuer: nil, requiresIssuer: false, isImplicit: true)
    let parameters = try AuthorizationRequest.parameters(
      for: Sample.client(), scopes: ["openid", "read"], pending: pending, extra: [])
    #expect(
      parameters.map(\.name) == ["response_type", "client_id", "redirect_uri", "scope", "state", "nonce"])
    #expect(parameters.first == Parameter("response_type", "id_token token"))
  }

  @Test func `without scopes there is no such parameter`() {
    #expect(url(scopes: []) == "https://id.acme.example/authorize?\(head)&\(state)&\(challenge)")
  }

  @Test func `a server that refuses PKCE is sent none, one that knows plain is sent that`() {
    #expect(url(method: .none) == "https://id.acme.example/authorize?\(head)&scope=read%20a%3Ab&\(state)")
    let plain = url(method: .plain)
    #expect(plain.parameter("code_challenge") == "QEFCQ0RFRkdISUpLTE1OT1BRUlNUVVZXWFlaW1xdXl8")
    #expect(plain.parameter("code_challenge_method") == "plain")
  }

  @Test func `the provider's separator and scope parameter are used`() {
    let comma = Sample.provider { $0.scopeSeparator = "," }
    #expect(url(comma).parameter("scope") == "read,a:b")
    let named = url(Sample.provider(quirks: { $0.scopeParam = "user_scope" }))
    #expect(named.parameter("user_scope") == "read a:b" && named.parameter("scope") == nil)
  }

  @Test func `the provider's parameters come sorted, and the user's win`() {
    let provider = Sample.provider { $0.authorizationParams = ["prompt": "consent", "access_type": "offline"] }
    #expect(url(provider).hasSuffix("\(challenge)&access_type=offline&prompt=consent"))
    let own = url(
      provider, extra: [Parameter("prompt", "login"), Parameter("resource", "a"), Parameter("resource", "b")])
    #expect(own.hasSuffix("\(challenge)&access_type=offline&prompt=login&resource=a&resource=b"))
  }

  @Test func `an endpoint keeps its own query`() {
    #expect(url(endpoint: "https://h/a?p=policy").hasPrefix("https://h/a?p=policy&response_type=code&"))
  }
}

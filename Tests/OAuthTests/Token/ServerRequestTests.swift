import Crypto
import Foundation
import OAuth
import TestSupport
import Testing

/// What stands for the client on a request, by each method.
struct ServerRequestTests {
  private static let secret = Secret("s3cret with more than thirty-two bytes in it")
  private static let certificate = ClientCertificate(chain: Secret("chain"), key: Secret("key"))

  private func send(
    _ registration: ClientRegistration, at provider: Provider = Sample.provider(),
    to endpoint: String = Sample.tokenURL,
    step: SecretStep? = nil, binding: DPoPBinding? = nil, isBound: Bool = true
  ) throws -> HTTPRequest {
    var client = Sample.client(registration, at: provider)
    client.binding = binding
    return try ServerRequest.post(
      [Parameter("a", "1")], to: endpoint, as: client, step: step, isBound: isBound, stamp: Sample.stamp)
  }

  private func registration(_ change: (inout ClientRegistration) -> Void) -> ClientRegistration {
    var registration = ClientRegistration(id: "app")
    change(&registration)
    return registration
  }

  private func assertion(_ request: HTTPRequest) throws -> JWT.Parsed {
    #expect(request.form["client_assertion_type"] == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
    #expect(request.headers("Authorization").isEmpty && request.form["client_id"] == "app")
    let jwt = try #require(request.form["client_assertion"].flatMap { JWT.Parsed(Secret($0)) })
    #expect(jwt.claims["iss"] == .string("app") && jwt.claims["sub"] == .string("app"))
    #expect(jwt.claims["jti"] == .string(Sample.stamp.id))
    return jwt
  }

  @Test func `a public client sends its id, and no secret that it may have`() throws {
    let request = try send(registration { ($0.secret, $0.method) = (Self.secret, ClientAuthMethod.none) })
    #expect(request.form == ["a": "1", "client_id": "app"] && request.headers("Authorization").isEmpty)
  }

  @Test func `what a client has says how it authenticates: a key, a certificate, a secret`() throws {
    var client = registration { ($0.secret, $0.certificate) = (Self.secret, Self.certificate) }
    #expect(ClientAuthentication.method(for: client, provider: Sample.provider()) == .tls)
    client.key = ClientKey(pem: try RFCKeys.privateKey(RFCKeys.p256).pem(), keyID: nil, algorithm: nil)
    #expect(ClientAuthentication.method(for: client, provider: Sample.provider()) == .privateKeyJWT)
    (client.key, client.certificate) = (nil, nil)
    #expect(ClientAuthentication.method(for: client, provider: Sample.provider()) == .basic)
  }

  @Test func `a secret goes by Basic, or with the parameters`() throws {
    let basic = try send(registration { $0.secret = Secret("s:1") })
    #expect(basic.form == ["a": "1"] && basic.headers("Authorization") == ["Basic YXBwOnMlM0Ex"])
    let post = try send(registration { ($0.secret, $0.method) = (Secret("s:1"), .post) })
    #expect(post.form == ["a": "1", "client_id": "app", "client_secret": "s:1"])
  }

  @Test(arguments: [nil, SignatureAlgorithm.hs384, .hs512]) func `a secret signs, and is not sent`(
    _ algorithm: SignatureAlgorithm?
  ) throws {
    let request = try send(
      registration { client in
        (client.secret, client.method, client.algorithm) = (Self.secret, .clientSecretJWT, algorithm)
      })
    let jwt = try assertion(request)
    #expect(jwt.algorithm == algorithm ?? .hs256 && request.form["client_secret"] == nil)
    try jwt.checkSignature(keys: JSONWebKeySet(keys: []), secret: Self.secret)
  }

  struct KeyCase: CustomTestStringConvertible, Sendable {
    let id: String
    let make: @Sendable () throws -> PrivateKey
    var kept: SignatureAlgorithm?
    var chosen: SignatureAlgorithm?
    var ofProvider: SignatureAlgorithm?
    let used: SignatureAlgorithm

    var testDescription: String { id }
  }

  static let keys = [
    KeyCase(id: "RSA", make: { try RFCKeys.privateKey(RFCKeys.rsa) }, used: .rs256),
    KeyCase(id: "RSA, as the key says", make: { try RFCKeys.privateKey(RFCKeys.rsa) }, kept: .ps256, used: .ps256),
    KeyCase(
      id: "RSA, as was chosen", make: { try RFCKeys.privateKey(RFCKeys.rsa) }, kept: .rs256, chosen: .ps384,
      used: .ps384),
    KeyCase(
      id: "RSA, as the provider's data says", make: { try RFCKeys.privateKey(RFCKeys.rsa) }, chosen: .ps384,
      ofProvider: .ps512, used: .ps512),
    KeyCase(id: "P-256", make: { try PrivateKey.generate(.p256) }, used: .es256),
    KeyCase(id: "P-384", make: { try PrivateKey.generate(.p384) }, used: .es384),
    KeyCase(id: "Ed25519", make: { try RFCKeys.privateKey(RFCKeys.ed25519) }, used: .edDSA),
  ]

  @Test(arguments: keys) func `a key signs, by the algorithm that is said last`(_ row: KeyCase) throws {
    let key = try row.make()
    let pem = try key.pem()
    let request = try send(
      registration { client in
        client.key = ClientKey(pem: pem, keyID: "k-1", algorithm: row.kept)
        client.algorithm = row.chosen
      }, at: Sample.provider { $0.clientAuthAlg = row.ofProvider })
    let jwt = try assertion(request)
    #expect(jwt.header["kid"] == .string("k-1") && jwt.algorithm == row.used)
    try jwt.checkSignature(keys: JSONWebKeySet(keys: [JSONWebKey(key.publicKey, keyID: "k-1")]))
    let other = try PrivateKey.generate(.p256).publicKey
    #expect(throws: JWT.Mismatch.self) { try jwt.checkSignature(keys: JSONWebKeySet(keys: [JSONWebKey(other)])) }
  }

  @Test func `a key that does not go with the algorithm is told`() throws {
    let pem = try PrivateKey.generate(.p256).pem()
    #expect(throws: KeyError.unsuitable(algorithm: "PS256", key: "P-256")) {
      try send(registration { $0.key = ClientKey(pem: pem) }, at: Sample.provider { $0.clientAuthAlg = .ps256 })
    }
  }

  @Test(
    arguments: [
      (nil, Sample.tokenURL), (AssertionAudience.token, Sample.tokenURL), (.issuer, Sample.issuer),
      (.endpoint, Sample.revocationURL),
    ] as [(AssertionAudience?, String)])
  func `an assertion is for whom the provider's data says`(_ quirk: AssertionAudience?, _ audience: String) throws {
    var provider = Sample.provider(quirks: { $0.assertionAudience = quirk })
    provider.issuer = Sample.issuer
    let client = registration { ($0.secret, $0.method) = (Self.secret, .clientSecretJWT) }
    let jwt = try assertion(try send(client, at: provider, to: Sample.revocationURL))
    #expect(jwt.claims["aud"] == .string(audience))
  }

  @Test(arguments: [ClientAuthMethod.tls, .none, .basic, .post, .clientSecretJWT])
  func `a certificate is shown, whatever the method`(_ method: ClientAuthMethod) throws {
    let client = registration { client in
      (client.secret, client.method, client.certificate) = (Self.secret, method, Self.certificate)
    }
    #expect(try send(client).clientCertificate == Self.certificate)
    let provider = Sample.provider(quirks: { $0.secretOn = [.code] })
    #expect(try send(client, at: provider, step: .refresh).clientCertificate == Self.certificate)
    if method == .tls { #expect(try send(client).form == ["a": "1", "client_id": "app"]) }
  }

  @Test(arguments: [ClientAuthMethod.basic, .post, .clientSecretJWT])
  func `a step without the secret sends the id alone`(
    _ method: ClientAuthMethod
  ) throws {
    let client = registration { ($0.secret, $0.method) = (Self.secret, method) }
    let provider = Sample.provider(quirks: { $0.secretOn = [.code] })
    let bare = try send(client, at: provider, step: .refresh)
    #expect(bare.form == ["a": "1", "client_id": "app"] && bare.headers("Authorization").isEmpty)
    for step in [SecretStep.code, nil] {
      let full = try send(client, at: provider, step: step)
      #expect(full.form.count > 2 || !full.headers("Authorization").isEmpty)
    }
  }

  @Test func `a bound client's request has the proof of its key, with that server's nonce`() throws {
    let key = try PrivateKey.generate()
    let origin = try #require(DPoP.origin(of: Sample.tokenURL))
    let binding = DPoPBinding(key: try key.pem(), nonces: [origin: "n-1", "https://other.example": "n-2"])
    let request = try send(ClientRegistration(id: "app"), binding: binding)
    let proof = try #require(request.headers("DPoP").first.flatMap { JWT.Parsed(Secret($0)) })
    #expect(request.headers("DPoP").count == 1 && proof.claims["nonce"] == .string("n-1"))
    #expect(proof.claims["htm"] == .string("POST") && proof.claims["htu"] == .string(Sample.tokenURL))
    #expect(proof.claims["ath"] == nil && proof.claims["jti"] == .string(Sample.stamp.id))
    try proof.checkSignature(keys: JSONWebKeySet(keys: [JSONWebKey(key.publicKey)]))
    #expect(try send(ClientRegistration(id: "app"), binding: binding, isBound: false).headers("DPoP").isEmpty)
    #expect(try send(ClientRegistration(id: "app")).headers("DPoP").isEmpty)
  }

  @Test func `a binding learns the nonce of a reply, and says whether it is a new one`() throws {
    var binding = DPoPBinding(key: Secret("k"))
    let reply = HTTPResponse.json("{}", headers: [HTTPHeader("DPoP-Nonce", "n-1")])
    let learned = [Sample.tokenURL, Sample.tokenURL, "https://other.example/", "nowhere"].map {
      binding.learn(from: reply, to: $0)
    }
    #expect(learned == [true, false, true, false] && binding.nonces.count == 2)
    let silent = binding.learn(from: .json("{}"), to: Sample.tokenURL)
    #expect(!silent && binding.nonces.count == 2)
  }

  @Test func `scopes are repeated on the steps that the provider's data names`() {
    let provider = Sample.provider(quirks: { $0.scopeOn = [.refresh] })
    #expect(provider.repeated(["a"], on: .refresh) == ["a"] && provider.repeated(["a"], on: .code).isEmpty)
    #expect(Sample.provider().repeated(["a"], on: .refresh).isEmpty)
  }
}

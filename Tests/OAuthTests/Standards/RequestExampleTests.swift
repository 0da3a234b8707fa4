import Crypto
import Foundation
import TestSupport
import Testing

@testable import OAuth

/// The requests of the RFCs' examples, made again, and the signatures in them.
struct RequestExampleTests {
  private static let basic = "Basic czZCaGRSa3F0Mzo3RmpmcDBaQnIxS3REUmJuZlZkbUl3"

  /// RFC 9101 section 4: the claims before they are signed.
  private static let claims: [String: JSONValue] = [
    "iss": .string("s6BhdRkqt3"), "aud": .string("https://server.example.com"),
    "response_type": .string("code id_token"), "client_id": .string("s6BhdRkqt3"),
    "redirect_uri": .string("https://client.example.org/cb"), "scope": .string("openid"),
    "state": .string("af0ifjsldkj"), "nonce": .string("n-0S6_WzA2Mj"), "max_age": .integer(86_400),
  ]

  @Test func `the request object of RFC 9101 is by its key, and ours has the same claims`() throws {
    let jwt = try #require(JWT.Parsed(Secret(StandardTexts.requestObject)))
    #expect(jwt.header == ["alg": .string("RS256"), "kid": .string("k2bdc")] && jwt.claims == Self.claims)
    let keys = JSONWebKeySet(keys: [try RFCKeys.publicKey(StandardTexts.requestObjectKey)])
    try jwt.checkSignature(keys: keys)
    let changed = StandardTexts.requestObject.replacing("ODY0MDAKfQ.", with: "ODY0MDEKfQ.")
    let other = try #require(JWT.Parsed(Secret(changed)))
    let error = #expect(throws: JWT.Mismatch.self) { try other.checkSignature(keys: keys) }
    #expect(error?.claim == "signature" && other.claims["max_age"] == .integer(86_401))

    let parameters = [
      Parameter("response_type", "code id_token"), Parameter("client_id", "s6BhdRkqt3"),
      Parameter("redirect_uri", "https://client.example.org/cb"), Parameter("scope", "openid"),
      Parameter("state", "af0ifjsldkj"), Parameter("nonce", "n-0S6_WzA2Mj"), Parameter("max_age", "86400"),
    ]
    let ours = try RequestObject.build(
      parameters: parameters, clientID: "s6BhdRkqt3", audience: "https://server.example.com",
      key: RFCKeys.signingKey(StandardTexts.pushedKey, keyID: "k2bdc"), now: Sample.now, jti: "j")
    var made = try #require(JWT.Parsed(ours)?.claims)
    for name in ["iat", "nbf", "exp", "jti"] { #expect(made.removeValue(forKey: name) != nil) }
    #expect(made == Self.claims)
  }

  /// RFC 9101 sections 5.1 and 5.2.2.
  @Test func `the addresses of RFC 9101 are made`() {
    let endpoint = "https://server.example.com/authorize"
    let parameters = [Parameter("client_id", "s6BhdRkqt3"), Parameter("request", StandardTexts.requestObject)]
    #expect(
      FormEncoding.url(endpoint, adding: parameters)
        == "https://server.example.com/authorize?client_id=s6BhdRkqt3&request=" + StandardTexts.requestObject)
    let reference = PushedAuthorization(
      requestURI: "https://tfp.example.org/request.jwt/GkurKxf5T0Y-mnPFCHqWOMiZi4VS138cQO_V7PZHAdM", expiresAt: nil)
    #expect(
      PushedAuthorization.url(endpoint, clientID: "s6BhdRkqt3", reference)
        == "https://server.example.com/authorize?client_id=s6BhdRkqt3&request_uri=https%3A%2F%2Ftfp.example.org"
        + "%2Frequest.jwt%2FGkurKxf5T0Y-mnPFCHqWOMiZi4VS138cQO_V7PZHAdM")
  }

  private static func push(
    _ parameters: [Parameter], _ change: (inout ClientRegistration) -> Void = { _ in }
  ) throws -> HTTPRequest {
    var registration = ClientRegistration(id: "s6BhdRkqt3")
    change(&registration)
    let client = Sample.client(registration)
    return try ServerRequest.post(parameters, to: "https://as.example.com/as/par", as: client, stamp: Sample.stamp)
  }

  /// RFC 9126 section 1.1.
  @Test func `the request that RFC 9126 pushes is made`() throws {
    let request = try Self.push([
      Parameter("response_type", "code"), Parameter("client_id", "s6BhdRkqt3"), Parameter("state", "af0ifjsldkj"),
      Parameter("redirect_uri", "https://client.example.org/cb"),
    ]) { $0.secret = Secret("7Fjfp0ZBr1KtDRbnfVdmIw") }
    #expect(request.method == .post && request.headers("Authorization") == [Self.basic])
    #expect(request.headers("Content-Type") == ["application/x-www-form-urlencoded"])
    #expect(
      request.text == "response_type=code&client_id=s6BhdRkqt3&state=af0ifjsldkj"
        + "&redirect_uri=https%3A%2F%2Fclient.example.org%2Fcb")
  }

  /// RFC 9126 section 3: RSA with PKCS #1 signs the same way each time.
  @Test func `the request object of RFC 9126 is signed again, and pushed`() throws {
    let jwt = try #require(JWT.Parsed(Secret(StandardTexts.pushedObject)))
    #expect(jwt.claims["code_challenge"] == .string("K2-ltc83acc4h0c9w6ESC_rEMTJ3bww-uCHaoeK1t8U"))
    let keys = JSONWebKeySet(keys: [try RFCKeys.publicKey(StandardTexts.pushedKey)])
    try jwt.checkSignature(keys: keys)
    let pair = try JSONWebKey.privateKey(from: RFCKeys.json(StandardTexts.pushedKey))
    #expect(try pair.keyID == "k2bdc" && pair.key.sign(jwt.signingInput, by: .rs256) == jwt.signature)
    // RFC 9101's key has the same name and is another one.
    let other = JSONWebKeySet(keys: [try RFCKeys.publicKey(StandardTexts.requestObjectKey)])
    #expect(throws: JWT.Mismatch.self) { try jwt.checkSignature(keys: other) }
    let request = try Self.push([Parameter("request", StandardTexts.pushedObject)]) {
      $0.secret = Secret("7Fjfp0ZBr1KtDRbnfVdmIw")
    }
    #expect(request.text == "request=" + StandardTexts.pushedObject && request.headers("Authorization") == [Self.basic])
  }

  /// RFC 9126 section 2.1.
  @Test func `the client's assertion of RFC 9126 is by its key, and ours says the same and more`() throws {
    let jwt = try #require(JWT.Parsed(Secret(StandardTexts.pushedAssertion)))
    try jwt.checkSignature(keys: JSONWebKeySet(keys: [try RFCKeys.publicKey(StandardTexts.pushedKey)]))
    let end = try #require(jwt.claims.seconds("exp"))
    let ours = try ClientAssertion.build(
      clientID: "s6BhdRkqt3", audience: "https://server.example.com",
      key: RFCKeys.signingKey(StandardTexts.pushedKey, keyID: "k2bdc"), now: .init(timeIntervalSince1970: end - 60),
      jti: "j")
    let claims = try #require(JWT.Parsed(ours)?.claims)
    for (name, value) in jwt.claims { #expect(claims[name] == value, "\(name)") }
    #expect(Set(claims.keys).subtracting(jwt.claims.keys) == ["iat", "jti"])
  }

  /// RFC 7523 section 2.1, the assertion as short as it is there, and section 4.
  @Test func `the grant of RFC 7523 is made`() throws {
    let client = Sample.client(ClientRegistration(id: ""))
    let short = "eyJhbGciOiJFUzI1NiIsImtpZCI6IjE2In0.eyJpc3Mi.J9l-ZhwP"
    let request = try TokenRequest.build(
      .jwtBearer(assertion: Secret(short)), endpoint: "https://as.example.com/token.oauth2", as: client,
      stamp: Sample.stamp)
    #expect(
      request.text == "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=" + short)
    let ours = try JWTBearerAssertion.build(
      issuer: "https://jwt-idp.example.com", subject: "mailto:mike@example.com",
      audience: "https://jwt-rp.example.net", key: RFCKeys.signingKey(RFCKeys.p256, keyID: "16"),
      now: .init(timeIntervalSince1970: 1_300_815_780), jti: "j", lifetime: 3600,
      extra: ["nbf": .integer(1_300_815_780), "http://claims.example.com/member": .bool(true)])
    let jwt = try #require(JWT.Parsed(ours))
    #expect(jwt.header == ["alg": .string("ES256"), "kid": .string("16"), "typ": .string("JWT")])
    #expect(
      jwt.claims == [
        "iss": .string("https://jwt-idp.example.com"), "sub": .string("mailto:mike@example.com"),
        "aud": .string("https://jwt-rp.example.net"), "nbf": .integer(1_300_815_780), "exp": .integer(1_300_819_380),
        "iat": .integer(1_300_815_780), "jti": .string("j"), "http://claims.example.com/member": .bool(true),
      ])
  }

  /// RFC 7523 section 2.2: what stands beside the code.
  @Test func `the client's authentication of RFC 7523 is made`() throws {
    let key = try RFCKeys.privateKey(RFCKeys.rsa)
    var registration = ClientRegistration(id: "app", method: .privateKeyJWT)
    registration.key = ClientKey(pem: try key.pem(), keyID: "22", algorithm: nil)
    let request = try ServerRequest.post(
      [Parameter("grant_type", "authorization_code"), Parameter("code", "n0esc3NRze7LTCu7iYzS6a5acc3f0ogp4")],
      to: "https://as.example.com/token.oauth2", as: Sample.client(registration), stamp: Sample.stamp)
    let start = "grant_type=authorization_code&code=n0esc3NRze7LTCu7iYzS6a5acc3f0ogp4&client_id=app"
    let type = "&client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer"
    #expect(request.text.hasPrefix(start + type + "&client_assertion=ey"))
    let jwt = try #require(request.form["client_assertion"].flatMap { JWT.Parsed(Secret($0)) })
    #expect(jwt.header["alg"] == .string("RS256") && jwt.header["kid"] == .string("22"))
    try jwt.checkSignature(keys: RFCKeys.set([("22", RFCKeys.rsa)]))
  }
}

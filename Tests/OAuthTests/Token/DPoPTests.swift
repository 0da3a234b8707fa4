import Crypto
import Foundation
import OAuth
import TestSupport
import Testing

struct DPoPTests {
  /// RFC 9449 section 5, figure 6's proof (figure 2), and section 7.1, figure 12's.
  static let proofs = [
    Named(
      "figure 2",
      """
      eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0RscEJo\
      RjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In19.\
      eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29tL3Rva2VuIiwiaWF0\
      IjoxNTYyMjYyNjE2fQ.2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0x7NVY-FNyJK70nfbV37xRZT3Lg
      """),
    Named(
      "figure 12",
      """
      eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0RscEJo\
      RjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In19.\
      eyJqdGkiOiJlMWozVl9iS2ljOC1MQUVCIiwiaHRtIjoiR0VUIiwiaHR1IjoiaHR0cHM6Ly9yZXNvdXJjZS5leGFtcGxlLm9yZy9wcm90ZWN0ZWRy\
      ZXNvdXJjZSIsImlhdCI6MTU2MjI2MjYxOCwiYXRoIjoiZlVIeU8ycjJaM0RaNTNFc05yV0JiMHhXWG9hTnk1OUlpS0NBcWtzbVFFbyJ9.\
      2oW9RP35yRqzhrtNP86L-Ey71EOptxRimPPToA1plemAgR6pxHF8y6-yqyVnmcw6Fy1dqd-jfxSYoMxhAJpLjA
      """),
  ]

  @Test(arguments: proofs) func `the proofs of RFC 9449 are what they say`(_ row: Named<String>) throws {
    let jwt = try #require(JWT.Parsed(Secret(row.value)))
    let key = try #require(jwt.header["jwk"].flatMap(JSONWebKey.init))
    try jwt.checkSignature(keys: JSONWebKeySet(keys: [key]))
    // Section 6.1.
    #expect(DPoP.thumbprint(of: try #require(key.publicKey)) == "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I")
    #expect(jwt.header["jwk"] == key.json, "the key is written otherwise")
    // The same request is proved by the same claims.
    guard case .integer(let issuedAt) = jwt.claims["iat"] else { throw CancellationError() }
    func text(_ claim: String) throws -> String { try #require(jwt.claims[claim]?.text) }
    let ours = try DPoP.proof(
      method: text("htm"), url: text("htu") + "?a=1#b", key: PrivateKey.generate(),
      accessToken: jwt.claims["ath"].map { _ in Secret("Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU") },
      now: Date(timeIntervalSince1970: Double(issuedAt)), jti: text("jti"))
    #expect(JWT.Parsed(Secret(ours))?.claims == jwt.claims)
  }

  @Test func `a proof speaks of one request, and is signed by the key that it shows`() throws {
    let key = try PrivateKey.generate()
    let proof = try DPoP.proof(method: "POST", url: "https://s.example/token", key: key, now: Sample.now, jti: "j")
    let jwt = try #require(JWT.Parsed(Secret(proof)))
    #expect(
      jwt.header == ["typ": .string("dpop+jwt"), "alg": .string("ES256"), "jwk": JSONWebKey(key.publicKey).json])
    #expect(jwt.header["jwk"]?.members?.keys.sorted() == ["crv", "kty", "x", "y"])
    #expect(
      jwt.claims == [
        "htm": .string("POST"), "htu": .string("https://s.example/token"), "jti": .string("j"),
        "iat": .integer(Int64(Sample.now.timeIntervalSince1970)),
      ])
    try jwt.checkSignature(keys: JSONWebKeySet(keys: [JSONWebKey(key.publicKey)]))
  }

  /// RFC 9449 section 7.1: the access token of figure 12 and its `ath`.
  @Test func `a proof for a resource is tied to the access token, and to the server's nonce`() throws {
    let proof = try DPoP.proof(
      method: "GET", url: "https://resource.example.org/protectedresource", key: RFCKeys.privateKey(RFCKeys.ed25519),
      nonce: "n-1", accessToken: Secret("Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU"), now: Sample.now, jti: "j")
    let jwt = try #require(JWT.Parsed(Secret(proof)))
    #expect(jwt.algorithm == .edDSA)
    #expect(jwt.claims["ath"] == .string("fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo"))
    #expect(jwt.claims["nonce"] == .string("n-1"))
  }

  static let targets = [
    ("https://h/p", "https://h/p"), ("https://h/p?a=b#c", "https://h/p"), ("https://h/p#c?d", "https://h/p"),
    ("HTTPS://API.Example/Path", "https://api.example/Path"), ("https://h:443/", "https://h/"),
    ("http://127.0.0.1:80/x", "http://127.0.0.1/x"), ("https://h:8443/a%2Fb", "https://h:8443/a%2Fb"),
    ("http://h:443/", "http://h:443/"), ("https://h", "https://h/"), ("https://h?q", "https://h/"),
    ("https://[::1]:9/x", "https://[::1]:9/x"), ("urn:x?y#z", "urn:x"),
  ]

  @Test(arguments: targets) func `a proof names the URL without query and fragment`(_ url: String, _ target: String)
    throws
  {
    let proof = try DPoP.proof(
      method: "GET", url: url, key: RFCKeys.privateKey(RFCKeys.p256), now: Sample.now, jti: "j")
    #expect(JWT.Parsed(Secret(proof))?.claims["htu"] == .string(target))
  }

  @Test(arguments: [
    ("https://A.example:443/x?y", "https://a.example"), ("https://a.example:444", "https://a.example:444"),
    ("http://localhost:80", "http://localhost"), ("ftp://h/", nil), ("", nil),
  ]) func `nonces are kept by scheme, host and port`(_ url: String, _ origin: String?) {
    #expect(DPoP.origin(of: url) == origin)
  }

  static let nonces: [Named<(String?, String?)>] = [
    Named("RFC 9449 8", ("eyJ7S_zG.eyJH0-Z.HX4w-7v", "eyJ7S_zG.eyJH0-Z.HX4w-7v")), Named("none", (nil, nil)),
    Named("empty", ("", nil)), Named("with a blank", ("a b", nil)), Named("with a quote", ("a\"b", nil)),
    Named("beyond ASCII", ("ä", nil)), Named("all signs", ("!#[]~", "!#[]~")),
    Named("without end", (String(repeating: "a", count: 5000), nil)),
  ]

  @Test(arguments: nonces) func `a nonce is taken as it came`(_ row: Named<(String?, String?)>) {
    let (value, nonce) = row.value
    let response = HTTPResponse(status: 200, headers: value.map { [HTTPHeader("dpop-nonce", $0)] } ?? [])
    #expect(DPoP.nonce(in: response) == nonce)
  }

  /// Status, body, challenge; whether a nonce comes with it; whether it is wanted.
  static let demands: [Named<(Int, String, String?, Bool, Bool)>] = [
    Named("an authorization server", (400, #"{"error":"use_dpop_nonce"}"#, nil, true, true)),
    Named("one that says 401", (401, #"{"error":"use_dpop_nonce"}"#, nil, true, true)),
    Named("a resource", (401, "", #"DPoP error="use_dpop_nonce", error_description="…""#, true, true)),
    Named("two challenges", (401, "", #"Bearer, DPoP algs="ES256", error = "use_dpop_nonce""#, true, true)),
    Named("no quotes", (401, "", "DPoP error=use_dpop_nonce", true, true)),
    Named("no nonce", (400, #"{"error":"use_dpop_nonce"}"#, nil, false, false)),
    Named("another error", (400, #"{"error":"invalid_dpop_proof"}"#, nil, true, false)),
    Named("a challenge of another kind", (401, "", #"Bearer error="use_dpop_nonce""#, true, false)),
    Named("another error of a resource", (401, "", #"DPoP error="invalid_token""#, true, false)),
    Named("a success", (200, #"{"error":"use_dpop_nonce"}"#, nil, true, false)),
    Named("an outage", (503, #"{"error":"use_dpop_nonce"}"#, nil, true, false)),
    Named("a page", (400, "<p>use_dpop_nonce", nil, true, false)),
  ]

  @Test(arguments: demands) func `a request that failed for want of a nonce is told from others`(
    _ row: Named<(Int, String, String?, Bool, Bool)>
  ) {
    let (status, body, challenge, hasNonce, isWanted) = row.value
    var headers = challenge.map { [HTTPHeader("WWW-Authenticate", $0)] } ?? []
    if hasNonce { headers.append(HTTPHeader("DPoP-Nonce", "n")) }
    #expect(DPoP.wantsNonce(HTTPResponse(status: status, headers: headers, body: Array(body.utf8))) == isWanted)
  }
}

import Crypto
import Foundation
import OAuth
import TestSupport
import Testing

struct JSONWebKeyTests {
  /// RFC 7638 section 3.1, and RFC 8037 appendix A.3, and RFC 9449 section 6.1.
  static let thumbprints = [
    Named(
      "RFC 7638",
      (
        """
        {"kty":"RSA","n":"0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXj\
        BZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgd\
        AZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8aw\
        apJzKnqDKgw","e":"AQAB","alg":"RS256","kid":"2011-04-29"}
        """, "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs"
      )),
    Named("RFC 8037", (RFCKeys.ed25519, "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k")),
    Named(
      "RFC 9449",
      (
        #"{"kty":"EC","x":"l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs","#
          + #""y":"9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA","crv":"P-256"}"#,
        "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"
      )),
  ]

  @Test(arguments: thumbprints) func `a key is named as its RFC says`(_ row: Named<(String, String)>) throws {
    let (text, name) = row.value
    let key = try RFCKeys.publicKey(text)
    #expect(key.thumbprint == name)
    #expect(JSONWebKey(try #require(key.publicKey)).thumbprint == name)
  }

  @Test func `what it says of itself comes back, and nothing private does`() throws {
    var members = try #require(RFCKeys.json(RFCKeys.p256).members)
    members["kid"] = .string("1")
    members["use"] = .string("sig")
    members["alg"] = .string("ES256")
    members["key_ops"] = .array([.string("verify")])
    members["x5t"] = .string("left out")
    let key = try #require(JSONWebKey(.object(members)))
    members["d"] = nil
    members["x5t"] = nil
    #expect(key.json == .object(members))
    #expect(JSONWebKey(key.json) == key)
  }

  static let unreadable = [
    Named("no object", "[]"), Named("no kind", #"{"n":"AQ","e":"AQAB"}"#),
    Named("a secret", #"{"kty":"oct","k":"AA"}"#),
    Named("another curve", #"{"kty":"EC","crv":"secp256k1","x":"AQ","y":"AQ"}"#),
    Named("for another purpose", #"{"kty":"OKP","crv":"X25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#),
    Named("no exponent", #"{"kty":"RSA","n":"AQ"}"#), Named("no modulus", #"{"kty":"RSA","e":"AQAB"}"#),
    Named("an empty modulus", #"{"kty":"RSA","n":"","e":"AQAB"}"#),
    Named("a modulus of zeros", #"{"kty":"RSA","n":"AAAA","e":"AQAB"}"#),
    Named("a modulus without end", #"{"kty":"RSA","n":"\#(String(repeating: "B", count: 2800))","e":"AQAB"}"#),
    Named("a long exponent", #"{"kty":"RSA","n":"AQ","e":"\#(String(repeating: "B", count: 16))"}"#),
    Named("one coordinate", #"{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"}"#),
    Named("a long coordinate", #"{"kty":"EC","crv":"P-256","x":"\#(String(repeating: "B", count: 44))","y":"AQ"}"#),
    Named("a number for text", #"{"kty":"RSA","n":1,"e":"AQAB"}"#),
    Named("not base64", #"{"kty":"RSA","n":"!","e":"AQAB"}"#),
    Named("a short point", #"{"kty":"OKP","crv":"Ed25519","x":"AQ"}"#),
  ]

  @Test(arguments: unreadable) func `what is no key to check signatures with is none`(_ row: Named<String>) throws {
    #expect(JSONWebKey(try RFCKeys.json(row.value)) == nil)
  }

  @Test func `zero bytes before a number, or left out of a coordinate, change nothing`() throws {
    let key = try RFCKeys.publicKey(RFCKeys.rsa)
    guard case .rsa(let modulus, let exponent) = key.parameters else { throw CancellationError() }
    let padded = JSONWebKey(
      .object([
        "kty": .string("RSA"), "n": .string(Base64URL.encode([0] + modulus)),
        "e": .string(Base64URL.encode([0, 0] + exponent)),
      ]))
    #expect(padded == key && padded?.thumbprint == key.thumbprint)
    let short = JSONWebKey(
      .object([
        "kty": .string("EC"), "crv": .string("P-256"), "x": .string("AQ"), "y": .string("AQ"),
      ]))
    #expect(
      short?.parameters
        == .ec(.p256, x: [UInt8](repeating: 0, count: 31) + [1], y: [UInt8](repeating: 0, count: 31) + [1]))
    // It is written as one, and is on no curve.
    #expect(short?.publicKey == nil)
  }

  @Test func `an RSA key under 2048 bits checks nothing`() {
    let weak = JSONWebKey(
      .object([
        "kty": .string("RSA"), "n": .string(Base64URL.encode([UInt8](repeating: 0xC3, count: 128))),
        "e": .string("AQAB"),
      ]))
    #expect(weak != nil && weak?.publicKey == nil)
  }
}

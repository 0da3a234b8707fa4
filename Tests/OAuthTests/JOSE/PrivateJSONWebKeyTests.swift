import Crypto
import OAuth
import TestSupport
import Testing

struct PrivateJSONWebKeyTests {
  static let kinds = [
    Named("RSA", (RFCKeys.rsa, SignatureAlgorithm.rs256)), Named("P-256", (RFCKeys.p256, .es256)),
    Named("P-521", (RFCKeys.p521, .es512)), Named("Ed25519", (RFCKeys.ed25519, .edDSA)),
  ]

  @Test(arguments: kinds) func `a private key is read with its name and its algorithm`(
    _ row: Named<(String, SignatureAlgorithm)>
  ) throws {
    let (text, algorithm) = row.value
    let bare = try JSONWebKey.privateKey(from: RFCKeys.json(text))
    #expect(bare.keyID == nil && bare.algorithm == nil && bare.key.usualAlgorithm == algorithm)
    #expect(bare.key.publicKey.parameters == (try RFCKeys.publicKey(text)).parameters)
    var members = try #require(RFCKeys.json(text).members)
    members["kid"] = .string("1")
    members["alg"] = .string(algorithm.rawValue)
    let named = try JSONWebKey.privateKey(from: .object(members))
    #expect(named.keyID == "1" && named.algorithm == algorithm)
    let only = try JSONWebKey.privateKey(from: .object(["keys": .array([.object(members)])]))
    #expect(only.keyID == "1" && only.key == named.key)
  }

  /// What is changed in a good key, and a part of the reason that it is no key then.
  static let broken: [Named<(String, [String: JSONValue?], String)>] = [
    Named("no kind", (RFCKeys.rsa, ["kty": nil], "'kty'")),
    Named("another kind", (RFCKeys.rsa, ["kty": .string("new")], "new")),
    Named("a shared secret", (RFCKeys.rsa, ["kty": .string("oct")], "shared secret")),
    Named("a public key", (RFCKeys.p256, ["d": nil], "'d'")),
    Named("no prime", (RFCKeys.rsa, ["p": nil], "'p'")),
    Named("not base64", (RFCKeys.p256, ["d": .string("!")], "'d'")),
    Named("a long private part", (RFCKeys.p256, ["d": .string(String(repeating: "B", count: 44))], "too long")),
    Named("two keys' halves", (RFCKeys.p256, ["d": .string("AQ")], "belong together")),
    Named("another curve", (RFCKeys.p256, ["crv": .string("secp256k1")], "EC on secp256k1")),
    Named("no point", (RFCKeys.p256, ["y": .string("AQ")], "")),
    Named("two keys", (RFCKeys.p256, ["keys": .array([.object([:]), .object([:])])], "2 keys")),
    Named("another key's algorithm", (RFCKeys.p256, ["alg": .string("RS256")], "")),
    Named("an unknown algorithm", (RFCKeys.p256, ["alg": .string("ES256K")], "")),
  ]

  @Test(arguments: broken) func `what is no private key says why`(
    _ row: Named<(String, [String: JSONValue?], String)>
  ) throws {
    let (text, changed, reason) = row.value
    var members = try #require(RFCKeys.json(text).members)
    for (name, value) in changed { members[name] = value }
    let error = #expect(throws: KeyError.self) { try JSONWebKey.privateKey(from: .object(members)) }
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
  }

  @Test func `a value that is no object is no key`() {
    #expect(throws: KeyError.self) { try JSONWebKey.privateKey(from: .string("key")) }
  }
}

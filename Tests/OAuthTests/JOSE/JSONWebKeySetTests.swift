import Crypto
import Foundation
import OAuth
import TestSupport
import Testing

struct JSONWebKeySetTests {
  /// The members that decide whether a key is tried, and the key's kind.
  private static func key(_ kind: String, _ members: [String: JSONValue] = [:]) throws -> JSONValue {
    let json = JSONWebKey(try RFCKeys.privateKey(kind).publicKey).json
    return .object(try #require(json.members).merging(members) { _, new in new })
  }

  private static func set(_ keys: [JSONValue]) throws -> JSONWebKeySet {
    try #require(JSONWebKeySet(.object(["keys": .array(keys)])))
  }

  @Test func `a name chooses the key, without one all that fit are tried`() throws {
    let set = try Self.set([
      Self.key(RFCKeys.rsa, ["kid": .string("1")]), Self.key(RFCKeys.p256, ["kid": .string("2")]),
      Self.key(RFCKeys.rsa, ["kid": .string("3")]), Self.key(RFCKeys.rsa),
    ])
    #expect(set.candidates(keyID: "3", algorithm: .ps512).map(\.keyID) == ["3"])
    #expect(set.candidates(keyID: nil, algorithm: .rs256).map(\.keyID) == ["1", "3", nil])
    #expect(set.candidates(keyID: "2", algorithm: .rs256).isEmpty, "another kind")
    #expect(set.candidates(keyID: "2", algorithm: .es384).isEmpty, "another curve")
    #expect(
      set.candidates(keyID: "4", algorithm: .rs256).isEmpty && set.candidates(keyID: "", algorithm: .rs256).isEmpty)
    #expect(
      SignatureAlgorithm.allCases.filter(\.isSymmetric).allSatisfy { set.candidates(keyID: nil, algorithm: $0).isEmpty }
    )
  }

  static let rows: [Named<([String: JSONValue], Bool)>] = [
    Named("says nothing", ([:], true)), Named("to sign", (["use": .string("sig")], true)),
    Named("to encrypt", (["use": .string("enc")], false)), Named("of another use", (["use": .string("tls")], false)),
    Named("to verify", (["key_ops": .array([.string("verify")])], true)),
    Named("to wrap", (["key_ops": .array([.string("wrapKey")])], false)),
    Named("for nothing", (["key_ops": .array([])], false)),
    Named("for RS256", (["alg": .string("RS256")], true)), Named("for PS256", (["alg": .string("PS256")], false)),
    Named("to encrypt by RSA", (["alg": .string("RSA-OAEP")], false)),
    Named("for none", (["alg": .string("none")], false)),
    Named("for HMAC", (["alg": .string("HS256")], false)),
  ]

  @Test(arguments: rows) func `a key that is for something else is left out`(
    _ row: Named<([String: JSONValue], Bool)>
  ) throws {
    let set = try Self.set([Self.key(RFCKeys.rsa, row.value.0)])
    #expect(set.keys.count == 1)
    #expect(set.candidates(keyID: nil, algorithm: .rs256).isEmpty != row.value.1)
  }

  @Test func `EdDSA's newer name is the same algorithm`() throws {
    let set = try Self.set([Self.key(RFCKeys.ed25519, ["alg": .string("Ed25519")])])
    #expect(set.candidates(keyID: nil, algorithm: .edDSA).count == 1)
  }

  @Test func `what cannot be read is left out, and no set has more than a hundred`() throws {
    let good = try Self.key(RFCKeys.p256)
    #expect(try Self.set([.null, .string("x"), .object(["kty": .string("new")]), good]).keys.count == 1)
    #expect(try Self.set([JSONValue](repeating: good, count: 150)).keys.count == JSONWebKeySet.mostKeys)
    #expect(try Self.set([]).keys.isEmpty)
  }

  @Test(arguments: ["[]", "{}", #"{"keys":{}}"#, #"{"keys":null}"#, "1"])
  func `what has no list of keys is no set`(_ text: String) throws {
    #expect(JSONWebKeySet(try RFCKeys.json(text)) == nil)
  }

  @Test func `a kept set comes back`() throws {
    let set = try Self.set([
      Self.key(RFCKeys.rsa, ["kid": .string("1"), "use": .string("sig")]),
      Self.key(RFCKeys.p521, ["alg": .string("ES512")]),
    ])
    #expect(try JSONCopy.of(set) == set)
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(JSONWebKeySet.self, from: Data("{}".utf8)) }
  }

  @Test func `no bytes trap the reader`() throws {
    var generator = SystemRandomNumberGenerator()
    let seed = Array(
      JSONValue.object(["keys": .array([try Self.key(RFCKeys.p256), try Self.key(RFCKeys.ed25519)])]).plainText.utf8)
    for _ in 0..<3000 {
      var bytes = seed
      for _ in 0..<3 {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
      }
      guard let set = JSONValue(parsing: bytes).flatMap(JSONWebKeySet.init) else { continue }
      #expect(set.keys.count <= 2)
      for key in set.candidates(keyID: nil, algorithm: .es256) { _ = (key.publicKey, key.thumbprint) }
    }
  }
}

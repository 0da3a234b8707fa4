import Crypto
import Foundation
import OAuth
import TestSupport
import Testing

/// What this program signs another implementation takes, and the other way round, for each algorithm.
struct PyJWTTests {
  private static let script = Repository.root.appending(path: "Tests/Support/jwt-peer").path
  /// As the script has it.
  private static let secret = Secret("a secret that both sides know, of more than sixty-four bytes in its length")

  /// Has the other side check tokens, and make some of its own.
  private static func ask(_ jobs: [JSONValue] = []) throws -> [String: JSONValue] {
    let process = Process()
    let (input, output) = (Pipe(), Pipe())
    // Debian's Python, as it has Debian's PyJWT
    process.executableURL = URL(filePath: "/usr/bin/python3")
    process.arguments = [script]
    (process.standardInput, process.standardOutput) = (input, output)
    try process.run()
    try input.fileHandleForWriting.write(contentsOf: Data(JSONValue.object(["check": .array(jobs)]).plainText.utf8))
    try input.fileHandleForWriting.close()
    let reply = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "the script fails; Tests/Support/deps installs what it needs")
    return try #require(JSONValue(parsing: reply)?.members)
  }

  private static func key(for algorithm: SignatureAlgorithm) throws -> SigningKey {
    switch algorithm {
    case .hs256, .hs384, .hs512: .secret(secret)
    case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: try RFCKeys.signingKey(RFCKeys.rsa)
    case .es256: try RFCKeys.signingKey(RFCKeys.p256)
    case .es384: .privateKey(try PrivateKey.generate(.p384), keyID: nil)
    case .es512: try RFCKeys.signingKey(RFCKeys.p521)
    case .edDSA: try RFCKeys.signingKey(RFCKeys.ed25519)
    }
  }

  private static func publicJSON(of key: SigningKey) -> JSONValue {
    guard case .privateKey(let key, _) = key else { return .object(["kty": .string("oct")]) }
    return JSONWebKey(key.publicKey).json
  }

  @Test func `PyJWT takes what is signed here, by each algorithm, and nothing that was changed`() throws {
    let claims: [String: JSONValue] = [
      "sub": .string("ada/ä\u{1F600}\n\""), "exp": .integer(2_000_000_000), "list": .array([.null, .bool(true)]),
    ]
    var jobs: [JSONValue] = []
    for algorithm in SignatureAlgorithm.allCases {
      let key = try Self.key(for: algorithm)
      let token = try JWT.sign(header: ["typ": .string("JWT")], claims: claims, key: key, algorithm: algorithm).reveal()
      let parts = token.split(separator: ".")
      let other = Base64URL.encode(JSONValue.object(["sub": .string("eve")]).plainText.utf8)
      for token in [token, "\(parts[0]).\(other).\(parts[2])"] {
        jobs.append(
          .object([
            "token": .string(token), "alg": .string(algorithm.rawValue), "key": Self.publicJSON(of: key),
          ]))
      }
    }
    let reply = try Self.ask(jobs)
    let expected = SignatureAlgorithm.allCases.flatMap { _ in [JSONValue.object(claims), .null] }
    #expect(reply["checked"] == .array(expected))
  }

  @Test func `what PyJWT signs is taken here, by each algorithm, with the keys in each form`() throws {
    guard case .array(let made) = try Self.ask()["made"] else { throw CancellationError() }
    #expect(made.map { $0.members?["alg"]?.text } == SignatureAlgorithm.allCases.map(\.rawValue))
    for one in made {
      let members = try #require(one.members)
      let algorithm = try #require(members["alg"]?.text.flatMap(SignatureAlgorithm.init(rawValue:)))
      let token = Secret(try #require(members["token"]?.text))
      let jwt = try #require(JWT.Parsed(token))
      #expect(jwt.claims["exp"] == .number(4_000_000_000.5) && jwt.algorithm == algorithm)
      guard !algorithm.isSymmetric else {
        try jwt.checkSignature(keys: JSONWebKeySet(keys: []), secret: Self.secret)
        continue
      }
      var json = try #require(members["public"]?.members)
      json["kid"] = .string("peer")
      let keys = try #require(JSONWebKeySet(.object(["keys": .array([.object(json)])])))
      try jwt.checkSignature(keys: keys)
      try Self.judge(token, keys: keys)
      // The private halves, as JWK and as PEM, are those of the public one.
      let fromJWK = try JSONWebKey.privateKey(from: try #require(members["private"])).key
      let fromPEM = try PrivateKey(pem: Secret(try #require(members["pem"]?.text)))
      for key in [fromJWK, fromPEM] {
        let own = try JWT.sign(header: [:], claims: [:], key: .privateKey(key, keyID: "peer"), algorithm: algorithm)
        try #require(JWT.Parsed(own)).checkSignature(keys: keys)
      }
    }
  }

  /// As an ID token it lacks an audience, and has an issuer.
  private static func judge(_ token: Secret, keys: JSONWebKeySet) throws {
    let expectation = IDToken.Expectation(issuers: ["https://peer.example"], clientID: "app", keys: keys)
    let error = #expect(throws: JWT.Mismatch.self) {
      try IDToken.verify(token, expecting: expectation, now: Sample.now)
    }
    #expect(error?.claim == "aud")
  }
}

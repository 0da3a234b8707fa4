import OAuth
import TestSupport
import Testing

struct ClientAuthChoiceTests {
  typealias Means = ClientAuthChoice.Means

  private static let secret = Means(secret: true)
  private static let key = Means(keyAlgorithms: ["ES256"])
  private static let certificate = Means(certificate: true)
  private static let all = Means(secret: true, keyAlgorithms: ["RS256", "PS256"], certificate: true)

  struct Row: CustomTestStringConvertible, Sendable {
    let means: Means
    let offered: [String]?
    var algorithms: [String]?
    let name: String?
    var algorithm: String?

    var testDescription: String { "\(means) at \(offered ?? ["nothing said"])" }
  }

  static let rows = [
    Row(means: Means(), offered: nil, name: "none"),
    Row(means: Means(), offered: ["client_secret_basic"], name: "none"),
    Row(means: secret, offered: nil, name: nil), Row(means: secret, offered: [], name: nil),
    Row(means: secret, offered: ["x"], name: nil),
    Row(means: secret, offered: ["client_secret_post", "client_secret_basic"], name: "client_secret_basic"),
    Row(means: secret, offered: ["private_key_jwt", "client_secret_post"], name: "client_secret_post"),
    Row(means: secret, offered: ["client_secret_jwt"], name: "client_secret_jwt", algorithm: "HS256"),
    Row(
      means: secret, offered: ["client_secret_jwt"], algorithms: ["RS256", "HS512"], name: "client_secret_jwt",
      algorithm: "HS512"),
    Row(means: key, offered: ["none", "private_key_jwt"], name: "private_key_jwt", algorithm: "ES256"),
    Row(
      means: key, offered: ["private_key_jwt"], algorithms: ["RS256"], name: "private_key_jwt", algorithm: "ES256"),
    Row(
      means: all, offered: ["client_secret_basic", "private_key_jwt"], algorithms: ["PS256"], name: "private_key_jwt",
      algorithm: "PS256"),
    Row(means: all, offered: ["client_secret_basic", "tls_client_auth"], name: "tls_client_auth"),
    Row(means: all, offered: ["client_secret_basic", "none"], name: "client_secret_basic"),
    Row(means: certificate, offered: ["self_signed_tls_client_auth"], name: "self_signed_tls_client_auth"),
  ]

  @Test(arguments: rows) func `the best that both can do is chosen`(_ row: Row) throws {
    let choice = try ClientAuthChoice.choose(row.means, offered: row.offered, algorithms: row.algorithms)
    #expect(choice?.name == row.name && choice?.algorithm == row.algorithm)
  }

  @Test func `where there is nothing in common, both sides are told`() {
    #expect(
      throws: UnsupportedClientAuth(
        offered: ["private_key_jwt"],
        possible: [
          "client_secret_basic", "client_secret_post", "client_secret_jwt",
        ])
    ) { try ClientAuthChoice.choose(Self.secret, offered: ["private_key_jwt"], algorithms: nil) }
    #expect(throws: UnsupportedClientAuth(offered: ["none"], possible: ["private_key_jwt"])) {
      try ClientAuthChoice.choose(Self.key, offered: ["none"], algorithms: nil)
    }
  }
}

import Crypto
import Testing

@testable import OAuth

struct ServerErrorTests {
  struct Shape: CustomTestStringConvertible, Sendable {
    let body: String
    let code: String?
    let description: String?

    init(_ body: String, _ code: String?, _ description: String? = nil) {
      (self.body, self.code, self.description) = (body, code, description)
    }

    var testDescription: String { body }
  }

  static let shapes = [
    Shape(#"{"error":"invalid_grant"}"#, "invalid_grant"),
    Shape(#"{"error":"invalid_grant","error_description":"expired"}"#, "invalid_grant", "expired"),
    Shape(#"{"error":"x","error_description":"","message":"m"}"#, "x", "m"),
    Shape(#"{"error":"x","error_description":null,"detail":"d"}"#, "x", "d"),
    Shape(#"{"error":"x","error_description":{"a":1},"error_message":"e"}"#, "x", "e"),
    Shape(#"{"error":"x","reason":"r"}"#, "x", "r"),
    Shape(#"{"error":400,"message":"bad"}"#, "400", "bad"),
    Shape(#"{"error":true}"#, "true"),
    Shape(#"{"error":{"code":190,"message":"expired","type":"OAuthException"}}"#, "190", "expired"),
    Shape(#"{"error":{"code":"c"},"message":"m"}"#, "c", "m"),
    Shape(#"{"error":{"type":"OAuthException","message":"m"}}"#, "OAuthException", "m"),
    Shape(#"{"error":{}}"#, nil), Shape(#"{"error":["a"]}"#, #"["a"]"#),
    Shape(#"{"ok":false,"error":"invalid_auth"}"#, "invalid_auth"), Shape(#"{"ok":false,"message":"m"}"#, nil, "m"),
    Shape(#"{"ok":false,"error":""}"#, ""), Shape(#"{"ok":false,"access_token":"a"}"#, nil),
  ]

  @Test(arguments: shapes) func `an error is found in every shape`(_ shape: Shape) throws {
    let error = try #require(read(shape.body))
    #expect(error == ServerError(status: 400, code: shape.code, description: shape.description))
  }

  @Test(arguments: [
    "{}", #"{"access_token":"a"}"#, #"{"error":null}"#, #"{"error":false}"#, #"{"error":""}"#, #"{"ok":true}"#,
    #"{"message":"hello"}"#, #"{"error_description":"alone"}"#, #"{"ok":"false"}"#,
  ]) func `where there is none, none is found`(_ body: String) {
    #expect(read(body) == nil)
  }

  @Test func `an envelope is looked at where the provider has one`() {
    #expect(read(#"{"ok":false}"#, okField: nil) == nil)
    #expect(read(#"{"success":false}"#, okField: "success") == ServerError(status: 400))
  }

  @Test func `its address is kept, and all its words are redacted`() throws {
    let error = try #require(read(#"{"error":"e-s3cr3t","error_description":"d-s3cr3t","error_uri":"u-s3cr3t"}"#))
    #expect(error.uri == "u-s3cr3t")
    let redactor = Redactor()
    redactor.register(Secret("s3cr3t-token-1"))
    let said = ServerError(
      status: 401, code: "bad s3cr3t-token-1", description: "s3cr3t-token-1", uri: "https://h/s3cr3t-token-1")
    let clean = said.redacted(by: redactor)
    #expect(clean.status == 401 && !"\(clean)".contains("s3cr3t-token-1"))
    #expect(clean.code == "bad [redacted]")
  }

  private func read(_ body: String, okField: String? = "ok") -> ServerError? {
    guard let fields = JSONValue(parsing: Array(body.utf8))?.members else { return nil }
    return ServerError(status: 400, fields: fields, okField: okField)
  }
}

import Crypto
import Foundation
import OAuth
import TestSupport
import Testing

struct TokenResponseTests {
  static let usable: [Named<HTTPResponse>] = [
    Named("json", .json(#"{"access_token":"a"}"#)), Named("201", .json(#"{"access_token":"a"}"#, status: 201)),
    Named("called html", .text(#"{"access_token":"a"}"#, type: "text/html")),
    Named("byte order mark", .text("\u{FEFF}{\"access_token\":\"a\"}")),
    Named("white space", .json("\r\n {\"access_token\":\"a\"}\n")),
    Named("form", .text("access_token=a&token_type=bearer", type: "application/x-www-form-urlencoded")),
    Named("form called json", .json("token_type=bearer&access_token=a")),
    Named(
      "nulls",
      .json(#"{"access_token":"a","refresh_token":null,"id_token":null,"scope":null,"token_type":null,"error":null}"#)),
    Named("empty texts", .json(#"{"access_token":"a","refresh_token":"","id_token":"","scope":"","token_type":""}"#)),
    Named("error that is none", .json(#"{"access_token":"a","error":""}"#)),
    Named("type of its own", .json(#"{"access_token":"a","token_type":"user"}"#)),
    Named("type of no text", .json(#"{"access_token":"a","token_type":1}"#)),
    Named("refresh token of no text", .json(#"{"access_token":"a","refresh_token":12}"#)),
    Named("scope of no text", .json(#"{"access_token":"a","scope":{"x":1}}"#)),
  ]

  @Test(arguments: usable) func `an unusual reply with a token is a token, and nothing is made up`(
    _ row: Named<HTTPResponse>
  ) throws {
    let tokens = try read(row.value)
    #expect(tokens.accessToken == Secret("a") && tokens.obtainedAt == Sample.now)
    #expect(tokens.refreshToken == nil && tokens.idToken == nil && tokens.scope == nil && tokens.expiresAt == nil)
    #expect(tokens.authorizationScheme == "Bearer")
  }

  @Test func `every field is read, and the rest is kept as it came`() throws {
    let tokens = try read(
      .json(
        #"{"access_token":"a","token_type":"bearer","expires_in":60,"refresh_token":"r","id_token":"i.d.t","scope":["x","y"],"#
          + #""refresh_token_expires_in":600,"tenant":{"id":7},"iat":1.5,"issued_token_type":null}"#))
    #expect(tokens.tokenType == "bearer" && tokens.scope == ["x", "y"])
    #expect(tokens.refreshToken == Secret("r") && tokens.idToken == Secret("i.d.t"))
    #expect(tokens.expiresAt == Sample.now.addingTimeInterval(60))
    #expect(tokens.refreshExpiresAt == Sample.now.addingTimeInterval(600))
    #expect(
      tokens.fields == [
        "tenant": .object(["id": .integer(7)]), "iat": .number(1.5), "issued_token_type": .null,
        "refresh_token_expires_in": .integer(600),
      ])
  }

  static let useless: [Named<(HTTPResponse, String)>] = [
    Named("no token", (.json("{}"), "no usable access_token in it")),
    Named("empty token", (.json(#"{"access_token":""}"#), "no usable access_token in it")),
    Named("null token", (.json(#"{"access_token":null}"#), "no usable access_token in it")),
    Named("number token", (.json(#"{"access_token":12345}"#), "no usable access_token in it")),
    Named("object token", (.json(#"{"access_token":{"x":"y"}}"#), "no usable access_token in it")),
    Named("token with a line end", (.json(#"{"access_token":"a\nX-Evil: 1"}"#), "no usable access_token in it")),
    Named("token with a zero", (.json(#"{"access_token":"a\u0000b"}"#), "no usable access_token in it")),
    Named("token with an umlaut", (.json(#"{"access_token":"tökén"}"#), "no usable access_token in it")),
    Named("token with a delete", (.json(#"{"access_token":"a\u007f"}"#), "no usable access_token in it")),
    Named("MAC token", (.json(#"{"access_token":"a","token_type":"MAC"}"#), "no usable access_token in it")),
    Named("PoP token", (.json(#"{"access_token":"a","token_type":"pop"}"#), "no usable access_token in it")),
    Named("nothing", (.text("", status: 204), "an empty body")),
    Named("word", (.text("ok"), "neither JSON nor a form")),
    Named("list", (.json(#"[{"access_token":"a"}]"#), "neither JSON nor a form")),
    Named("cut off", (.json(#"{"access_token":"at-1234"#), "neither JSON nor a form")),
    Named("redirect", (.text("", status: 302), "a redirect instead of a reply")),
    Named("redirect with a token", (.json(#"{"access_token":"a"}"#, status: 307), "a redirect instead of a reply")),
    Named("404", (.text("", status: 404), "a status that a token endpoint does not use")),
  ]

  @Test(arguments: useless) func `what is no token reply is told apart, and why`(_ row: Named<(HTTPResponse, String)>) {
    let failure = #expect(throws: TokenFailure.self) { try read(row.value.0) }
    guard case .notATokenReply(let error, let reason) = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(reason == row.value.1 && error.status == row.value.0.status && error.code == nil)
  }

  @Test func `an error in a success is an error, whatever else is there`() {
    // Classic GitHub: 200, a form, and an error of its own (case I-9).
    let github = HTTPResponse.text(
      "error=bad_verification_code&error_description=The+code+is+incorrect&error_uri=https%3A%2F%2Fh")
    let said = ServerError(
      status: 200, code: "bad_verification_code", description: "The code is incorrect", uri: "https://h")
    #expect(throws: TokenFailure.notATokenReply(said, reason: "an error with a success status")) {
      try read(github)
    }
    let alias = Sample.provider(quirks: { $0.errorAliases = ["bad_verification_code": "invalid_grant"] })
    let meant = ServerError(status: 200, code: "invalid_grant", description: "The code is incorrect", uri: "https://h")
    #expect(throws: TokenFailure.grantRefused(meant)) { try read(github, alias) }
    #expect(throws: TokenFailure.grantRefused(ServerError(status: 200, code: "invalid_grant"))) {
      try read(.json(#"{"access_token":"a","error":"invalid_grant"}"#))
    }
  }

  @Test func `an alias without words of the server keeps its code as the words`() {
    let alias = Sample.provider(quirks: { $0.errorAliases = ["gone": "invalid_grant"] })
    #expect(throws: TokenFailure.grantRefused(ServerError(status: 400, code: "invalid_grant", description: "gone"))) {
      try read(.error("gone"), alias)
    }
  }

  @Test func `an envelope that says no is a failure, with a token or without`() {
    let slack = Sample.provider(quirks: { $0.okField = "ok" })
    let failure = #expect(throws: TokenFailure.self) { try read(.json(#"{"ok":false,"access_token":"a"}"#), slack) }
    #expect(failure == .notATokenReply(ServerError(status: 200), reason: "no usable access_token in it"))
    #expect(throws: TokenFailure.self) { try read(.json(#"{"ok":false,"error":"invalid_auth"}"#), slack) }
    #expect(throws: Never.self) { try read(.json(#"{"ok":true,"access_token":"a"}"#), slack) }
  }

  @Test func `a token is found where the provider puts it`() throws {
    let slack = Sample.provider(quirks: { $0.tokenPath = "authed_user" })
    let tokens = try read(
      .json(
        #"{"access_token":"bot","scope":"b","id_token":"top","team":{"id":"T"},"#
          + #""authed_user":{"id":"U","access_token":"user","scope":"u","refresh_token":"r","expires_in":60}}"#), slack)
    #expect(tokens.accessToken == Secret("user") && tokens.scope == ["u"] && tokens.refreshToken == Secret("r"))
    #expect(tokens.idToken == Secret("top") && tokens.expiresAt == Sample.now.addingTimeInterval(60))
    #expect(tokens.fields["team"] == .object(["id": .string("T")]) && tokens.fields["authed_user"] == nil)
    let refreshed = try read(.json(#"{"access_token":"new","authed_user":{"id":"U"}}"#), slack)
    #expect(refreshed.accessToken == Secret("new"))
    let deep = Sample.provider(quirks: { $0.tokenPath = "data.token" })
    #expect(try read(.json(#"{"data":{"token":{"access_token":"d"}}}"#), deep).accessToken == Secret("d"))
  }

  @Test func `a token of 64 KiB stays whole`() throws {
    let long = String(repeating: "x", count: 65536)
    #expect(try read(.json(#"{"access_token":"\#(long)"}"#)).accessToken.count == 65536)
  }

  @Test func `tokens survive their keeping`() throws {
    let tokens = try read(Sample.rotated)
    let copy = try JSONCopy.of(tokens)
    #expect(copy == tokens)
  }

  @discardableResult private func read(_ response: HTTPResponse, _ provider: Provider = Sample.provider()) throws
    -> TokenSet
  {
    try TokenResponse.validate(response, provider: provider, now: Sample.now)
  }

  @Test(arguments: ["12", #"["x"]"#, "{}"]) func `an ID token that is no text is kept beside the token, and is none`(
    _ value: String
  ) throws {
    let tokens = try TokenResponse.validate(
      .json(#"{"access_token":"a","refresh_token":"r","id_token":\#(value)}"#), provider: Sample.provider(),
      now: Sample.now)
    #expect(tokens.idToken == nil && tokens.fields["id_token"] != nil && tokens.refreshToken == Secret("r"))
    let null = try TokenResponse.validate(
      .json(#"{"access_token":"a","id_token":null}"#), provider: Sample.provider(), now: Sample.now)
    #expect(null.idToken == nil && null.fields.isEmpty)
  }
}

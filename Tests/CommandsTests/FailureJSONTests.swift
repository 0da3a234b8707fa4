import OAuth
import TestSupport
import Testing

@testable import Commands

struct FailureJSONTests {
  @Test func `a failure is the object of the contract`() {
    let failure = Failure(
      .loginRequired, "no", hint: "do", server: ServerError(status: 400, code: "invalid_grant", description: "gone"))
    #expect(
      failure.json.plainText
        == #"{"error":{"code":77,"hint":"do","kind":"login-required","message":"no","server":{"error":"invalid_grant","error_description":"gone"}}}"#
    )
    #expect(Failure(.usage, "no").json.plainText == #"{"error":{"code":64,"kind":"usage","message":"no"}}"#)
    let bare = Failure(.temporary, "no", server: ServerError(status: 503))
    #expect(bare.json.plainText == #"{"error":{"code":75,"kind":"temporary","message":"no","server":{"status":503}}}"#)
  }

  @Test(arguments: FailureKind.allCases) func `a failure comes back from its JSON`(_ kind: FailureKind) throws {
    for server in [
      nil, ServerError(code: "c", description: "d"), ServerError(code: "c"), ServerError(status: 503, description: "d"),
    ] {
      for hint in [nil, "do it"] {
        let copy = try #require(Failure(json: Failure(kind, "it's \"so\"", hint: hint, server: server).json))
        #expect(copy.kind == kind && copy.message == "it's \"so\"" && copy.hint == hint && copy.server == server)
        #expect(copy.exitCode == kind.exitCode)
      }
    }
  }

  @Test(arguments: [
    "null", "{}", #"{"result":"ok"}"#, #"{"error":"x"}"#, #"{"error":{}}"#,
    #"{"error":{"kind":"unheard-of","message":"m"}}"#,
    #"{"error":{"kind":7}}"#,
  ]) func `what is no failure is none`(_ text: String) throws {
    #expect(Failure(json: try #require(JSONValue(parsing: Array(text.utf8)))) == nil)
  }

  @Test func `a code that is a signal's is shown`() {
    var failure = Failure(.interrupted, "interrupted by signal 15")
    failure.exitCodeOverride = 143
    #expect(failure.exitCode == 143 && failure.json.plainText.contains(#""code":143"#))
  }

  @Test func `a message and a hint are lines of their own, or one line of JSON`() {
    let lines = Recorder<String>()
    var output = Output(isJSON: false, isQuiet: true, writeAnswer: { _ in true }, writeMessage: { lines.add($0) })
    output.report(Failure(.usage, "no", hint: "do"), about: "acme")
    output.note("not with --quiet")
    output.warn("nor this")
    output.isJSON = true
    output.report(Failure(.usage, "no"))
    #expect(
      lines.all == [
        "oauthctl: error: acme: no", "oauthctl: hint: do", #"{"error":{"code":64,"kind":"usage","message":"no"}}"#,
      ])
  }
}

extension Failure: Equatable {
  static func == (left: Failure, right: Failure) -> Bool { left.json == right.json }
}

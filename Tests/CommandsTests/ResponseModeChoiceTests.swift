import OAuth
import TestSupport
import Testing

@testable import Commands
@testable import Flows

/// How a login's answer shall come back, and whether it can.
struct ResponseModeChoiceTests {
  private func choose(
    _ words: [String], _ flow: LoginFlow = .code, metadata: String? = nil, provider: Provider = SampleIssuer.provider()
  ) throws -> ResponseMode? {
    let invocation = try CommandHarness.invocation(["login", "acme"] + words)
    let environment = try CommandHarness().environment(invocation, output: .silent)
    let document = metadata.map {
      #"{"issuer":"\#(Sample.issuer)","authorization_endpoint":"https://id.acme.example/a",\#($0)}"#
    }
    let found = DiscoverProvider.Found(
      provider: provider, metadata: try document.map { try ServerMetadata(parsing: $0) })
    return try ResponseModeChoice(try LoginOptions(invocation, environment), found).choose(for: flow)
  }

  @Test func `an option goes before the provider's data, and without either the response type decides`() throws {
    let posting = SampleIssuer.provider { $0.responseMode = .formPost }
    #expect(try choose([]) == nil)
    #expect(try choose([], provider: posting) == .formPost)
    #expect(try choose(["--response-mode", "query"], provider: posting) == .query)
    #expect(try choose([], .device, provider: posting) == nil)
    #expect(try choose([], .direct(.clientCredentials), provider: posting) == nil)
  }

  @Test(arguments: ResponseMode.allCases) func `a server that lists no modes is asked for any`(_ mode: ResponseMode)
    throws
  {
    #expect(try choose(["--response-mode", mode.rawValue], metadata: #""scopes_supported":[]"#) == mode)
    #expect(try choose(["--response-mode", mode.rawValue]) == mode)
  }

  static let missing: [(mode: String, offered: String, hint: String)] = [
    ("jwt", #"["query","form_post"]"#, "log in with --response-mode query"),
    ("jwt", #"["query","form_post.jwt"]"#, "log in with --response-mode form_post.jwt"),
    ("form_post", #"["jwt","fragment"]"#, "log in with --response-mode fragment"),
    ("form_post", #"["jwt"]"#, "log in with --response-mode jwt"),
    ("form_post", #"["okta_post_message"]"#, "log in without --response-mode"),
  ]

  @Test(arguments: missing) func `a mode that the server does not list is 78, and one that works is named`(
    _ row: (mode: String, offered: String, hint: String)
  ) {
    let failure = #expect(throws: Failure.self) {
      try choose(["--response-mode", row.mode], metadata: #""response_modes_supported":\#(row.offered)"#)
    }
    #expect(failure?.exitCode == 78 && failure?.hint == row.hint)
  }

  @Test func `a signature is worth something by an issuer with keys, and by no shared secret`() throws {
    let words = ["--response-mode", "jwt"]
    let nameless = #expect(throws: Failure.self) { try choose(words, provider: Sample.provider()) }
    #expect(nameless?.exitCode == 78 && nameless?.message.contains("issuer") == true)
    let keyless = SampleIssuer.provider { $0.endpoints?.jwks = nil }
    #expect(throws: FlowError.self) { try choose(words, provider: keyless) }
    let name = "authorization_signing_alg_values_supported"
    let secret = #expect(throws: Failure.self) { try choose(words, metadata: #""\#(name)":["HS256"]"#) }
    #expect(secret?.exitCode == 78)
    #expect(try choose(words, metadata: #""\#(name)":["HS256","ES256"]"#) == .jwt)
  }

  @Test func `what cannot be is a mistake`() throws {
    for mode in ["query", "query.jwt"] {
      let failure = #expect(throws: Failure.self) { try choose(["--response-mode", mode], .implicit) }
      #expect(failure?.exitCode == 64)
    }
    #expect(try choose(["--response-mode", "form_post"], .implicit) == .formPost)
    let direct = #expect(throws: Failure.self) {
      try choose(["--response-mode", "form_post"], .direct(.clientCredentials))
    }
    #expect(direct?.exitCode == 64)
    let later = #expect(throws: Failure.self) { try choose(["--response-mode", "form_post", "--print-url"]) }
    #expect(later?.exitCode == 64 && later?.hint?.contains("--response-mode query") == true)
  }
}

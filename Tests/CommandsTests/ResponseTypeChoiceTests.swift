import OAuth
import TestSupport
import Testing

@testable import Commands
@testable import Flows

/// What a login's answer shall hold, and whether it can.
struct ResponseTypeChoiceTests {
  private func isHybrid(
    _ words: [String], _ flow: LoginFlow = .code, scopes: [String] = ["openid"], metadata: String? = nil,
    provider: Provider = SampleIssuer.provider()
  ) throws -> Bool {
    let invocation = try CommandHarness.invocation(["login", "acme"] + words)
    let environment = try CommandHarness().environment(invocation, output: .silent)
    let document = metadata.map { #"{"issuer":"\#(Sample.issuer)","response_types_supported":\#($0)}"# }
    let found = DiscoverProvider.Found(
      provider: provider, metadata: try document.map { try ServerMetadata(parsing: $0) })
    return try ResponseTypeChoice(try LoginOptions(invocation, environment), found).isHybrid(for: flow, scopes: scopes)
  }

  private static let hybrid = ["--response-type", "code id_token"]

  @Test func `it is asked for by name, in any order`() throws {
    #expect(try !isHybrid([]) && !isHybrid(["--response-type", "code"]) && isHybrid(Self.hybrid))
    #expect(try isHybrid(["--response-type", "id_token code"], metadata: #"["code","id_token code"]"#))
    #expect(try isHybrid(Self.hybrid + ["--response-mode", "form_post"]))
  }

  @Test func `a server that does not list it is 78`() {
    let failure = #expect(throws: Failure.self) { try isHybrid(Self.hybrid, metadata: #"["code","code token"]"#) }
    #expect(failure?.exitCode == 78 && failure?.hint == "log in without --response-type")
    let keyless = SampleIssuer.provider { $0.endpoints?.jwks = nil }
    #expect(throws: FlowError.self) { try isHybrid(Self.hybrid, provider: keyless) }
  }

  static let mistakes: [(words: [String], flow: LoginFlow, scopes: [String], hint: String)] = [
    (hybrid, .code, ["read"], "--scope openid"), (hybrid, .implicit, ["openid"], "--flow code"),
    (hybrid, .device, ["openid"], "--flow code"),
    (hybrid + ["--response-mode", "query"], .code, ["openid"], "form_post"),
    (["--response-type", "code token"], .code, ["openid"], "--flow implicit"),
    (["--response-type", ""], .code, ["openid"], "'code id_token'"),
  ]

  @Test(arguments: mistakes) func `what cannot be is a mistake`(
    _ row: (words: [String], flow: LoginFlow, scopes: [String], hint: String)
  ) {
    let failure = #expect(throws: Failure.self) { try isHybrid(row.words, row.flow, scopes: row.scopes) }
    #expect(failure?.exitCode == 64 && failure?.hint?.contains(row.hint) == true)
  }
}

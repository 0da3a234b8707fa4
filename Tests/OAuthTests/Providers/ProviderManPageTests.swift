import Crypto
import Foundation
import Testing

@testable import OAuth

@Suite struct ProviderManPageTests {
  let page: String

  init() throws {
    page = try String(contentsOf: Repository.root.appending(path: "man/oauthctl-providers.5"), encoding: .utf8)
  }

  @Test(arguments: allSchemas.flatMap(\.self)) func `the man page documents every key`(_ key: SchemaKey) throws {
    let title = ".Sh " + (key.section ?? key.path.last ?? "keys").uppercased()
    let lines = page.split(separator: "\n").map(String.init)
    let start = try #require(lines.firstIndex(of: title), "there is no section \(title)")
    let section = lines[(start + 1)...].prefix { !$0.hasPrefix(".Sh ") }
    #expect(section.contains { $0 == ".It Cm \(key.name)" || $0.hasPrefix(".It Cm \(key.name) ") })
  }

  @Test func `the man page names every choice`() {
    let choices =
      ClientAuthMethod.allCases.map(\.rawValue) + CodeChallengeMethod.allCases.map(\.rawValue)
      + TokenRequestFormat.allCases.map(\.rawValue) + ExpiryUnit.allCases.map(\.rawValue)
      + SecretStep.allCases.map(\.rawValue) + RevocationStyle.Method.allCases.map(\.rawValue)
      + RevocationStyle.Authentication.allCases.map(\.rawValue) + RevocationStyle.Body.allCases.map(\.rawValue)
      + RevocationStyle.Kind.allCases.map(\.rawValue) + Flow.allCases.map(\.rawValue)
      + SignatureAlgorithm.allCases.map(\.rawValue)
      + ResponseMode.allCases.map(\.rawValue) + BasicCharset.allCases.map(\.rawValue)
      + AssertionAudience.allCases.map(\.rawValue) + ScopeStep.allCases.map(\.rawValue)
      + IntrospectionStyle.Method.allCases.map(\.rawValue)
      + IntrospectionStyle.Authentication.allCases.map(\.rawValue)
      + IntrospectionStyle.Place.allCases.map(\.rawValue) + UserinfoStyle.Method.allCases.map(\.rawValue)
    for choice in choices { #expect(page.contains("Ql \(choice)"), "\(choice)") }
  }

  @Test func `the examples of the man page are provider files`() throws {
    let examples = page.split(separator: ".Bd -literal").dropFirst().compactMap { part -> String? in
      let lines = part.prefix { _ in true }.split(separator: "\n", omittingEmptySubsequences: false).dropFirst()
      let body = lines.prefix { $0 != ".Ed" }.joined(separator: "\n").replacing("\\(dq", with: "\"").replacing(
        "\\&", with: "")
      return body.hasPrefix("{") || body.hasPrefix("//") ? body : nil
    }
    #expect(examples.count >= 2)
    for example in examples { #expect(throws: Never.self) { try ProviderFile.read(Array(example.utf8)) } }
  }
}

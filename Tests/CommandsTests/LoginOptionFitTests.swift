import CLI
import OAuth
import TestSupport
import Testing

@testable import Commands

/// An option without an effect is refused, and not ignored.
struct LoginOptionFitTests {
  private static let flags: Set = ["par", "no-pkce", "sign-request", "private", "no-browser", "dpop"]

  private func failure(_ option: String, _ flow: String) throws -> Failure? {
    let value = option == "response-mode" ? "jwt" : option == "response-type" ? "code" : "1"
    let words = Self.flags.contains(option) ? ["--\(option)"] : ["--\(option)", value]
    let invocation = try CommandHarness.invocation(["login", "acme"] + words)
    do {
      try LoginOptionFit.check(invocation, flow)
      return nil
    } catch { return error }
  }

  @Test(arguments: LoginOptionFit.all.map { Named($0.option, $0) }) func `each option goes with its grants alone`(
    _ row: Named<LoginOptionFit>
  ) throws {
    let fit = row.value
    for flow in Flow.allCases {
      let failure = try failure(fit.option, flow.rawValue)
      #expect((failure == nil) == fit.flows.contains(flow), "\(flow)")
      guard let failure else { continue }
      #expect(failure.exitCode == 64)
      #expect(failure.message == "--\(fit.option) does not go with --flow \(flow.rawValue)")
      #expect(failure.hint?.isEmpty == false)
    }
    #expect((try failure(fit.option, "own") == nil) == fit.fitsOwn)
  }

  @Test func `each row is an option that there is, once`() {
    let names = LoginOptionFit.all.map(\.option)
    #expect(Set(names).count == names.count)
    #expect(names.allSatisfy { name in LoginOptions.specs.contains { $0.name == name } })
  }

  /// Those that each grant has a use for.
  static let everywhere: Set = [
    "flow", "scope", "anew", "client-id", "client-secret-file", "client-auth", "private-key-file", "certificate-file",
    "key-file",
    "header", "audience", "resource", "authorization-details", "var", "print-url", "finish", "json", "cacert",
  ]

  @Test func `a new option has to be put into the table, or said to go with all`() {
    let known = Self.everywhere.union(LoginOptionFit.all.map(\.option))
    #expect(LoginOptions.specs.map(\.name).filter { !known.contains($0) } == [])
  }

  @Test func `of the former login's grant it is said that it was, and which one to name`() throws {
    let invocation = try CommandHarness.invocation(["login", "acme", "--timeout", "2"])
    let failure = #expect(throws: Failure.self) {
      try LoginOptionFit.check(invocation, "client-credentials", isFormer: true)
    }
    #expect(failure?.exitCode == 64)
    #expect(
      failure?.message == "--timeout does not go with --flow client-credentials, as the former login was")
    #expect(failure?.hint == "name --flow code to log in by the browser")
  }

  @Test func `the hint names the grants that it is for`() throws {
    #expect(try failure("par", "client-credentials")?.hint == "it belongs to --flow code or implicit")
    #expect(try failure("prompt", "password")?.hint == "it belongs to --flow code, device or implicit")
    #expect(try failure("no-pkce", "implicit")?.hint == "it belongs to --flow code")
    #expect(try failure("dpop", "implicit")?.hint == "a token in a redirect cannot be bound")
  }
}

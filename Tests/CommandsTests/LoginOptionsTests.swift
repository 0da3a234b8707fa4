import Crypto
import Flows
import OAuth
import TestSupport
import Testing

@testable import Commands

struct LoginOptionsTests {
  private func options(_ arguments: String..., files: [String: Secret] = [:]) throws -> LoginOptions {
    let words = ["login", "acme"] + arguments
    let harness = try CommandHarness(files: files)
    let invocation = try CommandHarness.invocation(words)
    return try LoginOptions(invocation, harness.environment(invocation, output: .silent))
  }

  @Test func `what is not given has its default`() throws {
    let options = try options()
    #expect(options.target == "acme" && options.scopes == nil && options.clientID == nil && options.clientSecret == nil)
    #expect(options.opensBrowser && !options.isPrivate && !options.skipsPKCE && options.timeout == nil)
    #expect(options.authorizationParameters.isEmpty && options.tokenParameters.isEmpty && options.variables.isEmpty)
  }

  @Test func `every option is read`() throws {
    let options = try options(
      "--client-id", "id", "--client-secret-file", "-", "--client-auth", "post", "--no-browser", "--browser", "b %s",
      "--private", "--no-pkce", "--timeout", "2m", "--var", "host=h", "--var", "host=i", "--header", "X-A=b=c",
      files: ["-": Secret("s")])
    #expect(options.clientID == "id" && options.clientSecret == Secret("s") && options.clientAuth == .post)
    #expect(!options.opensBrowser && options.browser == "b %s" && options.isPrivate && options.skipsPKCE)
    #expect(options.timeout == .seconds(120) && options.variables == ["host": "i"])
    #expect(options.headers == [Parameter("X-A", "b=c")])
  }

  @Test func `scopes add up, in lists or one by one`() throws {
    #expect(try options("--scope", "a b", "-s", "c,d", "-se").scopes == ["a", "b", "c", "d", "e"])
    // To ask for none is not to say nothing.
    #expect(try options("--scope", "").scopes == [])
  }

  @Test func `the named parameters come first, and what the token is for goes along at both steps`() throws {
    let options = try options(
      "--param", "x=1", "--prompt", "login", "--audience", "a", "--login-hint", "me", "--resource", "https://r1",
      "--resource", "urn:r:2", "--token-param", "y=2", "--max-age", "5m", "--acr-values", "a b", "--ui-locales", "de")
    #expect(
      options.authorizationParameters == [
        Parameter("audience", "a"), Parameter("login_hint", "me"), Parameter("prompt", "login"),
        Parameter("acr_values", "a b"), Parameter("ui_locales", "de"), Parameter("max_age", "300"), Parameter("x", "1"),
      ])
    #expect(options.tokenParameters == [Parameter("audience", "a"), Parameter("y", "2")])
    #expect(options.resources == ["https://r1", "urn:r:2"] && options.maxAge == 300)
  }

  @Test(arguments: ["r1", "https://h/#x", "https://h/ä", ""]) func `what is no absolute URI is no resource`(
    _ text: String
  ) {
    let failure = #expect(throws: Failure.self) { try options("--resource", text) }
    #expect(failure?.exitCode == 64)
  }

  @Test(arguments: [
    "client_id", "redirect_uri", "state", "nonce", "code_challenge", "code_challenge_method", "response_type", "scope",
  ]) func `what protects a login cannot be set by hand`(_ name: String) {
    let failure = #expect(throws: Failure.self) { try options("--param", "ok=1", "--param", "\(name)=x") }
    #expect(failure?.exitCode == 64 && failure?.message == "--param cannot set '\(name)'")
  }

  @Test(arguments: ["grant_type", "code", "code_verifier", "redirect_uri", "client_secret"])
  func `what redeems a code cannot be set by hand`(_ name: String) {
    let failure = #expect(throws: Failure.self) { try options("--token-param", "\(name)=x") }
    #expect(failure?.exitCode == 64 && failure?.message == "--token-param cannot set '\(name)'")
  }

  @Test(arguments: [
    ["--client-id", ""], ["--header", "A B=c"], ["--header", "A=b\r\nX: y"], ["--header", "Ä=b"], ["--header", "A"],
    ["--header", "Host=evil.example"], ["--header", "authorization=x"], ["--header", "Content-Type=x"],
    ["--header", "Content-Length=1"], ["--header", "Cookie=a"], ["--header", "DPoP=x"], ["--header", "Accept=x"],
    ["--header", "Transfer-Encoding=chunked"], ["--header", "Connection=close"], ["--param", "max_age=soon"],
    ["--param", "max_age=-1"],
    ["--port", ""], ["--port", "80,"], ["--port", "x"], ["--port", "65536"], ["--port", "-1"], ["--port", "80 81"],
    ["--timeout", "soon"], ["--var", "host"], ["--param", "=x"],
  ]) func `nonsense is a usage error`(_ words: [String]) {
    let failure = #expect(throws: Failure.self) { try options(words[0] + "=" + words[1]) }
    #expect(failure?.exitCode == 64)
  }

  @Test(arguments: [["--client-auth", "magic"], ["--format", "x"]]) func `a choice that there is not is refused`(
    _ words: [String]
  ) {
    #expect(throws: (any Error).self) { try options(words[0], words[1]) }
  }

  enum Wanted: Sendable, Equatable {
    case listen(RedirectAddress)
    case listenAs(String, RedirectAddress)
    case paste(String)
  }

  private func redirect(_ provider: Provider = Sample.provider(), _ arguments: String...) throws -> Wanted {
    let words = ["login", "acme"] + arguments
    let harness = try CommandHarness()
    let invocation = try CommandHarness.invocation(words)
    switch try LoginOptions(invocation, harness.environment(invocation, output: .silent)).redirect(of: provider) {
    case .listen(let address): return .listen(address)
    case .listenAs(let uri, let address): return .listenAs(uri, address)
    case .paste(let uri): return .paste(uri)
    case .bound: throw UnexpectedUse()
    }
  }

  @Test func `without options the provider's redirect holds, else any free port`() throws {
    #expect(try redirect() == .listen(RedirectAddress(host: "127.0.0.1", ports: [0], path: "/callback")))
    let own = Sample.provider { $0.redirect = Redirect(host: "localhost", port: [8085, 0], path: "/cb") }
    #expect(try redirect(own) == .listen(RedirectAddress(host: "localhost", ports: [8085, 0], path: "/cb")))
    #expect(
      try redirect(own, "--port", "9000,0,9001")
        == .listen(RedirectAddress(host: "localhost", ports: [9000, 0, 9001], path: "/cb")))
  }

  @Test(
    arguments: [
      (
        "http://127.0.0.1:8085/cb",
        .listenAs("http://127.0.0.1:8085/cb", RedirectAddress(host: "127.0.0.1", ports: [8085], path: "/cb"))
      ),
      (
        "http://LocalHost:8085",
        .listenAs("http://LocalHost:8085", RedirectAddress(host: "localhost", ports: [8085], path: "/"))
      ),
      (
        "http://[::1]:1/a?b#c",
        .listenAs("http://[::1]:1/a?b#c", RedirectAddress(host: "[::1]", ports: [1], path: "/a"))
      ),
      (
        "http://localhost/cb",
        .listenAs("http://localhost/cb", RedirectAddress(host: "localhost", ports: [80], path: "/cb"))
      ),
      ("https://app.example/cb", .paste("https://app.example/cb")),
      ("https://localhost:1/cb", .paste("https://localhost:1/cb")),
      ("http://127.0.0.2:1/", .paste("http://127.0.0.2:1/")), ("com.example:/cb", .paste("com.example:/cb")),
      ("urn:ietf:wg:oauth:2.0:oob", .paste("urn:ietf:wg:oauth:2.0:oob")),
    ] as [(String, Wanted)]) func `a redirect URI is listened for where that is possible, else pasted`(
      _ uri: String, _ wanted: Wanted
    ) throws
  {
    #expect(try redirect(Sample.provider(), "--redirect-uri", uri) == wanted)
  }

  @Test(arguments: ["", "callback", ":x", "http://h/a b", "http://h/ä", "http://h/\n"])
  func `what is no URI is refused`(_ uri: String) {
    let failure = #expect(throws: Failure.self) { try redirect(Sample.provider(), "--redirect-uri=\(uri)") }
    #expect(failure?.exitCode == 64)
  }

  @Test func `a redirect URI has its port already`() {
    let failure = #expect(throws: Failure.self) {
      try redirect(Sample.provider(), "--redirect-uri", "http://127.0.0.1/", "--port", "1")
    }
    #expect(failure?.exitCode == 64)
  }

  @Test func `variables and headers become part of the provider`() throws {
    let provider = Sample.provider { provider in
      provider.issuer = "https://{host}"
      provider.headers = ["X-A": "theirs", "X-B": "b"]
    }
    let applied = try options("--var", "host=id.example", "--header", "X-A=mine").applied(to: provider)
    #expect(applied.issuer == "https://id.example" && applied.headers == ["X-A": "mine", "X-B": "b"])
    #expect(throws: ProviderError.self) { try options().applied(to: provider) }
  }
}

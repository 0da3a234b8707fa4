import Testing

@testable import OAuth

@Suite struct ProviderFileTests {
  @Test func `every key is read, and written again`() throws {
    let provider = try ProviderFile.read(Array(SampleFile.everyKey.utf8))
    #expect(provider.name == "acme" && provider.title == "ACME é😀" && provider.clientAuth == .privateKeyJWT)
    #expect(provider.redirect == Redirect(host: "localhost", port: [8085, 0], path: "/cb"))
    #expect(provider.quirks?.revocation?.method == .delete && provider.quirks?.effectiveScopeParam == "user_scope")
    let text = ProviderFile.write(provider)
    #expect(try ProviderFile.read(Array(text.utf8)) == provider)
    for key in allKeys { #expect(text.contains("\"\(key)\""), "\(key)") }
  }

  @Test func `a name is enough`() throws {
    #expect(try ProviderFile.read(Array(#"{"name":"a"}"#.utf8)) == Provider(name: "a"))
    #expect(
      try ProviderFile.read([0xEF, 0xBB, 0xBF] + Array("\t{\"name\"\r\n:\"a\"}// end".utf8)) == Provider(name: "a"))
  }

  @Test func `an empty text is one that is not set`() throws {
    let provider = try ProviderFile.read(
      SampleFile.with(#""issuer": "", "client_id": "", "endpoints": {"token": "", "refresh": "https://a.example"}"#))
    #expect(provider.issuer == nil && provider.clientID == nil && provider.endpoints?.token == nil)
    #expect(provider.endpoints?.refresh == "https://a.example")
  }

  @Test(arguments: allSchemas.flatMap(\.self)) func `every key has a shape that refuses null`(_ key: SchemaKey) throws {
    let braces = key.path.reversed().reduce("\"\(key.name)\": null") { "\"\($1)\": {\($0)}" }
    let text = key.path.isEmpty && key.name == "name" ? "{\"name\": null}" : "{\"name\": \"a\", \(braces)}"
    let error = #expect(throws: ProviderError.self) { try ProviderFile.read(Array(text.utf8)) }
    guard case .badValue(let full, let problem, let line) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(full == (key.path + [key.name]).joined(separator: ".") && problem.hasPrefix("must be ") && line == 1)
  }

  @Test(arguments: refusals + quirkRefusals) func `a wrong value is named with its line and what is right`(
    _ row: Refusal
  ) {
    let error = #expect(throws: ProviderError.self) { try ProviderFile.read(row.bytes) }
    #expect(error == .badValue(key: row.key, problem: row.problem, line: row.line))
  }

  @Test(arguments: strays) func `a key that there is not is named, and one that is near`(_ row: Stray) {
    let error = #expect(throws: ProviderError.self) { try ProviderFile.read(SampleFile.with(row.member)) }
    #expect(error == .unknownKey(row.key, line: row.line, nearest: row.nearest))
  }

  @Test(
    arguments: [
      #""client_secret": "x""#, #""clientSecret": "x""#, #""client-secret": "x""#, #""secret": {}"#,
      #""token_params": {"client_secret": "x"}"#, #""refresh_params": {"client_secret": "x"}"#,
      #""authorization_params": {"client_secret": "x"}"#, #""device_params": {"client_secret": "x"}"#,
      #""grants": {"own": {"grant_type": "a", "params": {"client_secret": "x"}}}"#,
      #""quirks": {"client_secret": "x"}"#,
    ])
  func `a secret is sent to the keyring`(_ member: String) {
    let error = #expect(throws: ProviderError.self) { try ProviderFile.read(SampleFile.with(member)) }
    guard case .badValue(_, let problem, line: 3) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(problem.contains("keyring") && problem.contains("--client-secret-file"))
  }

  @Test(arguments: ClientAuthMethod.allCases) func `every way of a client to authenticate may be named`(
    _ method: ClientAuthMethod
  ) throws {
    let provider = try ProviderFile.read(SampleFile.with("\"client_auth\": \"\(method.rawValue)\""))
    #expect(provider.clientAuth == method)
  }
}

import CLI
import Testing

private func run(_ words: String...) throws -> Invocation {
  let parsed = try Parser(sample).parse(words)
  guard case .run(let invocation) = parsed else {
    Issue.record("\(words) is no command to run: \(parsed)")
    return Invocation(path: [])
  }
  return invocation
}

private func help(_ words: String...) throws -> [String]? {
  guard case .help(let path) = try Parser(sample).parse(words) else { return nil }
  return path
}

@Suite struct `Words of a command line` {
  @Test func `options and operands mix`() throws {
    let one = try run("token", "--min-valid", "5m", "acme", "--format=json", "-q")
    #expect(one.path == ["token"])
    #expect(one.operands == ["acme"])
    #expect(one.value("min-valid") == "5m")
    #expect(one.value("format") == "json")
    #expect(one.has("quiet"))
    #expect(!one.has("verbose"))
    #expect(one.operand(0) == "acme")
    #expect(one.operand(1) == nil)
  }

  @Test func `global options may precede the command`() throws {
    let one = try run("-v", "--cacert", "ca.pem", "token", "acme")
    #expect(one.path == ["token"])
    #expect(one.has("verbose"))
    #expect(one.value("cacert") == "ca.pem")
  }

  @Test(
    arguments: [
      (["-qv"], nil), (["-qfjson"], "json"), (["-qf", "json"], "json"), (["-fraw", "-fjson"], "json"),
      (["--format=raw", "-f", "header"], "header"), (["--format", "a:b"], "a:b"),
    ] as [([String], String?)])
  func `short options cluster, and the last one wins`(words: [String], format: String?) throws {
    guard case .run(let one) = try Parser(sample).parse(["token", "acme"] + words) else {
      Issue.record("not run")
      return
    }
    #expect(one.value("format") == format)
    #expect(one.values("format").count == (format == nil ? 0 : 1))
  }

  @Test func `a repeatable option keeps all values in order`() throws {
    let one = try run("token", "acme", "--scope", "a", "-q", "--scope=b", "--scope", "a")
    #expect(one.values("scope") == ["a", "b", "a"])
    #expect(one.value("scope") == "a")
  }

  @Test func `an equals sign may be followed by nothing or by more of them`() throws {
    #expect(try run("token", "acme", "--min-valid=").value("min-valid") == "")
    #expect(try run("token", "acme", "--min-valid=a=b").value("min-valid") == "a=b")
    #expect(try run("token", "acme", "--min-valid", "").value("min-valid") == "")
  }

  @Test func `a combining mark after an equals sign does not hide it`() throws {
    #expect(try run("token", "acme", "--min-valid=\u{301}x").value("min-valid") == "\u{301}x")
  }

  @Test func `two dashes end the options, and one is a word`() throws {
    #expect(try run("token", "--", "--format").operands == ["--format"])
    #expect(try run("import", "-", "-k", "-").operands == ["-"])
    #expect(try run("import", "-", "-k", "-").value("key-file") == "-")
    #expect(try run("--", "token", "acme").path == ["token"])
    #expect(try run("revoke", "a", "--", "--", "b").operands == ["a", "--", "b"])
  }

  @Test func `a value may look like an option that is not known`() throws {
    #expect(try run("token", "acme", "--min-valid", "-5").value("min-valid") == "-5")
    #expect(try run("token", "acme", "--min-valid", "--nope").value("min-valid") == "--nope")
    #expect(try run("token", "acme", "--min-valid=--quiet").value("min-valid") == "--quiet")
  }

  @Test func `another program's words are left alone`() throws {
    let one = try run("exec", "-e", "T", "acme", "--", "curl", "-v", "--", "-q")
    #expect(one.operands == ["acme", "curl", "-v", "--", "-q"])
    #expect(!one.has("verbose"))
    let two = try run("exec", "acme", "curl", "-v", "--env", "x", "--help")
    #expect(two.operands == ["acme", "curl", "-v", "--env", "x", "--help"])
    #expect(!two.has("env"))
  }

  @Test func `aliases are resolved`() throws {
    #expect(try run("logout", "acme").path == ["revoke"])
    #expect(try help("signout", "--help") == ["revoke"])
  }

  @Test func `hidden commands run`() throws {
    #expect(try run("__complete", "accounts").path == ["__complete"])
  }
}

@Suite struct `Groups of commands` {
  @Test func `the default subcommand takes options`() throws {
    #expect(try run("providers").path == ["providers", "list"])
    let one = try run("providers", "--json", "--user-only")
    #expect(one.path == ["providers", "list"])
    #expect(one.has("json") && one.has("user-only"))
  }

  @Test func `an option before the subcommand counts if the subcommand has it`() throws {
    #expect(try run("providers", "-j", "list", "x").has("json"))
    #expect(try run("providers", "--user-only", "show", "x").has("user-only"))
    #expect(throws: UsageError.self) { try run("providers", "--json", "show", "x") }
  }
}

@Suite struct `Asking for help` {
  @Test(
    arguments: [
      (["--help"], []), (["-h"], []), (["help"], []), (["help", "token"], ["token"]), (["help", "help"], ["help"]),
      (["token", "--help"], ["token"]), (["--help", "token"], ["token"]), (["token", "-qh"], ["token"]),
      (["token", "a", "b", "c", "--help"], ["token"]), (["token", "--bogus", "--help"], ["token"]),
      (["token", "--format", "--help"], ["token"]), (["token", "--format=no", "-h"], ["token"]),
      (["help", "providers", "add"], ["providers", "add"]), (["providers", "help", "add"], ["providers", "add"]),
      (["providers", "--help"], ["providers"]), (["providers", "help"], ["providers"]),
      (["help", "logout"], ["revoke"]),
      (["--bogus", "--help"], []), (["help", "token", "acme"], ["token"]), (["-q", "help", "-v"], []),
      (["help", "--help"], []),
    ] as [([String], [String])])
  func `help wins`(words: [String], path: [String]) throws {
    guard case .help(let found) = try Parser(sample).parse(words) else {
      Issue.record("no help")
      return
    }
    #expect(found == path)
  }

  @Test func `an unknown command is told rather than explained`() {
    #expect(throws: UsageError.self) { try help("tokn", "--help") }
    #expect(throws: UsageError.self) { try help("help", "tokn") }
  }

  @Test(arguments: [
    ["help", "--bogus"], ["help", "--json"], ["--bogus", "help"], ["help", "token", "--no-refresh"],
    ["help", "token", "--format", "json"], ["help", "token", "--bogus"], ["providers", "help", "--bogus"],
    ["help", "--format"],
  ]) func `the command help takes no option of another`(words: [String]) {
    let error = #expect(throws: UsageError.self) { try Parser(sample).parse(words) }
    #expect(error?.message.contains("unknown option") == true)
  }

  @Test(arguments: [["--version"], ["-V"], ["-qV"], ["--version", "nonsense", "--nonsense"]])
  func `the version is told before the command word`(words: [String]) throws {
    guard case .version = try Parser(sample).parse(words) else {
      Issue.record("no version")
      return
    }
  }

  @Test func `the version is not told after the command word`() {
    #expect(throws: UsageError.self) { try run("token", "acme", "--version") }
  }
}

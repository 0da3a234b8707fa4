import CLI
import Testing

/// A command line that is wrong, and what is said about it.
struct Mistake: Sendable, CustomTestStringConvertible {
  let id: String
  let words: [String]
  let message: String
  let hint: String

  init(_ id: String, _ words: [String], _ message: String, _ hint: String) {
    self.id = id
    self.words = words
    self.message = message
    self.hint = hint
  }

  var testDescription: String { id }

  static let all = [
    Mistake(
      "no-command", [], "a command is missing",
      "one of token, revoke, import, exec, providers, schedule, git-credential, help; see 'tokctl --help'"),
    Mistake(
      "only-options", ["-q", "--"], "a command is missing",
      "one of token, revoke, import, exec, providers, schedule, git-credential, help; see 'tokctl --help'"),
    Mistake("command-near", ["tokne"], "unknown command 'tokne'", "did you mean 'tokctl token'?"),
    Mistake("command-beginning", ["tok"], "unknown command 'tok'", "did you mean 'tokctl token'?"),
    Mistake("command-far", ["frobnicate"], "unknown command 'frobnicate'", "see 'tokctl --help'"),
    Mistake("command-alias", ["lgout", "x"], "unknown command 'lgout'", "did you mean 'tokctl logout'?"),
    Mistake("command-hidden", ["__complet"], "unknown command '__complet'", "see 'tokctl --help'"),
    Mistake("command-empty", [""], "unknown command ''", "see 'tokctl --help'"),
    Mistake(
      "subcommand-near", ["providers", "shwo", "x"], "unknown command 'shwo' for 'tokctl providers'",
      "did you mean 'tokctl providers show'?"),
    Mistake(
      "default-takes-no-operand", ["providers", "acme"], "unknown command 'acme' for 'tokctl providers'",
      "see 'tokctl providers --help'"),
    Mistake(
      "no-subcommand", ["schedule"], "a subcommand is missing for 'tokctl schedule'",
      "one of enable, disable; see 'tokctl schedule --help'"),
    Mistake(
      "option-near", ["token", "--min-vlid", "5m"], "unknown option '--min-vlid' for 'tokctl token'",
      "did you mean '--min-valid'?"),
    Mistake(
      "option-beginning", ["token", "--min=5m"], "unknown option '--min' for 'tokctl token'",
      "did you mean '--min-valid'?"),
    Mistake(
      "option-far", ["token", "--client-secret=hunter2"], "unknown option '--client-secret' for 'tokctl token'",
      "see 'tokctl token --help'"),
    Mistake(
      "option-one-dash", ["token", "-min-valid=5m"], "unknown option '-min-valid' for 'tokctl token'",
      "did you mean '--min-valid'?"),
    Mistake(
      "choice-one-dash", ["token", "-format"], "'ormat' is no value for -f", "one of raw, json, header, a:b"),
    Mistake(
      "option-short", ["token", "-qz", "acme"], "unknown option '-z' for 'tokctl token'", "see 'tokctl token --help'"),
    Mistake(
      "option-misplaced", ["--json", "providers", "list"], "unknown option '--json' for 'tokctl'",
      "put it after the command: 'tokctl providers list --json'"),
    Mistake(
      "option-of-default-only", ["providers", "--json", "show", "x"],
      "unknown option '--json' for 'tokctl providers show'", "see 'tokctl providers show --help'"),
    Mistake(
      "option-empty-name", ["token", "--=x"], "unknown option '--' for 'tokctl token'", "see 'tokctl token --help'"),
    Mistake(
      "value-missing", ["token", "acme", "--min-valid"], "option '--min-valid' needs a value, DURATION",
      "see 'tokctl token --help'"),
    Mistake(
      "value-is-option", ["token", "acme", "--min-valid", "--quiet"],
      "option '--min-valid' needs a value, DURATION, but '--quiet' follows",
      "if that is the value, write '--min-valid=--quiet'; see 'tokctl token --help'"),
    Mistake(
      "value-is-cluster", ["token", "acme", "-f", "-qv"], "option '-f' needs a value, FORMAT, but '-qv' follows",
      "see 'tokctl token --help'"),
    Mistake(
      "value-is-dashes", ["exec", "acme", "--env", "--", "env"],
      "option '--env' needs a value, NAME, but '--' follows",
      "if that is the value, write '--env=--'; see 'tokctl exec --help'"),
    Mistake(
      "value-unexpected", ["token", "acme", "--quiet=hunter2"], "option '--quiet' takes no value",
      "see 'tokctl token --help'"),
    Mistake(
      "choice-near", ["token", "acme", "--format", "jsn"], "'jsn' is no value for --format",
      "did you mean 'json'? one of raw, json, header, a:b"),
    Mistake(
      "choice-operand", ["git-credential", "gte"], "'gte' is no value for get|store|erase",
      "did you mean 'get'? one of get, store, erase"),
    Mistake(
      "operand-missing", ["token"], "PROVIDER[/ACCOUNT] is missing for 'tokctl token'",
      "usage: tokctl token [OPTION]... PROVIDER[/ACCOUNT]; see 'tokctl token --help'"),
    Mistake(
      "operand-missing-second", ["exec", "acme", "--"], "CMD is missing for 'tokctl exec'",
      "usage: tokctl exec [OPTION]... PROVIDER[/ACCOUNT] -- CMD...; see 'tokctl exec --help'"),
    Mistake(
      "operand-missing-repeated", ["logout"], "PROVIDER[/ACCOUNT] is missing for 'tokctl revoke'",
      "usage: tokctl revoke [OPTION]... PROVIDER[/ACCOUNT]...; see 'tokctl revoke --help'"),
    Mistake(
      "operand-unexpected", ["import", "a", "b", "c"], "unexpected argument 'c' for 'tokctl import'",
      "usage: tokctl import [OPTION]... FILE [DIRECTORY]; see 'tokctl import --help'"),
    Mistake(
      "first-error-wins", ["token", "--bogus", "--nope", "a", "b"], "unknown option '--bogus' for 'tokctl token'",
      "see 'tokctl token --help'"),
    Mistake(
      "control-characters", ["tok\u{1b}[31m\n\u{85}\u{202e}é"],
      "unknown command 'tok\\x1b[31m\\n\\u{85}\\u{202e}é'", "see 'tokctl --help'"),
    Mistake(
      "long-word", [String(repeating: "x", count: 5000)],
      "unknown command '" + String(repeating: "x", count: 100) + "...'", "see 'tokctl --help'"),
  ]
}

@Suite struct `Mistakes on the command line` {
  @Test(arguments: Mistake.all)
  func `each is named, and answered with what helps`(mistake: Mistake) {
    let error = #expect(throws: UsageError.self) { try Parser(sample).parse(mistake.words) }
    #expect(error?.message == mistake.message)
    #expect(error?.hint == mistake.hint)
  }

  @Test func `the problem can be told apart by programs`() {
    #expect(throws: UsageError.self) { try Parser(sample).parse(["token", "--min-vlid"]) }
    do {
      _ = try Parser(sample).parse(["token", "--min-vlid"])
    } catch {
      #expect(error.problem == .unknownOption("--min-vlid", suggestion: "--min-valid"))
      #expect(error.commandPath == ["token"])
      #expect(error.program == "tokctl")
    }
  }
}

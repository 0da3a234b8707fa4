import CLI
import Foundation
import Testing

/// A line typed so far, and what each of the three shells makes of it.
struct Typed: Sendable {
  let id: String
  let line: String
  /// What can stand for the last word; nil when one tab finishes it.
  let offered: [String]?
  /// The last word after a tab, when one tab finishes it.
  let finished: String?

  init(_ id: String, _ line: String, offers offered: [String]) {
    (self.id, self.line, self.offered, self.finished) = (id, line, offered.sorted(), nil)
  }

  init(_ id: String, _ line: String, becomes finished: String) {
    (self.id, self.line, self.offered, self.finished) = (id, line, nil, finished)
  }

  static let commands = [
    "exec", "git-credential", "help", "import", "logout", "providers", "revoke", "schedule", "signout", "token",
  ]
  static let accounts = ["acme", "acme/work", "beta@example.com/x"]

  static let all = [
    Typed("commands", "tokctl ", offers: commands),
    Typed("command", "tokctl tok", becomes: "token"),
    Typed("command-after-options", "tokctl -q --cacert x tok", becomes: "token"),
    Typed("command-after-dashes", "tokctl -- tok", becomes: "token"),
    Typed("alias", "tokctl logou", becomes: "logout"),
    Typed("no-hidden", "tokctl __comp", offers: []),
    Typed("unknown-command", "tokctl bogus ", offers: []),
    Typed("subcommands", "tokctl providers ", offers: ["add", "list", "show"]),
    Typed("subcommand-after-option", "tokctl providers --json s", becomes: "show"),
    Typed("help-commands", "tokctl help ", offers: commands),
    Typed("help-subcommands", "tokctl help providers ", offers: ["add", "list", "show"]),
    Typed("help-leaf", "tokctl help token ", offers: []),
    Typed("help-in-group", "tokctl providers help ", offers: ["add", "list", "show"]),

    Typed("root-options", "tokctl --", offers: ["--cacert", "--help", "--quiet", "--verbose", "--version"]),
    Typed(
      "options", "tokctl token --",
      offers: [
        "--cacert", "--format", "--help", "--min-valid", "--no-refresh", "--quiet", "--scope", "--verbose",
      ]),
    Typed(
      "default-options", "tokctl providers --",
      offers: ["--cacert", "--help", "--json", "--quiet", "--user-only", "--verbose"]),
    Typed("group-option", "tokctl providers show --us", becomes: "--user-only"),
    Typed("option-after-operand", "tokctl token acme --no-", becomes: "--no-refresh"),
    Typed("not-again", "tokctl token -f raw --fo", offers: []),
    Typed("not-again-before-command", "tokctl -q token --qu", offers: []),
    Typed("not-again-in-cluster", "tokctl token -vq --qu", offers: []),
    Typed("again", "tokctl token --scope read --sc", becomes: "--scope"),
    Typed("no-option-after-dashes", "tokctl token -- --fo", offers: []),

    Typed("choices", "tokctl token --format ", offers: ["a:b", "header", "json", "raw"]),
    Typed("choice", "tokctl token --format js", becomes: "json"),
    Typed("choice-short", "tokctl token -f js", becomes: "json"),
    Typed("choice-joined", "tokctl token --format=js", becomes: "--format=json"),
    Typed("choice-joined-short", "tokctl token -fjs", becomes: "-fjson"),
    Typed("choice-in-cluster", "tokctl token -qf js", becomes: "json"),
    Typed("choice-with-colon", "tokctl token --format=a:", becomes: "--format=a:b"),
    Typed("choice-quoted", "tokctl token --format \"js", becomes: "json"),
    Typed("choice-suggested", "tokctl import --level ", offers: ["1", "9"]),
    Typed("choice-operand", "tokctl git-credential ", offers: ["erase", "get", "store"]),
    Typed("value-unknown", "tokctl token --min-valid ", offers: []),
    Typed("value-not-a-command", "tokctl --cacert token tok", becomes: "token"),

    Typed("dynamic", "tokctl token ", offers: accounts),
    Typed("dynamic-slash", "tokctl token acme/", becomes: "acme/work"),
    Typed("dynamic-at", "tokctl token beta@exam", becomes: "beta@example.com/x"),
    Typed("dynamic-url", "tokctl providers show https://i", becomes: "https://id.example.com/one"),
    Typed("dynamic-quoted", "tokctl token 'acme/w", becomes: "acme/work"),
    Typed("dynamic-alias", "tokctl logout bet", becomes: "beta@example.com/x"),
    Typed("dynamic-repeated", "tokctl revoke acme be", becomes: "beta@example.com/x"),
    Typed("dynamic-only-once", "tokctl token acme ac", offers: []),
    Typed("dynamic-after-dashes", "tokctl token -- be", becomes: "beta@example.com/x"),
    Typed("dynamic-joined", "tokctl token --scope=wr", becomes: "--scope=write"),

    Typed("file", "tokctl import on", becomes: "one.txt"),
    Typed("file-with-space", "tokctl import tw", becomes: "two words"),
    Typed("file-of-option", "tokctl import --key-file on", becomes: "one.txt"),
    Typed("file-joined", "tokctl import --key-file=on", becomes: "--key-file=one.txt"),
    Typed("file-of-global-option", "tokctl token --cacert on", becomes: "one.txt"),
    Typed("file-with-colon", "tokctl import a:", becomes: "a:b=c"),
    Typed("directory", "tokctl import one.txt subt", becomes: "subtle"),
    Typed("directory-joined", "tokctl import --into=subt", becomes: "--into=subtle"),
    Typed("no-file", "tokctl providers add on", offers: []),
    Typed("other-command", "tokctl exec acme -- tokc", becomes: "tokctl"),
    Typed("other-command-bare", "tokctl exec acme tokc", becomes: "tokctl"),
    Typed("other-command-file", "tokctl exec acme -- cat on", becomes: "one.txt"),
    Typed("other-command-option", "tokctl exec acme tokctl --en", offers: []),
  ]
}

@Suite(.serialized) struct `Completion in a real shell` {
  @Test(arguments: [[], ["COMP_WORDBREAKS=${COMP_WORDBREAKS//[=:@]/}"]])
  func `bash`(wordBreaks: [String]) throws {
    let harness = try ShellHarness(sample)
    try check(
      harness,
      setup: [
        "bash --norc --noprofile -i", "PS1='> '; bind 'set bell-style none'; bind '\"\\C-o\": insert-completions'",
        "source $ROOT/tokctl.bash",
      ] + wordBreaks)
  }

  @Test func `zsh`() throws {
    let harness = try ShellHarness(sample)
    try check(
      harness,
      setup: [
        "zsh -f -i", "PS1='> '; unset zle_bracketed_paste; setopt no_beep; LISTMAX=10000",
        "fpath=($ROOT $fpath); autoload -U compinit; compinit -u -D",
        "zle -C all-matches complete-word _generic; bindkey '^O' all-matches",
        "zstyle ':completion:all-matches::::' completer _all_matches _complete",
        "zstyle ':completion:all-matches:*' insert true",
      ])
  }

  @Test func `zsh shows descriptions`() throws {
    let harness = try ShellHarness(sample)
    _ = try harness.type(
      [("T", "tokctl "), ("T", "tokctl token acme"), ("T", "tokctl token --")],
      setup: [
        "zsh -f -i", "PS1='> '; unset zle_bracketed_paste; LISTMAX=10000; setopt no_always_last_prompt",
        "fpath=($ROOT $fpath); autoload -U compinit; compinit -u -D",
      ])
    let shown = try harness.read("terminal")
    for text in ["-- print a valid token", "-- at work: [busy]", "-- never talk to the server [offline: really]"] {
      #expect(shown.contains(text))
    }
  }

  @Test func `fish`() throws {
    let harness = try ShellHarness(sample)
    try harness.write(
      """
      source $ROOT/tokctl.fish
      cd $ROOT/files
      while read -l line
          set -l found (complete -C "$line")
          echo (string join \\x01 -- $found)
      end
      """, to: "driver.fish")
    // Fish has its own way with files: it goes on after a colon as after an equals sign.
    let all = Typed.all.filter { $0.id != "file-with-colon" }
    let lines = all.map(\.line)
    let result = try harness.run(
      ["fish", "--no-config", "driver.fish"], input: lines.joined(separator: "\n") + "\n")
    let answers = result.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    try #require(answers.count == lines.count, "\(result.output)")
    for (typed, answer) in zip(all, answers) {
      let found = answer.split(separator: "\u{1}").map { withoutSlash($0.prefix { $0 != "\t" }) }.sorted()
      #expect(found == typed.offered ?? typed.finished.map { [$0] }, "\(typed.id)")
    }
    #expect(result.output.contains("acme/work\tat work: [busy]"))
    #expect(result.output.contains("--no-refresh\tnever talk to the server [offline: really], it's \"cheap\""))
    try checkAsked(harness)
  }

  @Test func `shellcheck finds no fault with the script for bash`() throws {
    let harness = try ShellHarness(sample)
    let result = try harness.run(["shellcheck", "--shell=bash", "--severity=style", "tokctl.bash"])
    #expect(result.output == "")
    #expect(result.status == 0)
  }

  private func check(_ harness: ShellHarness, setup: [String]) throws {
    let lines = Typed.all.map { (key: $0.offered == nil ? "T" : "A", line: $0.line) }
    let runs = try harness.type(lines, setup: setup)
    try #require(runs.count == lines.count)
    for (typed, words) in zip(Typed.all, runs) {
      if let finished = typed.finished {
        #expect(words.last.map(withoutSlash) == finished, "\(typed.id)")
        continue
      }
      // The words before the last one stay; the last one is replaced by all that is offered, or stays when nothing is.
      let parts = typed.line.split(separator: " ", omittingEmptySubsequences: false).dropFirst().map(String.init)
      let unchanged = parts.last == "" ? [] : [parts[parts.count - 1]]
      let expected = typed.offered.map { $0.isEmpty ? unchanged : $0 }
      #expect(words.dropFirst(parts.count - 1).sorted() == expected, "\(typed.id)")
    }
    try checkAsked(harness)
  }

  /// Some shells leave the slash behind a directory, some take it away once the line goes on.
  private func withoutSlash(_ word: some StringProtocol) -> String {
    String(word.hasSuffix("/") ? word.dropLast() : word[...])
  }

  /// The program was asked for kinds of the table only, and nothing it answered was run.
  private func checkAsked(_ harness: ShellHarness) throws {
    let kinds = try Set(harness.read("kinds").split(separator: "\n"))
    #expect(kinds == ["accounts", "providers", "scopes"])
    #expect(!FileManager.default.fileExists(atPath: harness.directory.path + "/pwned"))
  }
}

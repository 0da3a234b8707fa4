import CLI
import Testing

@Suite struct `Help pages` {
  @Test func `the program's page lists the commands that are not hidden`() {
    #expect(
      HelpPage.render(sample, path: []) == """
        tokctl - keep tokens fresh

        Usage: tokctl [OPTION]... COMMAND [ARGUMENT]...

        The tokctl program keeps tokens. It is a sample, so it keeps none.

        It has a second paragraph. A line may begin with a dot: .TH is harmless, and so
        is a \\fBbackslash\\fR.

        Commands:
          token           print a valid token
          revoke          revoke tokens and forget them
          import          read a backup
          exec            run a command with a token
          providers       list and change the catalogue
          schedule        refresh on a timer
          git-credential  answer git
          help            explain the program or one of its commands

        Options:
          -V, --version  print the version

        Global options:
          -q, --quiet        say nothing
          -v, --verbose      say more
              --cacert FILE  trust this CA too
          -h, --help         show this help

        Examples:
          tokctl import ~/backup && tokctl token acme
              moves in

        'tokctl help COMMAND' tells more about one of them.

        """)
  }

  @Test func `a command's page explains operands and options, and shows examples`() {
    #expect(
      HelpPage.render(sample, path: ["token"]) == """
        tokctl token - print a valid token

        Usage: tokctl token [OPTION]... PROVIDER[/ACCOUNT]

        Prints one line. It refreshes first if need be.

        .Fl in the text is text, "quotes" are quotes.

        Arguments:
          PROVIDER[/ACCOUNT]  whose token

        Options:
              --min-valid DURATION  refresh when it expires within this time; 60s if not
                                    given
          -f, --format FORMAT       what to print: raw, json, header, a:b
              --scope SCOPE         ask for this scope; may be repeated
              --no-refresh          never talk to the server [offline: really], it's
                                    "cheap" & $HOME `safe`

        Global options:
          -q, --quiet        say nothing
          -v, --verbose      say more
              --cacert FILE  trust this CA too
          -h, --help         show this help

        Examples:
          tokctl token acme/work
              prints the token of an account
          curl -H "$(tokctl token acme --format header)" 'https://example.com/~a/b?q=\\n'
              sends a request with it

        """)
  }

  @Test func `a group's page names the default, whose options it takes`() {
    let page = HelpPage.render(sample, path: ["providers"])
    #expect(page.contains("Usage: tokctl providers [OPTION]... [COMMAND] [ARGUMENT]...\n"))
    #expect(page.contains("  list  list the providers (the default)\n  show  print a provider's file\n"))
    #expect(page.contains("      --user-only  only one's own\n  -j, --json       print JSON\n"))
  }

  @Test func `aliases, shared options and another program's words are shown`() {
    #expect(HelpPage.render(sample, path: ["revoke"]).contains("Also: tokctl logout, tokctl signout\n"))
    #expect(HelpPage.render(sample, path: ["revoke"]).contains("[OPTION]... PROVIDER[/ACCOUNT]...\n"))
    #expect(HelpPage.render(sample, path: ["providers", "add"]).contains("--user-only"))
    #expect(HelpPage.render(sample, path: ["exec"]).contains("[OPTION]... PROVIDER[/ACCOUNT] -- CMD...\n"))
    #expect(HelpPage.render(sample, path: ["import"]).contains("[OPTION]... FILE [DIRECTORY]\n"))
  }

  @Test func `options under headings of their own come in the order of those`() {
    let options = [
      OptionSpec("a", help: "one").under("First"), OptionSpec("b", help: "two").under("Second"),
      OptionSpec("c", help: "three").under("First"), OptionSpec("d", help: "four"),
    ]
    let program = ProgramSpec(
      name: "p", version: "1", date: "May 1, 2026", summary: "try",
      commands: [CommandSpec(name: "c", summary: "x", options: options)])
    let page = HelpPage.render(program, path: ["c"])
    #expect(
      page.contains(
        "First:\n      --a  one\n      --c  three\n\nSecond:\n      --b  two\n\nOptions:\n      --d  four\n"))
  }

  @Test func `an unknown path gives the program's page`() {
    #expect(HelpPage.render(sample, path: ["nope"]) == HelpPage.render(sample, path: []))
  }

  @Test(arguments: [40, 60, 80, 132])
  func `no line but an example is wider than the page`(width: Int) {
    func paths(_ commands: [CommandSpec], _ path: [String]) -> [[String]] {
      commands.flatMap { [path + [$0.name]] + paths($0.subcommands, path + [$0.name]) }
    }
    for path in [[]] + paths(sample.commands, []) {
      let examples = sample.command(at: path)?.examples ?? sample.examples
      for line in HelpPage.render(sample, path: path, width: width).split(separator: "\n") {
        let fits = line.count <= width || examples.contains { line == "  " + $0.command }
        #expect(fits && !line.hasSuffix(" "), "\(path): \(line)")
      }
    }
  }

  @Test func `a word wider than the page is broken, and a narrow page is no trap`() {
    let wide = ProgramSpec(
      name: "p", version: "1", date: "May 1, 2026", summary: String(repeating: "s", count: 200),
      commands: [
        CommandSpec(
          name: "c", summary: "x",
          options: [
            OptionSpec(
              "option", value: .required(placeholder: String(repeating: "P", count: 90), completion: .none), help: "x")
          ])
      ])
    for path in [[], ["c"]] {
      for width in [-1, 0, 1, 40, 80] {
        let lines = HelpPage.render(wide, path: path, width: width).split(separator: "\n")
        #expect(lines.allSatisfy { $0.count <= max(width, 40) })
      }
    }
  }
}

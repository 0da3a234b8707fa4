import CLI
import Foundation
import Testing

private func page(_ program: ProgramSpec, _ body: (URL) throws -> Void) throws {
  let directory = FileManager.default.temporaryDirectory.appendingPathComponent("cli-tests-" + UUID().uuidString)
  try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: directory) }
  try Data(ManPage.render(program).utf8).write(to: directory.appendingPathComponent("page.1"))
  try body(directory)
}

/// What mandoc's checker says of a page, but for what it says of the machine: that another page is not installed there.
private func complaints(_ program: ProgramSpec) throws -> [Substring] {
  var complaints: [Substring] = []
  try page(program) { directory in
    let result = try run(["mandoc", "-Tlint", "-Wall", "page.1"], in: directory)
    #expect(result.status <= 2)
    complaints = result.output.split(separator: "\n").filter {
      !$0.contains("referenced manual not found") && !$0.contains("outdated mandoc.db")
    }
  }
  return complaints
}

/// The page as a terminal shows it, without bold and underlined letters, white space made one space.
private func shown(_ program: ProgramSpec) throws -> String {
  var text = ""
  try page(program) { directory in
    let result = try run(["mandoc", "-Tutf8", "-Owidth=78", "page.1"], in: directory)
    #expect(result.status == 0)
    var letters: [Unicode.Scalar] = []
    for scalar in result.output.unicodeScalars {
      if scalar == "\u{8}" { _ = letters.popLast() } else { letters.append(scalar) }
    }
    text.unicodeScalars.append(contentsOf: letters)
  }
  return text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
}

@Suite struct `The man page` {
  @Test func `mandoc finds no fault with it`() throws {
    let found = try complaints(sample)
    #expect(found == [])
  }

  @Test func `mandoc would find one`() throws {
    let faulty = ProgramSpec(name: "p", version: "1", date: "yesterday", summary: "try", commands: [])
    #expect(try complaints(faulty).count == 1)
  }

  @Test(arguments: [
    ".", "'", "\\", "\"", "-", "--", "|", "%A", "Ar", "Xr", "D1", "Brq", "...", ".Sh NAME", "'in quotes'",
    "e.g. this. That",
    "na\u{ef}ve \u{2014} \u{1F600}", "~/x `y` ^z", "\\fBbold\\fR \\n \\&", "a  b", "\" \"", "(x.) y", "[x]", "\t",
    "x\ty", "#", "a\\",
    ".\\\" comment", "\\\" comment", String(repeating: "word ", count: 60),
  ])
  func `whatever the table holds is shown as it is`(text: String) throws {
    let program = ProgramSpec(
      name: "p", version: "1", date: "May 1, 2026", summary: "try \(text)", description: [text, "x \(text)"],
      commands: [
        CommandSpec(
          name: "c", summary: "begin \(text)", discussion: "\(text)\n\nmiddle \(text) end",
          operands: [OperandSpec(text, arity: .required, help: text)],
          options: [OptionSpec("o", value: .required(placeholder: text, completion: .none), help: "help \(text)")],
          examples: [Example("p c \(text) x", "explain \(text)")])
      ],
      exitCodes: [ExitStatus(1, text)], environment: [(text, "variable \(text)")], files: [(text, "file \(text)")])
    let found = try complaints(program)
    #expect(found == [])
    let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let shown = try shown(program)
    for start in ["p \u{2013} try ", "Begin ", "middle ", "elp ", "p c ", "xplain ", "ariable ", "ile "] {
      #expect(shown.contains(start + words), "\(start)")
    }
  }

  @Test func `it has its sections in order, and hides what is hidden`() throws {
    let sections = ManPage.render(sample).split(separator: "\n").filter { $0.hasPrefix(".Sh ") }.map { $0.dropFirst(4) }
    #expect(
      sections == [
        "NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "GLOBAL OPTIONS", "ENVIRONMENT", "FILES", "EXIT STATUS",
        "EXAMPLES", "SEE ALSO",
      ])
    #expect(!ManPage.render(sample).contains("__complete"))
  }

  @Test func `a command has its usage, options and examples`() {
    let wanted = #"""
      .Ss token
      .Dl tokctl token [OPTION]... PROVIDER[/ACCOUNT]
      .Pp
      Print a valid token.
      .Pp
      Prints one line.
      It refreshes first if need be.
      .Pp
      \&.Fl in the text is text, "quotes" are quotes.
      .Bl -tag -width Ds
      .It Ar PROVIDER[/ACCOUNT]
      Whose token.
      .It Fl \-min\-valid Ar DURATION
      Refresh when it expires within this time; 60s if not given.
      .It Fl f , Fl \-format Ar FORMAT
      What to print: raw, json, header, a:b.
      .It Fl \-scope Ar SCOPE
      Ask for this scope; may be repeated.
      .It Fl \-no\-refresh
      Never talk to the server [offline: really], it's "cheap" & $HOME \(gasafe\(ga.
      .El
      .Pp
      Prints the token of an account.
      .Bd -literal -offset indent
      tokctl token acme/work
      .Ed
      .Pp
      Sends a request with it.
      .Bd -literal -offset indent
      curl \-H \(dq$(tokctl token acme \-\-format header)\(dq \(aqhttps://example.com/\(tia/b?q=\en\(aq
      .Ed
      .Ss revoke

      """#
    #expect(ManPage.render(sample).contains(wanted))
  }

  @Test func `what commands print in JSON is a section of its own`() throws {
    let shapes = [
      JSONShape(
        "list, ls --all", "A list. Of objects.", [.init("a.b_c", "integer, seconds", "how long; absent without")]),
      JSONShape("show", "See p(5).", []),
    ]
    let text = ManPage.render(sample, json: shapes)
    #expect(
      text.contains(
        #"""
        .Ss list, ls \-\-all
        A list.
        Of objects.
        .Bl -tag -width Ds
        .It Cm a.b_c
        Integer, seconds; how long; absent without.
        .El
        .Ss show
        See p(5).
        .Sh ENVIRONMENT
        """#))
    #expect(text.split(separator: "\n").filter { $0 == ".Sh JSON" }.count == 1)
    #expect(!ManPage.render(sample).contains(".Sh JSON"))
  }

  @Test func `other pages are sorted as mdoc wants it`() {
    #expect(
      ManPage.render(sample).hasSuffix(
        ".Sh SEE ALSO\n.Xr ls 1 ,\n.Xr passwd 5 ,\n.Lk https://www.rfc\\-editor.org/rfc/rfc6749\n"))
  }
}

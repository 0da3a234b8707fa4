/// The man page, in the language of mdoc(7).
public struct ManPage {
  private let program: ProgramSpec
  private var lines: [String] = []

  /// Gives the source of the whole page; `mandoc -Tlint` has nothing to say about it.
  ///
  /// - Parameter json: what the commands print with `--json`.
  public static func render(_ program: ProgramSpec, json: [JSONShape] = []) -> String {
    var page = ManPage(program: program)
    page.head()
    page.section("COMMANDS") { page in
      for command in program.commands { page.command(command, at: [command.name]) }
    }
    page.section("GLOBAL OPTIONS") { page in
      page.text("Every command takes these, before or after its name.")
      page.list(program.globalOptions.map(\.entry))
      page.text("Without a command there is also")
      page.list([ProgramSpec.versionOption.entry])
    }
    page.section("JSON", if: !json.isEmpty) { $0.shapes(json) }
    page.section("ENVIRONMENT", if: !program.environment.isEmpty) { page in
      page.list(program.environment.map { ("Ev " + Mdoc.argument($0.name), $0.meaning) })
    }
    page.section("FILES", if: !program.files.isEmpty) { page in
      page.list(program.files.map { ("Pa " + Mdoc.argument($0.path), $0.meaning) })
    }
    page.section("EXIT STATUS", if: !program.exitCodes.isEmpty) { page in
      page.list(program.exitCodes.map { ("\($0.code)", $0.meaning) })
    }
    page.section("EXAMPLES", if: !program.examples.isEmpty) { page in
      page.examples(program.examples)
    }
    page.section("SEE ALSO", if: !program.seeAlso.isEmpty) { $0.references() }
    return page.lines.joined(separator: "\n") + "\n"
  }

  private init(program: ProgramSpec) {
    self.program = program
  }

  private mutating func head() {
    let name = Mdoc.argument(program.name)
    lines += [
      ".\\\" Generated from the command table: change that, not this.",
      ".Dd \(program.date)", ".Dt \(Mdoc.argument(program.name.uppercased())) 1", ".Os",
      ".Sh NAME", ".Nm \(name)", ".Nd \(Mdoc.title(program.summary))",
      ".Sh SYNOPSIS",
      ".Nm", ".Op Ar OPTION ...", ".Ar COMMAND", ".Op Ar ARGUMENT ...",
      ".Nm", ".Cm help", ".Op Ar COMMAND ...",
      ".Nm", ".Fl \\-version",
      ".Sh DESCRIPTION",
    ]
    if program.description.isEmpty { text(Mdoc.sentence(program.summary)) }
    paragraphs(program.description.flatMap(TextLayout.paragraphs))
  }

  private mutating func section(_ title: String, if wanted: Bool = true, _ body: (inout ManPage) -> Void) {
    guard wanted else { return }
    lines.append(".Sh \(title)")
    body(&self)
  }

  private mutating func command(_ command: CommandSpec, at path: [String]) {
    guard !command.isHidden else { return }
    lines.append(".Ss " + Mdoc.arguments(path.joined(separator: " ")))
    lines.append(".Dl " + Mdoc.arguments(program.usageLine(for: path)))
    lines.append(".Pp")
    text(Mdoc.sentence(command.summary))
    if !command.aliases.isEmpty {
      let names = command.aliases.map { "'" + (path.dropLast() + [$0]).joined(separator: " ") + "'" }
      text("It can also be called \(names.joined(separator: " or ")).")
    }
    if let standIn = command.defaultSubcommand {
      text("Without a subcommand it does what '\((path + [standIn]).joined(separator: " "))' does.")
    }
    for paragraph in TextLayout.paragraphs(command.discussion) {
      lines.append(".Pp")
      text(paragraph)
    }
    list(command.operands.map { ("Ar " + Mdoc.argument($0.placeholder), $0.fullHelp) } + command.options.map(\.entry))
    if !command.examples.isEmpty {
      lines.append(".Pp")
      examples(command.examples)
    }
    for subcommand in command.subcommands { self.command(subcommand, at: path + [subcommand.name]) }
  }

  private mutating func shapes(_ shapes: [JSONShape]) {
    text("With --json a command prints the following; absent keys are left out, and not null.")
    text("Times are in UTC, as 2027-01-15T09:00:00Z.")
    text("Later versions may add keys, and will not change what these mean.")
    for shape in shapes {
      lines.append(".Ss " + Mdoc.arguments(shape.commands))
      text(shape.text)
      list(shape.keys.map { ("Cm " + Mdoc.argument($0.name), "\($0.type); \($0.meaning)") })
    }
  }

  private mutating func paragraphs(_ paragraphs: [String]) {
    for (number, paragraph) in paragraphs.enumerated() {
      if number > 0 { lines.append(".Pp") }
      text(paragraph)
    }
  }

  private mutating func text(_ text: String) {
    lines += Mdoc.text(text)
  }

  /// A list of terms, each the arguments of `.It`.
  private mutating func list(_ entries: [(term: String, meaning: String)]) {
    guard !entries.isEmpty else { return }
    lines.append(".Bl -tag -width Ds")
    for (term, meaning) in entries {
      lines.append(".It " + term)
      text(Mdoc.sentence(meaning))
    }
    lines.append(".El")
  }

  private mutating func examples(_ examples: [Example]) {
    for (number, example) in examples.enumerated() {
      if number > 0 { lines.append(".Pp") }
      text(Mdoc.sentence(example.explanation))
      // Literal, not filled: a command line that is broken cannot be copied.
      lines += [".Bd -literal -offset indent", Mdoc.literal(example.command), ".Ed"]
    }
  }

  /// Pages by section and name, as mdoc wants them, then the rest in the order given.
  private mutating func references() {
    var pages: [(section: String, name: String)] = []
    var others: [String] = []
    for reference in program.seeAlso {
      let parts = reference.split(separator: "(")
      if parts.count == 2, parts[1].hasSuffix(")"), let name = parts.first {
        pages.append((String(parts[1].dropLast()), String(name)))
      } else {
        others.append(reference)
      }
    }
    var entries = pages.sorted { $0 < $1 }.map { "Xr \(Mdoc.argument($0.name)) \($0.section)" }
    entries += others.map { $0.contains("://") ? "Lk " + Mdoc.argument($0) : "No " + Mdoc.arguments($0) }
    for (number, entry) in entries.enumerated() {
      lines.append("." + entry + (number + 1 < entries.count ? " ," : ""))
    }
  }
}

extension OptionSpec {
  /// The option as a list entry: `Fl f , Fl \-format Ar FORMAT`.
  fileprivate var entry: (term: String, meaning: String) {
    let short = short.map { "Fl \(Mdoc.argument(String($0))) , " } ?? ""
    let value = placeholder.map { " Ar " + Mdoc.argument($0) } ?? ""
    return (short + "Fl " + Mdoc.argument("-" + name) + value, fullHelp)
  }
}

/// What `--help` prints.
public struct HelpPage {
  private let program: ProgramSpec
  private let path: [String]
  private let width: Int
  private var lines: [String] = []

  /// Gives the page of a command, or of the program when the path is empty, in lines of at most `width` columns.
  ///
  /// An unknown path gives the program's page.
  public static func render(_ program: ProgramSpec, path: [String], width: Int = 80) -> String {
    let known = program.chain(to: path) == nil ? [] : path
    var page = HelpPage(program: program, path: known, width: max(width, 40))
    page.write()
    return page.lines.joined(separator: "\n") + "\n"
  }

  private init(program: ProgramSpec, path: [String], width: Int) {
    self.program = program
    self.path = path
    self.width = width
  }

  private mutating func write() {
    let command = program.command(at: path)
    let title = ([program.name] + path).joined(separator: " ")
    lines += TextLayout.wrap("\(title) - \(command?.summary ?? program.summary)", width: width)
    lines.append("")
    hang("Usage: ", program.usageLine(for: path))
    if let aliases = command?.aliases, !aliases.isEmpty {
      hang(
        "Also: ",
        aliases.map { ([program.name] + path.dropLast() + [$0]).joined(separator: " ") }.joined(separator: ", "))
    }
    let text = command.map { TextLayout.paragraphs($0.discussion) } ?? program.description
    for paragraph in text {
      lines.append("")
      lines += TextLayout.wrap(paragraph, width: width)
    }
    let commands = (command?.subcommands ?? (path.isEmpty ? program.commands : [])).filter { !$0.isHidden }
    section("Commands", commands.map { ($0.name, $0.summaryAsSubcommand(of: command)) })
    section("Arguments", command?.operands.map { ($0.placeholder, $0.fullHelp) } ?? [])
    for (heading, options) in groups(of: options(of: command)) {
      section(heading, options.map { ($0.term, $0.fullHelp) })
    }
    section("Global options", program.globalOptions.map { ($0.term, $0.fullHelp) })
    examples(command)
    footer(commands)
  }

  private func options(of command: CommandSpec?) -> [OptionSpec] {
    guard let command else { return [ProgramSpec.versionOption] }
    let standIn = command.subcommands.first { $0.name == command.defaultSubcommand }
    return program.ownOptions(at: path) + (standIn?.options ?? [])
  }

  /// The options by their headings, in the order of the first of each.
  private func groups(of options: [OptionSpec]) -> [(heading: String, options: [OptionSpec])] {
    var groups: [(heading: String, options: [OptionSpec])] = []
    for option in options {
      let heading = option.group ?? "Options"
      if let place = groups.firstIndex(where: { $0.heading == heading }) {
        groups[place].options.append(option)
      } else {
        groups.append((heading, [option]))
      }
    }
    return groups
  }

  private mutating func section(_ title: String, _ rows: [(term: String, meaning: String)]) {
    guard !rows.isEmpty else { return }
    lines += ["", title + ":"] + TextLayout.columns(rows, width: width)
  }

  private mutating func hang(_ label: String, _ text: String) {
    let indent = String(repeating: " ", count: label.count)
    for (number, line) in TextLayout.wrap(text, width: width - label.count).enumerated() {
      lines.append((number == 0 ? label : indent) + line)
    }
  }

  private mutating func examples(_ command: CommandSpec?) {
    let examples = command?.examples ?? program.examples
    guard !examples.isEmpty else { return }
    lines += ["", "Examples:"]
    for example in examples {
      // A command line is shown as it is typed, whatever its width: a broken one cannot be copied.
      lines.append("  " + example.command)
      lines += TextLayout.wrap(example.explanation, width: width - 6).map { "      " + $0 }
    }
  }

  private mutating func footer(_ commands: [CommandSpec]) {
    guard !commands.isEmpty else { return }
    let words = ([program.name, "help"] + path + ["COMMAND"]).joined(separator: " ")
    lines.append("")
    lines += TextLayout.wrap("'\(words)' tells more about one of them.", width: width)
  }
}

extension CommandSpec {
  /// Its summary, and whether it runs when its group is called alone.
  fileprivate func summaryAsSubcommand(of group: CommandSpec?) -> String {
    group?.defaultSubcommand == name ? summary + " (the default)" : summary
  }
}

extension OptionSpec {
  /// How it is written in a list, long names aligned: `-f, --format FORMAT`.
  fileprivate var term: String {
    let short = shortSpelling.map { $0 + ", " } ?? "    "
    return short + spelling + (placeholder.map { " " + $0 } ?? "")
  }

  /// The help, with the values it can have and whether it can be repeated.
  var fullHelp: String {
    help + Completion.suffix(completion) + (repeatable ? "; may be repeated" : "")
  }
}

extension OperandSpec {
  /// The help, with the values it can have unless the placeholder spells them out.
  var fullHelp: String {
    let spelledOut = completion.choices?.joined(separator: "|") == placeholder
    return help + (spelledOut ? "" : Completion.suffix(completion))
  }
}

extension Completion {
  /// The choices as they follow a help phrase: `: raw, json`.
  fileprivate static func suffix(_ completion: Completion?) -> String {
    guard let choices = completion?.choices else { return "" }
    return ": " + choices.joined(separator: ", ")
  }
}

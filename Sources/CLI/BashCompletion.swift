/// The completion script for bash; it needs nothing but bash 4.
public enum BashCompletion {
  /// Gives the whole script, to be sourced or installed as `share/bash-completion/completions/PROGRAM`.
  public static func render(_ program: ProgramSpec) -> String {
    let table = CompletionTable(program)
    let lines =
      ["# bash completion for \(program.name), generated from its command table", "# shellcheck shell=bash", ""]
      + enter(table) + [""] + option(table) + [""] + look(table)
    return lines.joined(separator: "\n") + "\n\n"
      + engine.replacing("PREFIX", with: table.prefix).replacing("PROGRAM", with: program.name)
  }

  /// Which place a word leads to from another.
  private static func enter(_ table: CompletionTable) -> [String] {
    var cases: [String] = []
    for place in table.places {
      for subcommand in place.subcommands {
        let patterns = subcommand.words.map { ShellWord.posix(place.path + " " + $0) }
        cases.append(
          "    \(patterns.joined(separator: " | "))) path=\(ShellWord.quoted(place.path(of: subcommand))) ;;")
      }
    }
    return [
      "# Goes from place $path to where the word $1 leads; fails if it leads nowhere.", "\(table.prefix)_enter() {",
      "  case \"$path $1\" in",
    ] + cases + ["    *) return 1 ;;", "  esac", "}"]
  }

  /// What an option is at a place.
  private static func option(_ table: CompletionTable) -> [String] {
    var cases: [String] = []
    for place in table.places {
      cases += place.options.map { optionCase($0) { ShellWord.posix(place.path + " " + $0) } }
    }
    cases += table.globalOptions.map { optionCase($0) { "*" + ShellWord.posix(" " + $0) } }
    return [
      "# Tells of the option $1 at place $path: its long name, what its value is, whether it may be repeated.",
      "\(table.prefix)_option() {", "  long='' kind='' again=''", "  case \"$path $1\" in",
    ] + cases + ["    *) return 1 ;;", "  esac", "}"]
  }

  private static func optionCase(_ option: OptionSpec, pattern: (String) -> String) -> String {
    let patterns = [option.spelling, option.shortSpelling].compactMap { $0 }.map(pattern).joined(separator: " | ")
    let kind = option.completion.map(kind) ?? "flag"
    let again = option.repeatable ? " again=1" : ""
    return "    \(patterns)) long=\(option.spelling) kind=\(ShellWord.quoted(kind))\(again) ;;"
  }

  /// What may stand at a place.
  private static func look(_ table: CompletionTable) -> [String] {
    var cases: [String] = []
    for place in table.places {
      cases.append("    \(place.path.isEmpty ? "''" : ShellWord.posix(place.path)))")
      if !place.subcommands.isEmpty {
        cases.append("      commands=(\(place.subcommands.flatMap(\.words).joined(separator: " ")))")
      }
      if !place.options.isEmpty {
        cases.append("      options+=(\(place.options.map(\.spelling).joined(separator: " ")))")
      }
      if !place.operands.isEmpty {
        let kinds = place.operands.map { ShellWord.quoted(kind($0.completion)) }
        cases.append("      operands=(\(kinds.joined(separator: " ")))")
        if let last = place.operands.last, last.isRepeated { cases.append("      many=1") }
        if let foreign = place.operands.firstIndex(where: \.endsOptions) { cases.append("      foreign=\(foreign)") }
      }
      cases.append("      ;;")
    }
    return [
      "# Lists what may stand at place $path: commands, options, what each operand is, whether the last may be repeated,",
      "# and which one begins another program's command line.",
      "\(table.prefix)_look() {", "  commands=() operands=() many='' foreign=''",
      "  options=(\(table.globalOptions.map(\.spelling).joined(separator: " ")))",
      "  case $path in",
    ] + cases + ["    *) ;;", "  esac", "}"]
  }

  private static func kind(_ completion: Completion) -> String {
    switch completion {
    case .none: "none"
    case .file: "file"
    case .directory: "directory"
    case .oneOf(let words), .suggested(let words): (["words"] + words).joined(separator: " ")
    case .dynamic(let kind): "dynamic " + kind
    case .command: "command"
    }
  }
}

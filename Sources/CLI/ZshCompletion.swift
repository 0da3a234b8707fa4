/// The completion script for zsh; the work is done by zsh's own `_arguments`.
public enum ZshCompletion {
  /// Gives the whole script, to be installed as `_PROGRAM` in a directory of `$fpath`.
  public static func render(_ program: ProgramSpec) -> String {
    let table = CompletionTable(program)
    let lines =
      ["#compdef \(program.name)", "# zsh completion for \(program.name), generated from its command table", ""]
      + enter(table) + [""] + takes(table) + [""] + look(table)
    return lines.joined(separator: "\n") + "\n\n"
      + engine.replacing("PREFIX", with: table.prefix).replacing("PROGRAM", with: program.name)
  }

  private static func enter(_ table: CompletionTable) -> [String] {
    let cases = table.places.flatMap { place in
      place.subcommands.map { subcommand in
        let names = subcommand.words
        let patterns = names.map { ShellWord.quoted(place.path + " " + $0) }.joined(separator: " | ")
        return "    \(patterns)) place=\(ShellWord.quoted(place.path(of: subcommand))) ;;"
      }
    }
    return [
      "# Goes from $place to where the word $1 leads; fails if it leads nowhere.", "\(table.prefix)_enter() {",
      "  case \"$place $1\" in",
    ] + cases + ["    *) return 1 ;;", "  esac", "}"]
  }

  private static func takes(_ table: CompletionTable) -> [String] {
    func names(_ options: [OptionSpec]) -> [String] {
      options.filter { $0.placeholder != nil }.flatMap { [$0.spelling, $0.shortSpelling].compactMap { $0 } }
    }
    let here = table.places.flatMap { place in
      names(place.options).map { ShellWord.quoted(place.path + " " + $0) }
    }
    let patterns = here + names(table.globalOptions).map { "*" + ShellWord.quoted(" " + $0) }
    return [
      "# Whether the option $1 takes a value at $place.", "\(table.prefix)_takes() {", "  case \"$place $1\" in",
    ] + patterns.map { "    \($0)) ;;" } + ["    *) return 1 ;;", "  esac", "}"]
  }

  private static func look(_ table: CompletionTable) -> [String] {
    var cases: [String] = []
    for place in table.places {
      cases.append("    \(ShellWord.quoted(place.path)))")
      if !place.subcommands.isEmpty {
        cases.append("      subcommands=(")
        cases += place.subcommands.flatMap { subcommand in
          subcommand.words.map { "        " + ShellWord.quoted("\($0):\(subcommand.summary)") }
        }
        cases.append("      )")
      }
      let specs = place.options.flatMap { optionSpecs($0, table) } + operandSpecs(place.operands, table)
      if !specs.isEmpty {
        cases.append("      specs+=(")
        cases += specs.map { "        " + ShellWord.quoted($0) }
        cases.append("      )")
      }
      cases.append("      ;;")
    }
    return [
      "# Lists what may stand at $place: commands, and specifications for _arguments.", "\(table.prefix)_look() {",
      "  subcommands=()", "  specs=(",
    ] + table.globalOptions.flatMap { optionSpecs($0, table) }.map { "    " + ShellWord.quoted($0) }
      + ["  )", "  case $place in"] + cases + ["  esac", "}"]
  }

  /// One specification for each spelling; those of an option that may not be repeated exclude each other.
  private static func optionSpecs(_ option: OptionSpec, _ table: CompletionTable) -> [String] {
    let spellings = [option.shortSpelling, option.spelling].compactMap { $0 }
    let before = option.repeatable ? "*" : "(\(spellings.joined(separator: " ")))"
    return spellings.map { spelling in
      var after = "[\(escape(option.help))]"
      if case .required(let placeholder, let completion) = option.value {
        let joint = spelling == option.spelling ? "=" : "+"
        after = joint + after + ":\(escape(placeholder)):\(action(completion, table))"
      }
      return before + spelling + after
    }
  }

  private static func operandSpecs(_ operands: [OperandSpec], _ table: CompletionTable) -> [String] {
    var specs: [String] = []
    for (index, operand) in operands.enumerated() {
      // Three colons narrow the line to that other program's words.
      let colons = operand.endsOptions ? ":::" : operand.arity == .optional ? "::" : ":"
      let position = operand.isRepeated ? "*" : "\(index + 1)"
      specs.append("\(position)\(colons)\(escape(operand.placeholder)):\(action(operand.completion, table))")
    }
    return specs
  }

  private static func action(_ completion: Completion, _ table: CompletionTable) -> String {
    switch completion {
    case .none: " "
    case .file: "_files"
    case .directory: "_files -/"
    case .oneOf(let words), .suggested(let words): "(\(words.map(word).joined(separator: " ")))"
    case .dynamic(let kind): " \(table.prefix)_ask \(kind)"
    case .command: "_normal"
    }
  }

  /// A word of a list in parentheses, which is read as shell words after the colons are.
  private static func word(_ word: String) -> String {
    escape(ShellWord.posix(word))
  }

  private static func escape(_ text: String) -> String {
    text.map { "\\:[]".contains($0) ? "\\\($0)" : String($0) }.joined()
  }

  /// The part that does not depend on the table: it takes the command words out of the line, as the program's parser does,
  /// and leaves the rest to `_arguments`.
  private static let engine = #"""
    # Offers what the program lists for kind $1, a line "value" or "value<TAB>description" each.
    PREFIX_ask() {
      local line value
      local -a found
      for line in "${(@f)$(_call_program $1 PROGRAM __complete $1 2>/dev/null </dev/null)}"; do
        [[ -n $line ]] || continue
        value=${line%%$'\t'*}
        value=${${value//\\/\\\\}//:/\\:}
        [[ $line == *$'\t'* ]] && value+=:${line#*$'\t'}
        found+=("$value")
      done
      _describe -t $1 "${1//-/ }" found
    }

    PREFIX_commands() {
      _describe -t commands command subcommands
    }

    # The name `subcommands` is not for looks: `commands` is zsh's own table, which the words of `exec` need.
    PREFIX() {
      local curcontext=$curcontext place='' help='' ended='' pending='' word i letter
      local -a subcommands specs kept
      PREFIX_look
      kept=("$words[1]")
      for ((i = 2; i < CURRENT && $#subcommands > 0; i++)); do
        word=${(Q)words[i]}
        if [[ -n $pending ]]; then
          pending=''
        elif [[ -z $ended && $word == -- ]]; then
          ended=1
        elif [[ -z $ended && $word == --* ]]; then
          PREFIX_takes $word && pending=1
        elif [[ -z $ended && $word == -?* ]]; then
          for ((letter = 2; letter <= $#word; letter++)); do
            PREFIX_takes -$word[letter] || continue
            ((letter < $#word)) || pending=1
            break
          done
        elif [[ $word == help && -z $help ]]; then
          help=1
          continue
        else
          PREFIX_enter "$word" || return 1
          PREFIX_look
          continue
        fi
        kept+=("$words[i]")
      done
      words=("${(@)kept}" "${(@)words[i,-1]}")
      ((CURRENT += $#kept + 1 - i))

      [[ -n $help ]] && specs=()
      (($#subcommands > 0)) && specs+=('1:command:PREFIX_commands')
      (($#specs > 0)) || return 1
      curcontext=${curcontext%:*:*}:PROGRAM-${place// /-}:
      _arguments -s -S : "${(@)specs}"
    }

    # Loaded as a function from $fpath, or sourced.
    if [[ $funcstack[1] == PREFIX ]]; then PREFIX "$@"; else compdef PREFIX PROGRAM; fi

    """#
}

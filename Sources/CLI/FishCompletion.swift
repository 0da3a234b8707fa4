/// The completion script for fish.
public enum FishCompletion {
  /// Gives the whole script, to be installed as `share/fish/vendor_completions.d/PROGRAM.fish`.
  public static func render(_ program: ProgramSpec) -> String {
    let table = CompletionTable(program)
    let writer = FishRules(program: program.name, prefix: "_" + table.prefix)
    var lines = ["# fish completion for \(program.name), generated from its command table", ""]
    lines += enter(table, writer.prefix) + [""] + takes(table, writer.prefix) + [""] + foreign(table, writer.prefix)
    lines.append("")
    lines.append(engine.replacing("PREFIX", with: writer.prefix).replacing("PROGRAM", with: program.name))
    lines.append("complete -c \(program.name) -f")
    for place in table.places {
      lines += place.subcommands.map { writer.subcommand($0, at: place.path) }
      lines += place.options.map { writer.option($0, at: place.path) }
      for (number, operand) in place.operands.enumerated() where operand.completion != .none {
        lines.append(writer.operand(operand, number: number, at: place.path))
      }
    }
    lines += table.globalOptions.map { writer.option($0, at: nil) }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func enter(_ table: CompletionTable, _ prefix: String) -> [String] {
    let cases = table.places.flatMap { place in
      place.subcommands.flatMap { subcommand in
        let names = subcommand.words
        return [
          "        case " + names.map { ShellWord.fish(place.path + " " + $0) }.joined(separator: " "),
          // `set` leaves the status as it was.
          "            set -g \(prefix)_place \(ShellWord.fish(place.path(of: subcommand)))", "            return 0",
        ]
      }
    }
    return [
      "# Goes from the place to where a word leads; fails if it leads nowhere.", "function \(prefix)_enter",
      "    switch \"$\(prefix)_place $argv[1]\"",
    ] + cases + ["        case '*'", "            return 1", "    end", "end"]
  }

  private static func takes(_ table: CompletionTable, _ prefix: String) -> [String] {
    func names(_ options: [OptionSpec]) -> [String] {
      options.filter { $0.placeholder != nil }.flatMap { [$0.spelling, $0.shortSpelling].compactMap { $0 } }
    }
    let here = table.places.flatMap { place in names(place.options).map { place.path + " " + $0 } }
    let patterns = (here + names(table.globalOptions).map { "* " + $0 }).map(ShellWord.fish)
    return [
      "# Whether an option takes a value at the place.", "function \(prefix)_takes",
      "    switch \"$\(prefix)_place $argv[1]\"",
    ] + patterns.flatMap { ["        case \($0)", "            return 0"] } + ["    end", "    return 1", "end"]
  }

  private static func foreign(_ table: CompletionTable, _ prefix: String) -> [String] {
    let cases = table.places.flatMap { place -> [String] in
      if let foreign = place.operands.firstIndex(where: \.endsOptions) {
        return ["        case \(ShellWord.fish(place.path))", "            test $argv[1] -ge \(foreign)"]
      }
      return place.subcommands.isEmpty
        ? [] : ["        case \(ShellWord.fish(place.path))", "            return 2"]
    }
    return [
      "# Whether the operand of this number is a word of another program; 2 where a word names a command.",
      "function \(prefix)_foreign", "    switch $\(prefix)_place",
    ] + cases + ["        case '*'", "            return 1", "    end", "end"]
  }

  /// The part that does not depend on the table.
  private static let engine = #"""
    # Walks over the words in front of the cursor: where they lead, what is used, how many operands there are.
    function PREFIX_walk
        set -l words (commandline -opc)
        set -e words[1]
        # Each rule below asks; one walk answers them all.
        set -l line (string escape -- $words | string join ' ')
        set -q PREFIX_line; and test "$PREFIX_line" = "$line"; and return
        set -g PREFIX_line $line
        set -g PREFIX_place ''
        set -g PREFIX_state ''
        set -g PREFIX_used
        set -g PREFIX_at 0
        set -g PREFIX_words
        set -l pending
        set -l help ''
        set -l ended ''
        for word in $words
            if set -q pending[1]
                set -a PREFIX_used $pending
                set pending
            else if test -z "$ended"; and test "$word" = --
                set ended ended
            else if test -z "$ended"; and string match -q -- '--*=*' $word
                set -a PREFIX_used (string split -m 1 = -- $word)[1]
            else if test -z "$ended"; and string match -q -- '--*' $word
                PREFIX_takes $word; and set pending $word; or set -a PREFIX_used $word
            else if test -z "$ended"; and string match -q -- '-?*' $word
                set -l letters (string split '' -- (string sub -s 2 -- $word))
                while set -q letters[1]
                    set -l option -$letters[1]
                    set -e letters[1]
                    if not PREFIX_takes $option
                        set -a PREFIX_used $option
                    else if set -q letters[1]
                        set -a PREFIX_used $option
                        break
                    else
                        set pending $option
                    end
                end
            else
                PREFIX_foreign $PREFIX_at
                switch $status
                    case 0
                        set ended ended
                        set -a PREFIX_words $word
                        set -g PREFIX_at (math $PREFIX_at + 1)
                    case 1
                        set -g PREFIX_at (math $PREFIX_at + 1)
                    case 2
                        if test "$word" = help; and test -z "$help"
                            set help help
                        else if not PREFIX_enter $word
                            set -g PREFIX_place unknown
                        end
                end
            end
        end
        set -g PREFIX_state $help $ended
    end

    # Whether a word at this place can name a command.
    function PREFIX_commands
        PREFIX_walk
        test "$PREFIX_place" = "$argv[1]"
    end

    # Whether an option of this place can be given: it is not used yet, under none of the names that follow.
    function PREFIX_option
        PREFIX_walk
        test "$argv[1]" = '*'; or test "$PREFIX_place" = "$argv[1]"; or return
        contains -- ended $PREFIX_state; and return 1
        contains -- help $PREFIX_state; and return 1
        for name in $argv[2..]
            contains -- $name $PREFIX_used; and return 1
        end
        return 0
    end

    # Whether the operand at this place has this number, or at least this one.
    function PREFIX_operand
        PREFIX_walk
        test "$PREFIX_place" = "$argv[1]"; or return
        contains -- help $PREFIX_state; and return 1
        test $PREFIX_at -eq $argv[2]; or test "$argv[3]" = many -a $PREFIX_at -gt $argv[2]
    end

    # What the program lists for a kind, a line "value" or "value<TAB>description" each.
    function PREFIX_ask
        command PROGRAM __complete $argv[1] 2>/dev/null </dev/null
    end

    # What another program's command line can go on with.
    function PREFIX_delegate
        complete -C (string join ' ' -- (string escape -- $PREFIX_words) (commandline -ct))
    end

    # Directories, also where the word is --option=directory.
    function PREFIX_directories
        __fish_complete_directories (commandline -ct | string replace -r -- '^--?[^=/]*=' '')
    end

    """#
}

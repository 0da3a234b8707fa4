extension BashCompletion {
  /// The part of the script that does not depend on the table.
  ///
  /// Bash cuts words at `=`, `:` and `@` too, and replaces the last piece only: the words are put together again, and what
  /// is in front of that piece is cut from each candidate. No candidate ever passes through `compgen -W`, which would expand it.
  static let engine = #"""
    # Puts the pieces that bash made of the line together to words as the program will see them.
    PREFIX_words() {
      local line=${COMP_LINE:0:COMP_POINT} piece rest i
      words=()
      for ((i = 0; i <= COMP_CWORD; i++)); do
        rest=${line#"${line%%[![:space:]]*}"}
        piece=${COMP_WORDS[i]}
        [[ $rest == "$piece"* ]] || piece=$rest
        if ((i > 0)) && [[ -n $piece && $rest == "$line" ]]; then
          words[${#words[@]} - 1]+=$piece
        else
          words+=("$piece")
        fi
        line=${rest#"$piece"}
      done
    }

    # Reads the option word $1: notes what is used, and sets $pending when its value is still to come,
    # or $lead to what stands in front of its value.
    PREFIX_read() {
      local i letters=${1#-}
      lead='' pending=''
      if [[ $1 == --*=* ]]; then
        PREFIX_option "${1%%=*}" && [[ $kind != flag ]] && lead=${1%%=*}=
        used+="$long "
      elif [[ $1 == --* ]]; then
        PREFIX_option "$1" && [[ $kind != flag ]] && pending=$1
        used+="$long "
      else
        for ((i = 0; i < ${#letters}; i++)); do
          PREFIX_option "-${letters:i:1}" || return
          used+="$long "
          [[ $kind == flag ]] && continue
          if ((i + 1 < ${#letters})); then lead=${1:0:i + 2}; else pending=-${letters:i:1}; fi
          return
        done
      fi
      [[ -n $lead$pending ]]
    }

    # Offers, with $1 in front, those of the other arguments that go on from what is typed.
    PREFIX_add() {
      local before=$1 candidate
      shift
      for candidate; do
        candidate=$before$candidate
        [[ $candidate == "$typed"* ]] || continue
        candidate=${candidate:skip}
        [[ -n $quoted ]] || printf -v candidate %q "$candidate"
        COMPREPLY+=("$candidate")
      done
    }

    # Offers what is of kind $1, with $2 in front of it.
    PREFIX_offer() {
      local found=() value=${typed#"$2"} line
      case $1 in
        words\ *) read -ra found <<<"${1#words }" ;;
        dynamic\ *)
          while IFS= read -r line; do
            [[ -n $line ]] && found+=("${line%%$'\t'*}")
          done < <(command PROGRAM __complete "${1#dynamic }" 2>/dev/null </dev/null)
          ;;
        directory | file | command)
          if [[ $1 == command && $value != */* ]]; then
            mapfile -t found < <(compgen -c -- "$value" | sort -u)
          elif ((skip == ${#2})); then
            # Readline's own way, since it knows of tildes, quotes and slashes.
            if [[ $1 == directory ]]; then compopt -o dirnames; else compopt -o default; fi
            return
          elif [[ $1 == directory ]]; then
            compopt -o nospace
            mapfile -t found < <(compgen -d -S / -- "$value")
          else
            mapfile -t found < <(compgen -f -- "$value")
          fi
          ;;
        *) ;;
      esac
      PREFIX_add "$2" "${found[@]}"
    }

    PREFIX() {
      local words=() word typed quoted='' skip i last path='' help='' ended='' pending='' lead='' at=0 used=' ' target=''
      local long kind again commands options operands many foreign IFS=$' \t\n'
      COMPREPLY=()
      PREFIX_words
      PREFIX_look
      last=$((${#words[@]} - 1))
      for ((i = 1; i < last; i++)); do
        word=${words[i]}
        # A redirection is not for the program to see.
        if [[ -n $target ]]; then target='' && continue; fi
        if [[ $word == [0-9\&]*[\<\>]* || $word == [\<\>]* ]]; then
          [[ $word != *[\<\>\&] ]] || target=1
          continue
        fi
        word=${word//[\"\'\\]/}
        if [[ -n $pending ]]; then
          pending=''
        elif [[ -z $ended && $word == -- ]]; then
          ended=1
        elif [[ -z $ended && $word == -?* ]]; then
          PREFIX_read "$word"
        elif ((${#commands[@]} == 0)); then
          [[ $at == "$foreign" ]] && ended=1
          ((++at))
        elif [[ $word == help && -z $help ]]; then
          help=1
        else
          PREFIX_enter "$word" || return 0
          PREFIX_look
        fi
      done

      typed=${words[last]//[\"\'\\]/}
      word=${2//[\"\'\\]/}
      skip=$((${#typed} - ${#word}))
      ((skip >= 0)) || skip=0
      [[ ${COMP_WORDS[COMP_CWORD]} != [\"\']* ]] || quoted=1
      if [[ -n $target || $typed == [\<\>]* ]]; then
        compopt -o default
      elif [[ -n $pending ]]; then
        PREFIX_option "$pending"
        PREFIX_offer "$kind" ''
      elif [[ -z $ended && $typed == -?* ]] && PREFIX_read "$typed" && [[ -n $lead ]]; then
        PREFIX_offer "$kind" "$lead"
      elif [[ -z $ended && $typed == -* ]]; then
        for word in "${options[@]}"; do
          PREFIX_option "$word"
          [[ -z $again && $used == *" $word "* && $word != "$typed" ]] || PREFIX_add '' "$word"
        done
      elif ((${#commands[@]} > 0)); then
        PREFIX_add '' "${commands[@]}"
      elif [[ -z $help ]]; then
        kind=${operands[at]-}
        if [[ -n $many ]] && ((at >= ${#operands[@]})); then
          kind=${operands[${#operands[@]} - 1]}
          # The words of another program are its own affair, but most of them are paths.
          [[ $kind != command ]] || kind='file'
        fi
        PREFIX_offer "$kind" ''
      fi
    }

    complete -F PREFIX PROGRAM

    """#
}

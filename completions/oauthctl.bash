# bash completion for oauthctl, generated from its command table
# shellcheck shell=bash

# Goes from place $path to where the word $1 leads; fails if it leads nowhere.
_oauthctl_enter() {
  case "$path $1" in
    ' login') path='login' ;;
    ' token') path='token' ;;
    ' refresh') path='refresh' ;;
    ' revoke' | ' logout') path='revoke' ;;
    ' status') path='status' ;;
    ' inspect') path='inspect' ;;
    ' providers') path='providers' ;;
    ' unlock') path='unlock' ;;
    ' lock') path='lock' ;;
    ' doctor') path='doctor' ;;
    ' help') path='help' ;;
    'providers list') path='providers list' ;;
    'providers show') path='providers show' ;;
    'providers add') path='providers add' ;;
    'providers remove') path='providers remove' ;;
    *) return 1 ;;
  esac
}

# Tells of the option $1 at place $path: its long name, what its value is, whether it may be repeated.
_oauthctl_option() {
  long='' kind='' again=''
  case "$path $1" in
    ' --version' | ' -V') long=--version kind='flag' ;;
    'login --flow') long=--flow kind='words code device client-credentials password implicit jwt-bearer token-exchange refresh-token' ;;
    'login --scope' | 'login -s') long=--scope kind='none' again=1 ;;
    'login --anew') long=--anew kind='flag' ;;
    'login --username') long=--username kind='none' ;;
    'login --password-file') long=--password-file kind='file' ;;
    'login --assertion-file') long=--assertion-file kind='file' ;;
    'login --assertion-issuer') long=--assertion-issuer kind='none' ;;
    'login --assertion-subject') long=--assertion-subject kind='none' ;;
    'login --subject-token-file') long=--subject-token-file kind='file' ;;
    'login --subject-token-type') long=--subject-token-type kind='words access_token refresh_token id_token saml1 saml2 jwt' ;;
    'login --actor-token-file') long=--actor-token-file kind='file' ;;
    'login --actor-token-type') long=--actor-token-type kind='words access_token refresh_token id_token saml1 saml2 jwt' ;;
    'login --requested-token-type') long=--requested-token-type kind='words access_token refresh_token id_token saml1 saml2 jwt' ;;
    'login --refresh-token-file') long=--refresh-token-file kind='file' ;;
    'login --client-id') long=--client-id kind='none' ;;
    'login --client-secret-file') long=--client-secret-file kind='file' ;;
    'login --client-auth') long=--client-auth kind='words none basic post client-secret-jwt private-key-jwt tls' ;;
    'login --private-key-file') long=--private-key-file kind='file' ;;
    'login --certificate-file') long=--certificate-file kind='file' ;;
    'login --key-file') long=--key-file kind='file' ;;
    'login --initial-access-token-file') long=--initial-access-token-file kind='file' ;;
    'login --software-statement-file') long=--software-statement-file kind='file' ;;
    'login --client-name') long=--client-name kind='none' ;;
    'login --param') long=--param kind='none' again=1 ;;
    'login --token-param') long=--token-param kind='none' again=1 ;;
    'login --header') long=--header kind='none' again=1 ;;
    'login --audience') long=--audience kind='none' ;;
    'login --resource') long=--resource kind='none' again=1 ;;
    'login --authorization-details') long=--authorization-details kind='none' ;;
    'login --login-hint') long=--login-hint kind='none' ;;
    'login --prompt') long=--prompt kind='words login consent select_account none' ;;
    'login --max-age') long=--max-age kind='none' ;;
    'login --acr-values') long=--acr-values kind='none' ;;
    'login --ui-locales') long=--ui-locales kind='none' ;;
    'login --par') long=--par kind='flag' ;;
    'login --sign-request') long=--sign-request kind='flag' ;;
    'login --response-type') long=--response-type kind='none' ;;
    'login --response-mode') long=--response-mode kind='words query fragment form_post jwt query.jwt fragment.jwt form_post.jwt' ;;
    'login --dpop') long=--dpop kind='flag' ;;
    'login --no-pkce') long=--no-pkce kind='flag' ;;
    'login --var') long=--var kind='none' again=1 ;;
    'login --redirect-uri') long=--redirect-uri kind='none' ;;
    'login --port') long=--port kind='none' ;;
    'login --no-browser') long=--no-browser kind='flag' ;;
    'login --browser') long=--browser kind='command' ;;
    'login --private') long=--private kind='flag' ;;
    'login --timeout') long=--timeout kind='none' ;;
    'login --print-url') long=--print-url kind='flag' ;;
    'login --finish') long=--finish kind='dynamic logins' ;;
    'login --json') long=--json kind='flag' ;;
    'login --cacert') long=--cacert kind='file' ;;
    'token --min-valid') long=--min-valid kind='none' ;;
    'token --format') long=--format kind='words raw header json env' ;;
    'token --id-token') long=--id-token kind='flag' ;;
    'token --field') long=--field kind='none' ;;
    'token --force-refresh') long=--force-refresh kind='flag' ;;
    'token --no-refresh') long=--no-refresh kind='flag' ;;
    'token --scope' | 'token -s') long=--scope kind='none' again=1 ;;
    'token --audience') long=--audience kind='none' ;;
    'token --resource') long=--resource kind='none' again=1 ;;
    'token --url') long=--url kind='none' ;;
    'token --method') long=--method kind='words GET POST PUT PATCH DELETE' ;;
    'token --nonce') long=--nonce kind='none' ;;
    'token --json') long=--json kind='flag' ;;
    'token --cacert') long=--cacert kind='file' ;;
    'refresh --all') long=--all kind='flag' ;;
    'refresh --within') long=--within kind='none' ;;
    'refresh --jobs' | 'refresh -j') long=--jobs kind='none' ;;
    'refresh --json') long=--json kind='flag' ;;
    'refresh --cacert') long=--cacert kind='file' ;;
    'revoke --all') long=--all kind='flag' ;;
    'revoke --local') long=--local kind='flag' ;;
    'revoke --forget-client') long=--forget-client kind='flag' ;;
    'revoke --everywhere') long=--everywhere kind='flag' ;;
    'revoke --no-browser') long=--no-browser kind='flag' ;;
    'revoke --browser') long=--browser kind='command' ;;
    'revoke --json') long=--json kind='flag' ;;
    'revoke --cacert') long=--cacert kind='file' ;;
    'status --json') long=--json kind='flag' ;;
    'inspect --userinfo') long=--userinfo kind='flag' ;;
    'inspect --introspect') long=--introspect kind='flag' ;;
    'inspect --id-token') long=--id-token kind='flag' ;;
    'inspect --json') long=--json kind='flag' ;;
    'inspect --cacert') long=--cacert kind='file' ;;
    'providers --json') long=--json kind='flag' ;;
    'providers list --json') long=--json kind='flag' ;;
    'providers show --json') long=--json kind='flag' ;;
    'providers add --issuer') long=--issuer kind='none' ;;
    'providers add --title') long=--title kind='none' ;;
    'providers add --client-id') long=--client-id kind='none' ;;
    'providers add --client-secret-file') long=--client-secret-file kind='file' ;;
    'providers add --client-auth') long=--client-auth kind='words none basic post client-secret-jwt private-key-jwt tls' ;;
    'providers add --scope' | 'providers add -s') long=--scope kind='none' again=1 ;;
    'providers add --redirect-uri') long=--redirect-uri kind='none' ;;
    'providers add --register') long=--register kind='flag' ;;
    'providers add --initial-access-token-file') long=--initial-access-token-file kind='file' ;;
    'providers add --software-statement-file') long=--software-statement-file kind='file' ;;
    'providers add --client-name') long=--client-name kind='none' ;;
    'providers add --authorization-endpoint') long=--authorization-endpoint kind='none' ;;
    'providers add --token-endpoint') long=--token-endpoint kind='none' ;;
    'providers add --refresh-endpoint') long=--refresh-endpoint kind='none' ;;
    'providers add --device-authorization-endpoint') long=--device-authorization-endpoint kind='none' ;;
    'providers add --device-token-endpoint') long=--device-token-endpoint kind='none' ;;
    'providers add --revocation-endpoint') long=--revocation-endpoint kind='none' ;;
    'providers add --introspection-endpoint') long=--introspection-endpoint kind='none' ;;
    'providers add --userinfo-endpoint') long=--userinfo-endpoint kind='none' ;;
    'providers add --registration-endpoint') long=--registration-endpoint kind='none' ;;
    'providers add --jwks-uri') long=--jwks-uri kind='none' ;;
    'providers add --pushed-authorization-request-endpoint') long=--pushed-authorization-request-endpoint kind='none' ;;
    'providers add --end-session-endpoint') long=--end-session-endpoint kind='none' ;;
    'providers add --force' | 'providers add -f') long=--force kind='flag' ;;
    'providers add --json') long=--json kind='flag' ;;
    'providers add --cacert') long=--cacert kind='file' ;;
    'providers remove --json') long=--json kind='flag' ;;
    'unlock --password-file') long=--password-file kind='file' ;;
    'unlock --json') long=--json kind='flag' ;;
    'lock --json') long=--json kind='flag' ;;
    'doctor --json') long=--json kind='flag' ;;
    'doctor --offline') long=--offline kind='flag' ;;
    'doctor --cacert') long=--cacert kind='file' ;;
    *' --quiet' | *' -q') long=--quiet kind='flag' ;;
    *' --verbose' | *' -v') long=--verbose kind='flag' ;;
    *' --help' | *' -h') long=--help kind='flag' ;;
    *) return 1 ;;
  esac
}

# Lists what may stand at place $path: commands, options, what each operand is, whether the last may be repeated,
# and which one begins another program's command line.
_oauthctl_look() {
  commands=() operands=() many='' foreign=''
  options=(--quiet --verbose --help)
  case $path in
    '')
      commands=(login token refresh revoke logout status inspect providers unlock lock doctor help)
      options+=(--version)
      ;;
    login)
      options+=(--flow --scope --anew --username --password-file --assertion-file --assertion-issuer --assertion-subject --subject-token-file --subject-token-type --actor-token-file --actor-token-type --requested-token-type --refresh-token-file --client-id --client-secret-file --client-auth --private-key-file --certificate-file --key-file --initial-access-token-file --software-statement-file --client-name --param --token-param --header --audience --resource --authorization-details --login-hint --prompt --max-age --acr-values --ui-locales --par --sign-request --response-type --response-mode --dpop --no-pkce --var --redirect-uri --port --no-browser --browser --private --timeout --print-url --finish --json --cacert)
      operands=('dynamic targets')
      ;;
    token)
      options+=(--min-valid --format --id-token --field --force-refresh --no-refresh --scope --audience --resource --url --method --nonce --json --cacert)
      operands=('dynamic accounts')
      ;;
    refresh)
      options+=(--all --within --jobs --json --cacert)
      operands=('dynamic accounts')
      many=1
      ;;
    revoke)
      options+=(--all --local --forget-client --everywhere --no-browser --browser --json --cacert)
      operands=('dynamic accounts')
      many=1
      ;;
    status)
      options+=(--json)
      operands=('dynamic accounts')
      ;;
    inspect)
      options+=(--userinfo --introspect --id-token --json --cacert)
      operands=('dynamic accounts')
      ;;
    providers)
      commands=(list show add remove)
      options+=(--json)
      ;;
    'providers list')
      options+=(--json)
      operands=('none')
      ;;
    'providers show')
      options+=(--json)
      operands=('dynamic providers')
      ;;
    'providers add')
      options+=(--issuer --title --client-id --client-secret-file --client-auth --scope --redirect-uri --register --initial-access-token-file --software-statement-file --client-name --authorization-endpoint --token-endpoint --refresh-endpoint --device-authorization-endpoint --device-token-endpoint --revocation-endpoint --introspection-endpoint --userinfo-endpoint --registration-endpoint --jwks-uri --pushed-authorization-request-endpoint --end-session-endpoint --force --json --cacert)
      operands=('dynamic providers')
      ;;
    'providers remove')
      options+=(--json)
      operands=('dynamic user-providers')
      ;;
    unlock)
      options+=(--password-file --json)
      ;;
    lock)
      options+=(--json)
      ;;
    doctor)
      options+=(--json --offline --cacert)
      ;;
    help)
      operands=('none')
      many=1
      ;;
    *) ;;
  esac
}

# Puts the pieces that bash made of the line together to words as the program will see them.
_oauthctl_words() {
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
_oauthctl_read() {
  local i letters=${1#-}
  lead='' pending=''
  if [[ $1 == --*=* ]]; then
    _oauthctl_option "${1%%=*}" && [[ $kind != flag ]] && lead=${1%%=*}=
    used+="$long "
  elif [[ $1 == --* ]]; then
    _oauthctl_option "$1" && [[ $kind != flag ]] && pending=$1
    used+="$long "
  else
    for ((i = 0; i < ${#letters}; i++)); do
      _oauthctl_option "-${letters:i:1}" || return
      used+="$long "
      [[ $kind == flag ]] && continue
      if ((i + 1 < ${#letters})); then lead=${1:0:i + 2}; else pending=-${letters:i:1}; fi
      return
    done
  fi
  [[ -n $lead$pending ]]
}

# Offers, with $1 in front, those of the other arguments that go on from what is typed.
_oauthctl_add() {
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
_oauthctl_offer() {
  local found=() value=${typed#"$2"} line
  case $1 in
    words\ *) read -ra found <<<"${1#words }" ;;
    dynamic\ *)
      while IFS= read -r line; do
        [[ -n $line ]] && found+=("${line%%$'\t'*}")
      done < <(command oauthctl __complete "${1#dynamic }" 2>/dev/null </dev/null)
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
  _oauthctl_add "$2" "${found[@]}"
}

_oauthctl() {
  local words=() word typed quoted='' skip i last path='' help='' ended='' pending='' lead='' at=0 used=' ' target=''
  local long kind again commands options operands many foreign IFS=$' \t\n'
  COMPREPLY=()
  _oauthctl_words
  _oauthctl_look
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
      _oauthctl_read "$word"
    elif ((${#commands[@]} == 0)); then
      [[ $at == "$foreign" ]] && ended=1
      ((++at))
    elif [[ $word == help && -z $help ]]; then
      help=1
    else
      _oauthctl_enter "$word" || return 0
      _oauthctl_look
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
    _oauthctl_option "$pending"
    _oauthctl_offer "$kind" ''
  elif [[ -z $ended && $typed == -?* ]] && _oauthctl_read "$typed" && [[ -n $lead ]]; then
    _oauthctl_offer "$kind" "$lead"
  elif [[ -z $ended && $typed == -* ]]; then
    for word in "${options[@]}"; do
      _oauthctl_option "$word"
      [[ -z $again && $used == *" $word "* && $word != "$typed" ]] || _oauthctl_add '' "$word"
    done
  elif ((${#commands[@]} > 0)); then
    _oauthctl_add '' "${commands[@]}"
  elif [[ -z $help ]]; then
    kind=${operands[at]-}
    if [[ -n $many ]] && ((at >= ${#operands[@]})); then
      kind=${operands[${#operands[@]} - 1]}
      # The words of another program are its own affair, but most of them are paths.
      [[ $kind != command ]] || kind='file'
    fi
    _oauthctl_offer "$kind" ''
  fi
}

complete -F _oauthctl oauthctl

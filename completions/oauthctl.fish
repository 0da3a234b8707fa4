# fish completion for oauthctl, generated from its command table

# Goes from the place to where a word leads; fails if it leads nowhere.
function __oauthctl_enter
    switch "$__oauthctl_place $argv[1]"
        case ' login'
            set -g __oauthctl_place login
            return 0
        case ' token'
            set -g __oauthctl_place token
            return 0
        case ' refresh'
            set -g __oauthctl_place refresh
            return 0
        case ' revoke' ' logout'
            set -g __oauthctl_place revoke
            return 0
        case ' status'
            set -g __oauthctl_place status
            return 0
        case ' inspect'
            set -g __oauthctl_place inspect
            return 0
        case ' providers'
            set -g __oauthctl_place providers
            return 0
        case ' unlock'
            set -g __oauthctl_place unlock
            return 0
        case ' lock'
            set -g __oauthctl_place lock
            return 0
        case ' doctor'
            set -g __oauthctl_place doctor
            return 0
        case ' help'
            set -g __oauthctl_place help
            return 0
        case 'providers list'
            set -g __oauthctl_place 'providers list'
            return 0
        case 'providers show'
            set -g __oauthctl_place 'providers show'
            return 0
        case 'providers add'
            set -g __oauthctl_place 'providers add'
            return 0
        case 'providers remove'
            set -g __oauthctl_place 'providers remove'
            return 0
        case '*'
            return 1
    end
end

# Whether an option takes a value at the place.
function __oauthctl_takes
    switch "$__oauthctl_place $argv[1]"
        case 'login --flow'
            return 0
        case 'login --scope'
            return 0
        case 'login -s'
            return 0
        case 'login --username'
            return 0
        case 'login --password-file'
            return 0
        case 'login --assertion-file'
            return 0
        case 'login --assertion-issuer'
            return 0
        case 'login --assertion-subject'
            return 0
        case 'login --subject-token-file'
            return 0
        case 'login --subject-token-type'
            return 0
        case 'login --actor-token-file'
            return 0
        case 'login --actor-token-type'
            return 0
        case 'login --requested-token-type'
            return 0
        case 'login --refresh-token-file'
            return 0
        case 'login --client-id'
            return 0
        case 'login --client-secret-file'
            return 0
        case 'login --client-auth'
            return 0
        case 'login --private-key-file'
            return 0
        case 'login --certificate-file'
            return 0
        case 'login --key-file'
            return 0
        case 'login --initial-access-token-file'
            return 0
        case 'login --software-statement-file'
            return 0
        case 'login --client-name'
            return 0
        case 'login --param'
            return 0
        case 'login --token-param'
            return 0
        case 'login --header'
            return 0
        case 'login --audience'
            return 0
        case 'login --resource'
            return 0
        case 'login --authorization-details'
            return 0
        case 'login --login-hint'
            return 0
        case 'login --prompt'
            return 0
        case 'login --max-age'
            return 0
        case 'login --acr-values'
            return 0
        case 'login --ui-locales'
            return 0
        case 'login --response-type'
            return 0
        case 'login --response-mode'
            return 0
        case 'login --var'
            return 0
        case 'login --redirect-uri'
            return 0
        case 'login --port'
            return 0
        case 'login --browser'
            return 0
        case 'login --timeout'
            return 0
        case 'login --finish'
            return 0
        case 'login --cacert'
            return 0
        case 'token --min-valid'
            return 0
        case 'token --format'
            return 0
        case 'token --field'
            return 0
        case 'token --scope'
            return 0
        case 'token -s'
            return 0
        case 'token --audience'
            return 0
        case 'token --resource'
            return 0
        case 'token --url'
            return 0
        case 'token --method'
            return 0
        case 'token --nonce'
            return 0
        case 'token --cacert'
            return 0
        case 'refresh --within'
            return 0
        case 'refresh --jobs'
            return 0
        case 'refresh -j'
            return 0
        case 'refresh --cacert'
            return 0
        case 'revoke --browser'
            return 0
        case 'revoke --cacert'
            return 0
        case 'inspect --cacert'
            return 0
        case 'providers add --issuer'
            return 0
        case 'providers add --title'
            return 0
        case 'providers add --client-id'
            return 0
        case 'providers add --client-secret-file'
            return 0
        case 'providers add --client-auth'
            return 0
        case 'providers add --scope'
            return 0
        case 'providers add -s'
            return 0
        case 'providers add --redirect-uri'
            return 0
        case 'providers add --initial-access-token-file'
            return 0
        case 'providers add --software-statement-file'
            return 0
        case 'providers add --client-name'
            return 0
        case 'providers add --authorization-endpoint'
            return 0
        case 'providers add --token-endpoint'
            return 0
        case 'providers add --refresh-endpoint'
            return 0
        case 'providers add --device-authorization-endpoint'
            return 0
        case 'providers add --device-token-endpoint'
            return 0
        case 'providers add --revocation-endpoint'
            return 0
        case 'providers add --introspection-endpoint'
            return 0
        case 'providers add --userinfo-endpoint'
            return 0
        case 'providers add --registration-endpoint'
            return 0
        case 'providers add --jwks-uri'
            return 0
        case 'providers add --pushed-authorization-request-endpoint'
            return 0
        case 'providers add --end-session-endpoint'
            return 0
        case 'providers add --cacert'
            return 0
        case 'unlock --password-file'
            return 0
        case 'doctor --cacert'
            return 0
    end
    return 1
end

# Whether the operand of this number is a word of another program; 2 where a word names a command.
function __oauthctl_foreign
    switch $__oauthctl_place
        case ''
            return 2
        case providers
            return 2
        case '*'
            return 1
    end
end

# Walks over the words in front of the cursor: where they lead, what is used, how many operands there are.
function __oauthctl_walk
    set -l words (commandline -opc)
    set -e words[1]
    # Each rule below asks; one walk answers them all.
    set -l line (string escape -- $words | string join ' ')
    set -q __oauthctl_line; and test "$__oauthctl_line" = "$line"; and return
    set -g __oauthctl_line $line
    set -g __oauthctl_place ''
    set -g __oauthctl_state ''
    set -g __oauthctl_used
    set -g __oauthctl_at 0
    set -g __oauthctl_words
    set -l pending
    set -l help ''
    set -l ended ''
    for word in $words
        if set -q pending[1]
            set -a __oauthctl_used $pending
            set pending
        else if test -z "$ended"; and test "$word" = --
            set ended ended
        else if test -z "$ended"; and string match -q -- '--*=*' $word
            set -a __oauthctl_used (string split -m 1 = -- $word)[1]
        else if test -z "$ended"; and string match -q -- '--*' $word
            __oauthctl_takes $word; and set pending $word; or set -a __oauthctl_used $word
        else if test -z "$ended"; and string match -q -- '-?*' $word
            set -l letters (string split '' -- (string sub -s 2 -- $word))
            while set -q letters[1]
                set -l option -$letters[1]
                set -e letters[1]
                if not __oauthctl_takes $option
                    set -a __oauthctl_used $option
                else if set -q letters[1]
                    set -a __oauthctl_used $option
                    break
                else
                    set pending $option
                end
            end
        else
            __oauthctl_foreign $__oauthctl_at
            switch $status
                case 0
                    set ended ended
                    set -a __oauthctl_words $word
                    set -g __oauthctl_at (math $__oauthctl_at + 1)
                case 1
                    set -g __oauthctl_at (math $__oauthctl_at + 1)
                case 2
                    if test "$word" = help; and test -z "$help"
                        set help help
                    else if not __oauthctl_enter $word
                        set -g __oauthctl_place unknown
                    end
            end
        end
    end
    set -g __oauthctl_state $help $ended
end

# Whether a word at this place can name a command.
function __oauthctl_commands
    __oauthctl_walk
    test "$__oauthctl_place" = "$argv[1]"
end

# Whether an option of this place can be given: it is not used yet, under none of the names that follow.
function __oauthctl_option
    __oauthctl_walk
    test "$argv[1]" = '*'; or test "$__oauthctl_place" = "$argv[1]"; or return
    contains -- ended $__oauthctl_state; and return 1
    contains -- help $__oauthctl_state; and return 1
    for name in $argv[2..]
        contains -- $name $__oauthctl_used; and return 1
    end
    return 0
end

# Whether the operand at this place has this number, or at least this one.
function __oauthctl_operand
    __oauthctl_walk
    test "$__oauthctl_place" = "$argv[1]"; or return
    contains -- help $__oauthctl_state; and return 1
    test $__oauthctl_at -eq $argv[2]; or test "$argv[3]" = many -a $__oauthctl_at -gt $argv[2]
end

# What the program lists for a kind, a line "value" or "value<TAB>description" each.
function __oauthctl_ask
    command oauthctl __complete $argv[1] 2>/dev/null </dev/null
end

# What another program's command line can go on with.
function __oauthctl_delegate
    complete -C (string join ' ' -- (string escape -- $__oauthctl_words) (commandline -ct))
end

# Directories, also where the word is --option=directory.
function __oauthctl_directories
    __fish_complete_directories (commandline -ct | string replace -r -- '^--?[^=/]*=' '')
end

complete -c oauthctl -f
complete -c oauthctl -n '__oauthctl_commands \'\'' -a login -d 'log in at a provider and keep its tokens in the keyring'
complete -c oauthctl -n '__oauthctl_commands \'\'' -a token -d 'print a valid access token, refreshing it first if need be'
complete -c oauthctl -n '__oauthctl_commands \'\'' -a refresh -d 'renew access tokens; for cron and timers'
complete -c oauthctl -n '__oauthctl_commands \'\'' -a 'revoke logout' -d 'revoke tokens at the server, then forget them (logout does the same)'
complete -c oauthctl -n '__oauthctl_commands \'\'' -a status -d 'list the accounts and how their tokens stand'
complete -c oauthctl -n '__oauthctl_commands \'\'' -a inspect -d 'show what the tokens say, and ask the provider about them'
complete -c oauthctl -n '__oauthctl_commands \'\'' -a providers -d 'list, show, add and remove providers'
complete -c oauthctl -n '__oauthctl_commands \'\'' -a unlock -d 'unlock the keyring, over SSH and in scripts, without a graphical prompt'
complete -c oauthctl -n '__oauthctl_commands \'\'' -a lock -d 'lock the keyring'
complete -c oauthctl -n '__oauthctl_commands \'\'' -a doctor -d 'find out what is wrong here, and what helps'
complete -c oauthctl -n '__oauthctl_commands \'\'' -a help -d 'explain the program or one of its commands'
complete -c oauthctl -n '__oauthctl_option \'\' --version -V' -s V -l version -d 'print the version'
complete -c oauthctl -n '__oauthctl_option login --flow' -l flow -x -a 'code device client-credentials password implicit jwt-bearer token-exchange refresh-token' -d 'the grant: code, device, client-credentials, password, implicit, jwt-bearer, token-exchange, refresh-token, or the name of one of the provider\'s own; by default the authorization code with PKCE, and a device login where no browser can be opened and the provider has it'
complete -c oauthctl -n '__oauthctl_option login' -s s -l scope -x -d 'ask for this scope instead of the provider\'s usual ones; a list is split at spaces and commas'
complete -c oauthctl -n '__oauthctl_option login --anew' -l anew -d 'take nothing over from the account\'s former login: its grant, client, scopes and the like'
complete -c oauthctl -n '__oauthctl_option login --username' -l username -x -d 'for the password grant: whose password it is'
complete -c oauthctl -n '__oauthctl_option login --password-file' -l password-file -r -F -d 'read that password from a file, - for standard input; it is not kept'
complete -c oauthctl -n '__oauthctl_option login --assertion-file' -l assertion-file -r -F -d 'for the JWT bearer grant: a signed assertion, or a service account\'s JSON key, which is kept and signs one each time'
complete -c oauthctl -n '__oauthctl_option login --assertion-issuer' -l assertion-issuer -x -d 'whose word an assertion is that --private-key-file signs'
complete -c oauthctl -n '__oauthctl_option login --assertion-subject' -l assertion-subject -x -d 'for whom such an assertion asks'
complete -c oauthctl -n '__oauthctl_option login --subject-token-file' -l subject-token-file -r -F -d 'for token exchange: read the token to be exchanged from a file'
complete -c oauthctl -n '__oauthctl_option login --subject-token-type' -l subject-token-type -x -a 'access_token refresh_token id_token saml1 saml2 jwt' -d 'what it is (default access_token)'
complete -c oauthctl -n '__oauthctl_option login --actor-token-file' -l actor-token-file -r -F -d 'read the token of who acts in its name from a file'
complete -c oauthctl -n '__oauthctl_option login --actor-token-type' -l actor-token-type -x -a 'access_token refresh_token id_token saml1 saml2 jwt' -d 'what that is (default access_token)'
complete -c oauthctl -n '__oauthctl_option login --requested-token-type' -l requested-token-type -x -a 'access_token refresh_token id_token saml1 saml2 jwt' -d 'what to ask for'
complete -c oauthctl -n '__oauthctl_option login --refresh-token-file' -l refresh-token-file -r -F -d 'begin with a refresh token that the client has from elsewhere, read from a file, - for standard input; many servers take it once, and what they give in its place is kept'
complete -c oauthctl -n '__oauthctl_option login --client-id' -l client-id -x -d 'the client id'
complete -c oauthctl -n '__oauthctl_option login --client-secret-file' -l client-secret-file -r -F -d 'read the client secret from a file, - for standard input; it is kept in the keyring'
complete -c oauthctl -n '__oauthctl_option login --client-auth' -l client-auth -x -a 'none basic post client-secret-jwt private-key-jwt tls' -d 'how the client authenticates'
complete -c oauthctl -n '__oauthctl_option login --private-key-file' -l private-key-file -r -F -d 'read the client\'s private key (PEM or JWK) from a file; it is kept in the keyring'
complete -c oauthctl -n '__oauthctl_option login --certificate-file' -l certificate-file -r -F -d 'the client\'s certificate (PEM), with those between it and the authority; kept in the keyring'
complete -c oauthctl -n '__oauthctl_option login --key-file' -l key-file -r -F -d 'the certificate\'s private key (PEM); kept in the keyring'
complete -c oauthctl -n '__oauthctl_option login --initial-access-token-file' -l initial-access-token-file -r -F -d 'the token that the server wants for the registration of a client (RFC 7591), from a file; it is not kept'
complete -c oauthctl -n '__oauthctl_option login --software-statement-file' -l software-statement-file -r -F -d 'a signed statement about the client to be registered (RFC 7591), from a file'
complete -c oauthctl -n '__oauthctl_option login --client-name' -l client-name -x -d 'the name, for people, of a client to be registered (RFC 7591); oauthctl where none is given'
complete -c oauthctl -n '__oauthctl_option login' -l param -x -d 'add a parameter to the authorization request'
complete -c oauthctl -n '__oauthctl_option login' -l token-param -x -d 'add a parameter to the token request'
complete -c oauthctl -n '__oauthctl_option login' -l header -x -d 'add a header to token requests, refreshes too; not one that oauthctl sets itself'
complete -c oauthctl -n '__oauthctl_option login --audience' -l audience -x -d 'whom the token is for, as Auth0 names it'
complete -c oauthctl -n '__oauthctl_option login' -l resource -x -d 'the resource that the token is for (RFC 8707)'
complete -c oauthctl -n '__oauthctl_option login --authorization-details' -l authorization-details -x -d 'what to ask for in detail, a list of objects with a type (RFC 9396)'
complete -c oauthctl -n '__oauthctl_option login --login-hint' -l login-hint -x -d 'whom to offer on the login page'
complete -c oauthctl -n '__oauthctl_option login --prompt' -l prompt -x -a 'login consent select_account none' -d 'what the provider shall ask again; consent, without which no refresh token may be given, is asked for by itself with the scopes openid and offline_access'
complete -c oauthctl -n '__oauthctl_option login --max-age' -l max-age -x -d 'how long ago the person may have logged in at the provider'
complete -c oauthctl -n '__oauthctl_option login --acr-values' -l acr-values -x -d 'how sure of the person the provider shall be, best first'
complete -c oauthctl -n '__oauthctl_option login --ui-locales' -l ui-locales -x -d 'the languages of the login page, best first'
complete -c oauthctl -n '__oauthctl_option login --par' -l par -d 'leave the request with the server beforehand (RFC 9126)'
complete -c oauthctl -n '__oauthctl_option login --sign-request' -l sign-request -d 'sign the request with the client\'s private key (RFC 9101)'
complete -c oauthctl -n '__oauthctl_option login --response-type' -l response-type -x -d 'what the answer holds: \'code\', as usual, or \'code id_token\', with an ID token that is verified before the code is redeemed'
complete -c oauthctl -n '__oauthctl_option login --response-mode' -l response-mode -x -a 'query fragment form_post jwt query.jwt fragment.jwt form_post.jwt' -d 'how the answer comes back: query, fragment, form_post, or signed by the server (JARM): jwt, query.jwt, fragment.jwt, form_post.jwt'
complete -c oauthctl -n '__oauthctl_option login --dpop' -l dpop -d 'bind the tokens to a key of this account\'s own (RFC 9449)'
complete -c oauthctl -n '__oauthctl_option login --no-pkce' -l no-pkce -d 'leave out PKCE, for a server that refuses it; the code is then not protected'
complete -c oauthctl -n '__oauthctl_option login' -l var -x -d 'a value for a variable in the provider\'s URLs'
complete -c oauthctl -n '__oauthctl_option login --redirect-uri' -l redirect-uri -x -d 'the registered redirect URI, sent as it is'
complete -c oauthctl -n '__oauthctl_option login --port' -l port -x -d 'the ports to try for the redirect, in order; 0 is any free one'
complete -c oauthctl -n '__oauthctl_option login --no-browser' -l no-browser -d 'print the URL and open no browser'
complete -c oauthctl -n '__oauthctl_option login --browser' -l browser -x -a '(__oauthctl_delegate)' -d 'the browser to open; %s stands for the URL'
complete -c oauthctl -n '__oauthctl_option login --private' -l private -d 'open a private window'
complete -c oauthctl -n '__oauthctl_option login --timeout' -l timeout -x -d 'how long to wait for the browser (default 5m, with --print-url 15m)'
complete -c oauthctl -n '__oauthctl_option login --print-url' -l print-url -d 'print the page\'s URL and, on a line of its own, an id, and exit; --finish ends the login, on this machine'
complete -c oauthctl -n '__oauthctl_option login --finish' -l finish -x -a '(__oauthctl_ask logins)' -d 'finish a login that --print-url began: the redirect URL is read from standard input, or asked for on a terminal'
complete -c oauthctl -n '__oauthctl_option login --json' -l json -d 'print JSON, errors too'
complete -c oauthctl -n '__oauthctl_option login --cacert' -l cacert -r -F -d 'trust the certificate authorities in this PEM file too'
complete -c oauthctl -n '__oauthctl_operand login 0' -a '(__oauthctl_ask targets)'
complete -c oauthctl -n '__oauthctl_option token --min-valid' -l min-valid -x -d 'how long the token must still be valid (default 60s)'
complete -c oauthctl -n '__oauthctl_option token --format' -l format -x -a 'raw header json env' -d 'how to print it, raw by default'
complete -c oauthctl -n '__oauthctl_option token --id-token' -l id-token -d 'print the ID token instead'
complete -c oauthctl -n '__oauthctl_option token --field' -l field -x -d 'print another field of the provider\'s reply instead'
complete -c oauthctl -n '__oauthctl_option token --force-refresh' -l force-refresh -d 'get a new token even where the stored one is valid, or the server was out of order'
complete -c oauthctl -n '__oauthctl_option token --no-refresh' -l no-refresh -d 'never ask the server; fail where a refresh is needed'
complete -c oauthctl -n '__oauthctl_option token' -s s -l scope -x -d 'another token of the same grant, for these scopes alone; it is kept apart'
complete -c oauthctl -n '__oauthctl_option token --audience' -l audience -x -d 'another token of the same grant, for this audience'
complete -c oauthctl -n '__oauthctl_option token' -l resource -x -d 'another token of the same grant, for this resource (RFC 8707)'
complete -c oauthctl -n '__oauthctl_option token --url' -l url -x -d 'with --format header: the URL of the request, for the proof that goes with a token bound to a key'
complete -c oauthctl -n '__oauthctl_option token --method' -l method -x -a 'GET POST PUT PATCH DELETE' -d 'with --url: the request\'s method, GET by default'
complete -c oauthctl -n '__oauthctl_option token --nonce' -l nonce -x -d 'with --url: the nonce that the server wants in the proof (DPoP-Nonce)'
complete -c oauthctl -n '__oauthctl_option token --json' -l json -d 'print JSON, errors too'
complete -c oauthctl -n '__oauthctl_option token --cacert' -l cacert -r -F -d 'trust the certificate authorities in this PEM file too'
complete -c oauthctl -n '__oauthctl_operand token 0' -a '(__oauthctl_ask accounts)'
complete -c oauthctl -n '__oauthctl_option refresh --all' -l all -d 'refresh every account'
complete -c oauthctl -n '__oauthctl_option refresh --within' -l within -x -d 'only those whose token ends within this time'
complete -c oauthctl -n '__oauthctl_option refresh --jobs -j' -s j -l jobs -x -d 'how many accounts at a time (default 8)'
complete -c oauthctl -n '__oauthctl_option refresh --json' -l json -d 'print one JSON object a line and account, errors too'
complete -c oauthctl -n '__oauthctl_option refresh --cacert' -l cacert -r -F -d 'trust the certificate authorities in this PEM file too'
complete -c oauthctl -n '__oauthctl_operand refresh 0 many' -a '(__oauthctl_ask accounts)'
complete -c oauthctl -n '__oauthctl_option revoke --all' -l all -d 'every account'
complete -c oauthctl -n '__oauthctl_option revoke --local' -l local -d 'forget the tokens without asking the server'
complete -c oauthctl -n '__oauthctl_option revoke --forget-client' -l forget-client -d 'forget the client\'s id and secret too, and end its registration where oauthctl made it'
complete -c oauthctl -n '__oauthctl_option revoke --everywhere' -l everywhere -d 'open the provider\'s logout page too, which ends the login in the browser'
complete -c oauthctl -n '__oauthctl_option revoke --no-browser' -l no-browser -d 'with --everywhere: print that page\'s URL and open no browser'
complete -c oauthctl -n '__oauthctl_option revoke --browser' -l browser -x -a '(__oauthctl_delegate)' -d 'with --everywhere: the browser to open; %s stands for the URL'
complete -c oauthctl -n '__oauthctl_option revoke --json' -l json -d 'print JSON, errors too'
complete -c oauthctl -n '__oauthctl_option revoke --cacert' -l cacert -r -F -d 'trust the certificate authorities in this PEM file too'
complete -c oauthctl -n '__oauthctl_operand revoke 0 many' -a '(__oauthctl_ask accounts)'
complete -c oauthctl -n '__oauthctl_option status --json' -l json -d 'print JSON, errors too'
complete -c oauthctl -n '__oauthctl_operand status 0' -a '(__oauthctl_ask accounts)'
complete -c oauthctl -n '__oauthctl_option inspect --userinfo' -l userinfo -d 'ask the provider who it is, too (OpenID Connect, or the provider\'s own way)'
complete -c oauthctl -n '__oauthctl_option inspect --introspect' -l introspect -d 'ask the server what the access token is good for, too (RFC 7662)'
complete -c oauthctl -n '__oauthctl_option inspect --id-token' -l id-token -d 'the ID token alone; it is an error where there is none'
complete -c oauthctl -n '__oauthctl_option inspect --json' -l json -d 'print JSON, errors too'
complete -c oauthctl -n '__oauthctl_option inspect --cacert' -l cacert -r -F -d 'trust the certificate authorities in this PEM file too'
complete -c oauthctl -n '__oauthctl_operand inspect 0' -a '(__oauthctl_ask accounts)'
complete -c oauthctl -n '__oauthctl_commands providers' -a list -d 'list the providers that there are'
complete -c oauthctl -n '__oauthctl_commands providers' -a show -d 'print a provider\'s data, as a provider file holds it'
complete -c oauthctl -n '__oauthctl_commands providers' -a add -d 'describe a provider of one\'s own in a file'
complete -c oauthctl -n '__oauthctl_commands providers' -a remove -d 'remove a provider of one\'s own; logins stay'
complete -c oauthctl -n '__oauthctl_option providers --json' -l json -d 'print JSON, errors too'
complete -c oauthctl -n '__oauthctl_option \'providers list\' --json' -l json -d 'print JSON, errors too'
complete -c oauthctl -n '__oauthctl_option \'providers show\' --json' -l json -d 'print JSON, errors too'
complete -c oauthctl -n '__oauthctl_operand \'providers show\' 0' -a '(__oauthctl_ask providers)'
complete -c oauthctl -n '__oauthctl_option \'providers add\' --issuer' -l issuer -x -d 'the issuer, for discovery'
complete -c oauthctl -n '__oauthctl_option \'providers add\' --title' -l title -x -d 'the name for people'
complete -c oauthctl -n '__oauthctl_option \'providers add\' --client-id' -l client-id -x -d 'the client id'
complete -c oauthctl -n '__oauthctl_option \'providers add\' --client-secret-file' -l client-secret-file -r -F -d 'read the client secret from a file, - for standard input; it is kept in the keyring'
complete -c oauthctl -n '__oauthctl_option \'providers add\' --client-auth' -l client-auth -x -a 'none basic post client-secret-jwt private-key-jwt tls' -d 'how the client authenticates'
complete -c oauthctl -n '__oauthctl_option \'providers add\'' -s s -l scope -x -d 'a scope to ask for at login; a list is split at spaces and commas'
complete -c oauthctl -n '__oauthctl_option \'providers add\' --redirect-uri' -l redirect-uri -x -d 'the redirect that is registered, as http://127.0.0.1:8085/callback; port 0 is any'
complete -c oauthctl -n '__oauthctl_option \'providers add\' --register' -l register -d 'have the server register a client (RFC 7591), which is kept in the keyring'
complete -c oauthctl -n '__oauthctl_option \'providers add\' --initial-access-token-file' -l initial-access-token-file -r -F -d 'the token that the server wants for the registration of a client (RFC 7591), from a file; it is not kept'
complete -c oauthctl -n '__oauthctl_option \'providers add\' --software-statement-file' -l software-statement-file -r -F -d 'a signed statement about the client to be registered (RFC 7591), from a file'
complete -c oauthctl -n '__oauthctl_option \'providers add\' --client-name' -l client-name -x -d 'the name, for people, of a client to be registered (RFC 7591); oauthctl where none is given'
complete -c oauthctl -n '__oauthctl_option \'providers add\' --authorization-endpoint' -l authorization-endpoint -x -d 'the authorization endpoint'
complete -c oauthctl -n '__oauthctl_option \'providers add\' --token-endpoint' -l token-endpoint -x -d 'the token endpoint'
complete -c oauthctl -n '__oauthctl_option \'providers add\' --refresh-endpoint' -l refresh-endpoint -x -d 'the refresh endpoint'
complete -c oauthctl -n '__oauthctl_option \'providers add\' --device-authorization-endpoint' -l device-authorization-endpoint -x -d 'the device authorization endpoint'
complete -c oauthctl -n '__oauthctl_option \'providers add\' --device-token-endpoint' -l device-token-endpoint -x -d 'the device token endpoint'
complete -c oauthctl -n '__oauthctl_option \'providers add\' --revocation-endpoint' -l revocation-endpoint -x -d 'the revocation endpoint'
complete -c oauthctl -n '__oauthctl_option \'providers add\' --introspection-endpoint' -l introspection-endpoint -x -d 'the introspection endpoint'
complete -c oauthctl -n '__oauthctl_option \'providers add\' --userinfo-endpoint' -l userinfo-endpoint -x -d 'the userinfo endpoint'
complete -c oauthctl -n '__oauthctl_option \'providers add\' --registration-endpoint' -l registration-endpoint -x -d 'the registration endpoint'
complete -c oauthctl -n '__oauthctl_option \'providers add\' --jwks-uri' -l jwks-uri -x -d 'the jwks endpoint'
complete -c oauthctl -n '__oauthctl_option \'providers add\' --pushed-authorization-request-endpoint' -l pushed-authorization-request-endpoint -x -d 'the pushed authorization request endpoint'
complete -c oauthctl -n '__oauthctl_option \'providers add\' --end-session-endpoint' -l end-session-endpoint -x -d 'the end session endpoint'
complete -c oauthctl -n '__oauthctl_option \'providers add\' --force -f' -s f -l force -d 'replace the file where there is one'
complete -c oauthctl -n '__oauthctl_option \'providers add\' --json' -l json -d 'print JSON, errors too'
complete -c oauthctl -n '__oauthctl_option \'providers add\' --cacert' -l cacert -r -F -d 'trust the certificate authorities in this PEM file too'
complete -c oauthctl -n '__oauthctl_operand \'providers add\' 0' -a '(__oauthctl_ask providers)'
complete -c oauthctl -n '__oauthctl_option \'providers remove\' --json' -l json -d 'print JSON, errors too'
complete -c oauthctl -n '__oauthctl_operand \'providers remove\' 0' -a '(__oauthctl_ask user-providers)'
complete -c oauthctl -n '__oauthctl_option unlock --password-file' -l password-file -r -F -d 'read the keyring\'s password from a file, - for standard input'
complete -c oauthctl -n '__oauthctl_option unlock --json' -l json -d 'print JSON, errors too'
complete -c oauthctl -n '__oauthctl_option lock --json' -l json -d 'print JSON, errors too'
complete -c oauthctl -n '__oauthctl_option doctor --json' -l json -d 'print a list of {check, result, message, remedy, code}'
complete -c oauthctl -n '__oauthctl_option doctor --offline' -l offline -d 'ask no server anything'
complete -c oauthctl -n '__oauthctl_option doctor --cacert' -l cacert -r -F -d 'trust the certificate authorities in this PEM file too'
complete -c oauthctl -n '__oauthctl_option \'*\' --quiet -q' -s q -l quiet -d 'print errors alone on standard error'
complete -c oauthctl -n '__oauthctl_option \'*\' --verbose -v' -s v -l verbose -d 'trace requests and responses on standard error, secrets redacted'
complete -c oauthctl -n '__oauthctl_option \'*\' --help -h' -s h -l help -d 'show this help'

"""The terminal's side of a login, in a real pseudo-terminal."""

import re
import signal

import pytest

import loopback

URL = r"(https?://\S+/authorize\?\S+)\s"


def begin(terminal, *options, **more):
    shown = terminal("login", "acme", "--no-browser", *options, columns=1000, **more)
    return shown, shown.expect(URL).group(1)


def test_a_pasted_redirect_url_ends_the_login(acme, oauthctl, terminal):
    shown, url = begin(terminal)
    shown.send(acme.approve(url) + "\n")
    assert shown.wait() == 0
    shown.assert_modes_restored()
    assert acme.works(oauthctl.token())


def test_the_prompt_says_that_the_redirect_can_be_pasted(acme, terminal):
    shown, _ = begin(terminal)
    assert "paste" in shown.seen.lower() or shown.expect("(?i)paste")


@pytest.mark.parametrize("form", ["code-and-state", "bare-code", "query", "spaces"])
def test_other_forms_of_the_answer_can_be_pasted(acme, oauthctl, terminal, form):
    shown, url = begin(terminal)
    location = acme.approve(url)
    query = loopback.parameters(location)
    text = {
        "code-and-state": f"code={query['code']}&state={query['state']}", "bare-code": query["code"],
        "query": location[location.index("?"):], "spaces": f"   {location}  ",
    }[form]
    shown.send(text + "\n")
    assert shown.wait() == 0
    assert acme.works(oauthctl.token())


def test_a_pasted_url_with_a_wrong_state_is_refused_and_can_be_pasted_again(acme, oauthctl, terminal):
    shown, url = begin(terminal)
    location = acme.approve(url)
    shown.send(loopback.changed(location, state="wrong") + "\n")
    shown.expect("(?i)state")
    assert acme.count("token") == 0
    shown.send(location + "\n")
    assert shown.wait() == 0


def test_an_empty_line_and_nonsense_do_not_end_the_login(acme, oauthctl, terminal):
    shown, url = begin(terminal)
    shown.send("\n")
    shown.send("https://example.com/nothing\n")
    location = acme.approve(url)
    shown.send(location + "\n")
    assert shown.wait() == 0
    assert acme.count("token") == 1


def test_a_pasted_refusal_ends_with_the_servers_words(acme, terminal):
    acme.callback = lambda query, reply: {
        "error": "access_denied", "error_description": "Alice said no", "state": reply["state"]}
    shown, url = begin(terminal)
    shown.send(acme.approve(url) + "\n")
    assert shown.wait() == 77
    assert "Alice said no" in shown.seen


def test_the_callback_wins_while_the_prompt_waits(acme, terminal):
    shown, url = begin(terminal)
    loopback.get(acme.approve(url))
    assert shown.wait() == 0
    shown.assert_modes_restored()


def test_end_of_input_at_the_prompt_leaves_the_listener_waiting(acme, terminal):
    shown, url = begin(terminal)
    shown.send("\x04")
    loopback.get(acme.approve(url))
    assert shown.wait() == 0


def test_ctrl_c_ends_with_130_and_restores_the_terminal(acme, terminal):
    shown, _ = begin(terminal)
    shown.send("\x03")
    assert shown.wait(5) == 130
    shown.assert_modes_restored()
    assert "[?25l" not in shown.seen or "[?25h" in shown.seen, "the cursor was hidden and not shown again"


def test_the_timeout_restores_the_terminal(acme, terminal):
    shown, _ = begin(terminal, "--timeout", "1s")
    assert shown.wait(6) == 75
    shown.assert_modes_restored()


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=["no-color", "dumb"])
def test_no_colour_where_it_is_not_wanted(acme, terminal, env):
    shown, url = begin(terminal, env=env)
    loopback.get(acme.approve(url))
    assert shown.wait() == 0
    assert not re.search(r"\x1b\[[0-9;]*m", shown.seen)


def test_a_secret_is_asked_for_without_echo_and_kept(acme, oauthctl, terminal):
    acme.add_client(id="web", secret="s3cret-of-acme", auth="basic")
    oauthctl.write_provider(acme.provider(client_id="web", client_auth="basic"))
    shown = terminal("login", "acme", "--no-browser", columns=1000)
    shown.expect("(?i)secret")
    shown.wait_for_no_echo()
    shown.send("s3cret-of-acme\n")
    url = shown.expect(URL).group(1)
    loopback.get(acme.approve(url))
    assert shown.wait() == 0
    shown.assert_modes_restored()
    assert "s3cret" not in shown.seen
    assert acme.works(oauthctl.token("acme", "--force-refresh"))
    oauthctl.login("acme/second")  # not asked again


def test_ctrl_c_at_the_secrets_prompt_restores_the_echo(acme, oauthctl, terminal):
    oauthctl.write_provider(acme.provider(client_id="web", client_auth="basic"))
    shown = terminal("login", "acme", "--no-browser")
    shown.expect("(?i)secret")
    shown.wait_for_no_echo()
    shown.send("\x03")
    assert shown.wait(5) == 130
    shown.assert_modes_restored()


def test_a_client_id_is_asked_for_where_there_is_none(acme, oauthctl, terminal):
    oauthctl.write_provider(acme.provider(client_id=None))
    shown = terminal("login", "acme", "--no-browser", columns=1000)
    shown.expect("(?i)client.id")
    shown.send("cli\n")
    # a client without client_auth may be asked for a secret; an empty answer means that there is none
    match = shown.expect(URL + "|(?i:secret)")
    if not match.group(1):
        shown.send("\n")
        match = shown.expect(URL)
    loopback.get(acme.approve(match.group(1)))
    assert shown.wait() == 0


@pytest.mark.parametrize("sign", [signal.SIGQUIT, signal.SIGABRT, signal.SIGSEGV, signal.SIGUSR1], ids=lambda sign: sign.name)
def test_a_signal_that_ends_it_at_the_secrets_prompt_restores_the_echo(acme, oauthctl, terminal, sign):
    acme.add_client(id="web", secret="typed-secret-42", auth="post")
    oauthctl.write_provider(acme.provider(client_id="web", client_auth="post"))
    shown = terminal("login", "acme", "--no-browser")
    shown.wait_for_no_echo()
    if sign == signal.SIGQUIT:
        shown.send("\x1c")  # ^\, as a person would
    else:
        shown.process.send_signal(sign)
    assert shown.wait(5) == -sign
    shown.assert_modes_restored()


def test_what_is_pasted_is_no_order_to_the_terminal(acme, oauthctl, terminal):
    shown = terminal("login", "acme", "--no-browser")
    shown.expect("paste the redirect URL here: ")
    shown.send("some words\x9b31m\x1b]0;title\x07\x1b[2Jend\n")
    shown.expect("not the redirect URL")
    assert "\x9b" not in shown.seen and "\x1b]" not in shown.seen and "\x1b[2J" not in shown.seen
    shown.send("\x03")
    assert shown.wait(5) == 130
    shown.assert_modes_restored()

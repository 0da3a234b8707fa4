"""Text that a server or a file chose: it is shown to a person, and must not do anything to the terminal."""

import pytest

import faults
import loopback

EVIL = "\x1b[31mred\x1b]0;title\x07\u202egnp.exe\u200b\r\nfake: line\x9b2J\x00"
HARMFUL = ["\x1b", "\x07", "\u202e", "\r", "\x9b", "\x00"]


def assert_harmless(*texts):
    for text in texts:
        assert not [code for code in HARMFUL if code in text], repr(text)
        assert not [line for line in text.splitlines() if line.startswith("fake: line")], repr(text)


def test_an_identity_with_control_characters_is_shown_harmlessly(acme, oauthctl):
    acme.id_token_changes = {"email": EVIL, "preferred_username": EVIL, "name": EVIL}
    oauthctl.write_provider(acme.provider(scopes=["openid"], issuer=acme.issuer))
    assert_harmless(oauthctl.login().err)
    shown = oauthctl("status")
    assert shown.code == 0
    assert_harmless(shown.out, shown.err)
    assert len(shown.out.splitlines()) == 2


def test_scopes_with_control_characters_are_shown_harmlessly(acme, oauthctl):
    acme.on("token", faults.edit(scope=["read", EVIL]))
    assert_harmless(oauthctl.login().err)
    shown = oauthctl("status")
    assert_harmless(shown.out, shown.err)


def test_a_title_with_control_characters_is_refused_or_shown_harmlessly(acme, oauthctl):
    oauthctl.write_provider(acme.provider(title=EVIL))
    for argv in (["providers", "list"], ["login", "acme", "--browser", oauthctl.browser()], ["status"]):
        done = oauthctl(*argv)
        assert done.code in (0, 78)
        assert_harmless(done.out, done.err)


def test_a_key_with_control_characters_is_named_harmlessly(acme, oauthctl):
    oauthctl.write_provider(acme.provider(**{EVIL: 1}))
    done = oauthctl("providers", "show", "acme")
    assert done.code == 78
    assert_harmless(done.err)


@pytest.mark.parametrize("where", ["callback", "token", "refresh", "revocation"])
def test_an_error_with_control_characters_is_shown_harmlessly(acme, oauthctl, where):
    if where == "callback":
        acme.callback = lambda query, reply: {"error": EVIL, "error_description": EVIL, "state": reply["state"]}
    elif where == "token":
        acme.on("token", faults.error(EVIL, error_description=EVIL, error_uri=EVIL))
    login = oauthctl("login", "acme", "--browser", oauthctl.browser())
    assert_harmless(login.err)
    if where in ("refresh", "revocation"):
        acme.on(where, faults.error(EVIL, error_description=EVIL))
        done = oauthctl("refresh" if where == "refresh" else "revoke", "acme")
        assert_harmless(done.err)
        assert_harmless(oauthctl("status").out)
    else:
        assert login.code != 0


def test_a_very_long_line_at_the_terminal_is_read_whole(acme, oauthctl, terminal):
    """Some servers' codes are longer than the 4095 bytes that a terminal keeps of a line."""
    acme.code_size = 4500
    shown = terminal("login", "acme", "--no-browser", columns=1000)
    url = shown.expect(r"(https?://\S+/authorize\?\S+)\s").group(1)
    shown.expect("(?i)paste")
    shown.send(acme.approve(url) + "\n")
    assert shown.wait() == 0
    shown.assert_modes_restored()


def test_a_very_long_code_comes_through_the_listener(acme, oauthctl):
    acme.code_size = 9000
    flow = oauthctl.start("login", "acme", "--no-browser")
    assert loopback.get(acme.approve(flow.url())).status == 200
    assert flow.wait().code == 0


def test_a_flood_of_headers_is_given_up(acme, oauthctl):
    oauthctl.login()
    acme.on("refresh", faults.answer(200, {"access_token": "x"}, **{f"X-{n}": "y" * 8000 for n in range(150)}))
    done = oauthctl("refresh", "acme")
    assert done.code in (75, 76)
    assert acme.works(oauthctl.token())


def test_a_reply_that_stops_in_the_middle_is_given_up_in_time(acme, oauthctl):
    oauthctl.login()
    acme.on("refresh", faults.stall())
    done = oauthctl("refresh", "acme", timeout=100)
    assert done.code == 75 and done.seconds < 95


@pytest.mark.parametrize("missing", [["HOME"], ["HOME", "XDG_RUNTIME_DIR"], ["PATH"], ["LANG", "HOME", "PATH"]], ids=" ".join)
def test_a_bare_environment_is_enough_for_a_token(acme, oauthctl, missing):
    oauthctl.login()
    done = oauthctl("token", "acme", env={name: None for name in missing})
    assert done.code == 0 and acme.works(done.out.strip())


def test_many_accounts_are_refreshed_quickly(acme, oauthctl):
    for number in range(12):
        oauthctl.login(f"acme/n{number}")
    acme.on("refresh", faults.late(0.2).forever())
    done = oauthctl("refresh", "--all")
    assert done.code == 0 and acme.count("refresh") == 12
    assert done.seconds < 5

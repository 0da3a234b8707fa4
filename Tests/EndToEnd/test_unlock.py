"""`unlock` and `lock`: a keyring without a display, over SSH and at boot."""

import json
import os
import pathlib

import pytest

import command
from terminal import Terminal

PASSWORD = "a password for tests"  # with-keyring's


@pytest.fixture
def stored(make_session, make_oauthctl, server):
    """A login in a keyring whose daemon has ended since."""
    session = make_session("unlocked")
    oauthctl = make_oauthctl(session)
    oauthctl.write_provider(server.provider())
    oauthctl.login()
    session.close()
    make_oauthctl.secrets.add(PASSWORD)
    return server


@pytest.mark.parametrize("state", ["locked", "no-service"])
def test_a_boot_script_unlocks_and_then_a_token_comes(stored, make_session, make_oauthctl, secret_file, state):
    oauthctl = make_oauthctl(make_session(state))
    before = oauthctl("token", "acme")
    assert before.code == 69 and "oauthctl unlock" in before.err
    done = oauthctl("unlock", "--password-file", secret_file(PASSWORD + "\n"))
    assert (done.code, done.out) == (0, "") and "unlocked the keyring 'Login'" in done.err
    assert stored.works(oauthctl.token())
    again = oauthctl("unlock", "--json")
    assert again.code == 0 and "already" in again.err
    assert again.json == {"result": "ok", "keyring": "Login", "locked": False}


def test_a_fresh_server_gets_a_keyring(make_session, make_oauthctl, server, secret_file):
    make_oauthctl.secrets.add("fresh word")
    session = make_session("empty")
    oauthctl = make_oauthctl(session)
    oauthctl.write_provider(server.provider())
    assert "oauthctl unlock" in oauthctl("login", "acme", "--browser", oauthctl.browser()).err
    done = oauthctl("unlock", "--password-file", secret_file("fresh word"), "--json")
    assert done.code == 0 and done.json["locked"] is False
    oauthctl.login()
    token = oauthctl.token()
    session.close()
    # the same password opens it after a restart
    oauthctl = make_oauthctl(make_session("locked"))
    assert oauthctl("token", "acme").code == 69
    assert oauthctl("unlock", "--password-file", "-", stdin="fresh word\n").code == 0
    assert oauthctl.token() == token


def test_a_wrong_password_changes_nothing(stored, make_session, make_oauthctl, secret_file):
    oauthctl = make_oauthctl(make_session("locked"))
    for file in (secret_file("wrong"), secret_file(PASSWORD + " ")):
        done = oauthctl("unlock", "--password-file", file, "--json")
        assert (done.code, done.out) == (69, "")
        assert done.error["kind"] == "keyring-locked" and "password is wrong" in done.error["message"]
    assert oauthctl("token", "acme").code == 69
    assert oauthctl("unlock", "--password-file", secret_file(PASSWORD)).code == 0
    assert stored.works(oauthctl.token())


def test_the_password_is_typed_without_being_seen(stored, make_session, make_oauthctl):
    oauthctl = make_oauthctl(make_session("locked"))
    shown = Terminal([command.BINARY, "unlock"], oauthctl.env)
    try:
        shown.expect("password of the keyring: ")
        shown.wait_for_no_echo()
        shown.send(PASSWORD + "\r")
        assert shown.wait(10) == 0
        assert PASSWORD not in shown.seen and "unlocked" in shown.seen
        shown.assert_modes_restored()
    finally:
        shown.close()
    assert stored.works(oauthctl.token())


def test_half_a_password_is_dropped_when_the_program_was_stopped_meanwhile(stored, make_session, make_oauthctl):
    oauthctl = make_oauthctl(make_session("locked"))
    shown = Terminal([command.BINARY, "unlock"], oauthctl.env)
    try:
        shown.expect("password of the keyring: ")
        shown.wait_for_no_echo()
        # Nobody could bring it back here, so the kernel does not stop it; it draws its prompt again all the same.
        shown.send("half\x1a")
        shown.expect("password of the keyring: ")
        shown.wait_for_no_echo()
        shown.send(PASSWORD + "\r")
        assert shown.wait(10) == 0, shown.seen
    finally:
        shown.close()


def test_a_new_keyrings_password_is_typed_twice(make_session, make_oauthctl):
    oauthctl = make_oauthctl(make_session("empty"))
    for second, code in (("other", 64), ("word", 0)):
        shown = Terminal([command.BINARY, "unlock"], oauthctl.env)
        try:
            shown.expect("password for a new keyring: ")
            shown.wait_for_no_echo()
            shown.send("word\r")
            shown.expect("the same again: ")
            shown.wait_for_no_echo()
            shown.send(second + "\r")
            assert shown.wait(10) == code, shown.seen
        finally:
            shown.close()


def test_without_a_terminal_or_a_file_the_call_is_wrong(make_session, make_oauthctl, secret_file):
    oauthctl = make_oauthctl(make_session("locked"))
    done = oauthctl("unlock")
    assert done.code == 64 and "--password-file" in done.err
    file = secret_file(PASSWORD)
    os.chmod(file, 0o666)
    assert oauthctl("unlock", "--password-file", file).code == 78
    assert oauthctl("unlock", "--password-file", file + "-none").code == 78
    assert oauthctl("unlock", PASSWORD).code == 64


def test_no_daemon_and_no_bus_are_told_apart(make_session, make_oauthctl, secret_file, scratch):
    oauthctl = make_oauthctl(make_session("no-service"))
    done = oauthctl("unlock", "--password-file", secret_file(PASSWORD), env={"PATH": str(scratch)})
    assert done.code == 69 and "gnome-keyring" in done.err and "install" in done.err
    oauthctl = make_oauthctl(make_session("no-dbus", home="other"))
    for argv in (["unlock", "--password-file", secret_file(PASSWORD)], ["lock"]):
        done = oauthctl(*argv)
        assert done.code == 69 and "bus" in done.err and "enable-linger" in done.err and done.seconds < 5


def test_a_daemon_that_does_not_answer_is_given_up(make_session, make_oauthctl, secret_file, scratch):
    program = pathlib.Path(scratch) / "gnome-keyring-daemon"
    program.write_text("#!/bin/sh\nexec sleep 20\n")
    program.chmod(0o755)
    oauthctl = make_oauthctl(make_session("no-service"))
    done = oauthctl(
        "unlock", "--password-file", secret_file(PASSWORD), env={"PATH": f"{scratch}:{os.environ['PATH']}"}, timeout=30)
    assert done.code == 69 and "did not answer" in done.err and done.seconds < 10


def test_lock_locks_and_says_so(signed_in, oauthctl):
    assert oauthctl("lock").code == 0
    assert oauthctl("token", "acme").code == 69
    again = oauthctl("lock", "--json")
    assert again.code == 0 and "already" in again.err
    assert json.loads(again.out) == {"result": "ok", "keyring": "Login", "locked": True}
    assert oauthctl("unlock", "--password-file", "-", stdin=PASSWORD).code == 0
    assert signed_in.works(oauthctl.token())


def test_doubles_are_healed_and_the_newest_generation_wins(signed_in, oauthctl, keyring):
    old = keyring.item()
    token = oauthctl.token("acme", "--force-refresh")
    # an older copy, written later: a restored backup, another program's import
    attributes = [*keyring.attributes("session", "acme", "default"), "copy", "yes"]
    keyring.run("secret-tool", "store", "--label", "copy", *attributes, stdin=old)
    assert oauthctl.token() == token
    assert oauthctl("refresh", "acme").code == 0
    assert "\n".join(keyring.search()).count("attribute.type = session") == 1
    assert signed_in.works(oauthctl.token()) and oauthctl.token() != token

"""KeePassXC as the Secret Service: another program, other manners."""

import time

import pytest

import command
import keyring_session
import loopback
from diagnosis import diagnose
from terminal import Terminal


@pytest.fixture
def make_keepassxc(scratch):
    running = []

    def make(mode):
        session = keyring_session.KeyringSession(mode, scratch / "home", program=keyring_session.WITH_KEEPASSXC)
        running.append(session)
        return session

    yield make
    for session in running:
        session.close()


def test_a_login_lives_and_ends_there(make_keepassxc, make_oauthctl, server):
    keyring = make_keepassxc("unlocked")
    oauthctl = make_oauthctl(keyring)
    oauthctl.write_provider(server.provider())
    oauthctl.login()
    first = oauthctl.token()
    assert server.works(first)
    done = oauthctl("refresh", "acme")
    assert done.code == 0, done
    second = oauthctl.token()
    assert second != first and server.works(second)
    assert oauthctl.state()["state"] == "valid"

    # an older copy beside it neither wins nor stays
    attributes = [*keyring.attributes("session", "acme", "default"), "copy", "yes"]
    keyring.run("secret-tool", "store", "--label", "copy", *attributes, stdin=b'{"version":1,"generation":1}')
    assert oauthctl.token() == second
    assert oauthctl("refresh", "acme").code == 0
    assert "\n".join(keyring.search()).count("attribute.type = session") == 1

    opened = oauthctl("unlock")
    assert opened.code == 0 and "already" in opened.err
    assert oauthctl("revoke", "acme").code == 0
    assert oauthctl("token", "acme").code == 77
    assert "attribute.type = session" not in "\n".join(keyring.search())


def logged_in_at(mode, make_keepassxc, make_oauthctl, server):
    """A login, made while nothing was asked, and the keyring in a state since."""
    first = make_keepassxc("unlocked")
    oauthctl = make_oauthctl(first)
    oauthctl.write_provider(server.provider())
    oauthctl.login()
    # an older copy, which the next refresh wants to remove
    attributes = [*first.attributes("session", "acme", "default"), "copy", "yes"]
    first.run("secret-tool", "store", "--label", "copy", *attributes, stdin=b'{"version":1,"generation":0}')
    assert oauthctl("lock").code == 0  # which stores the database
    first.close()
    keyring = make_keepassxc(mode)
    return keyring, make_oauthctl(keyring)


def test_an_item_that_is_kept_from_programs_is_not_a_locked_keyring(make_keepassxc, make_oauthctl, server):
    """KeePassXC's own settings: somebody allows each program's access, and nobody is there."""
    _, oauthctl = logged_in_at("asking", make_keepassxc, make_oauthctl, server)
    kept = "keeps this item from oauthctl until somebody allows it"
    for argv in (["token", "acme"], ["token", "acme", "--force-refresh"], ["refresh", "acme"], ["refresh", "--all"]):
        done = oauthctl(*argv)
        assert (done.code, done.out) == (69, ""), argv
        assert kept in done.err and "turn its confirmation of access off" in done.err and "oauthctl unlock" not in done.err
        assert done.seconds < 3, argv
    accounts = diagnose(oauthctl, "--offline")["accounts"]
    assert (accounts["result"], accounts["code"]) == ("fail", 69)
    assert kept in accounts["message"] and "KeePassXC: Settings" in accounts["remedy"]
    assert server.count("refresh") == 0


def test_a_double_that_is_not_removed_before_somebody_is_asked_stops_no_refresh(make_keepassxc, make_oauthctl, server):
    keyring, oauthctl = logged_in_at("asking-to-remove", make_keepassxc, make_oauthctl, server)
    for _ in range(2):
        before = oauthctl.token()
        done = oauthctl("refresh", "acme")
        assert done.code == 0 and done.seconds < 5, done
        after = oauthctl.token()
        assert after != before and server.works(after)
    assert "\n".join(keyring.search()).count("attribute.type = session") == 2


def test_a_login_whose_database_is_locked_meanwhile_can_be_interrupted(make_keepassxc, make_oauthctl, server):
    oauthctl = make_oauthctl(make_keepassxc("unlocked"))
    oauthctl.write_provider(server.provider())
    shown = Terminal([command.BINARY, "login", "acme", "--no-browser"], oauthctl.environment({"DISPLAY": ":99"}))
    try:
        url = shown.expect(r"https?://\S+/authorize\?\S+(?=\s)").group(0)
        locked = oauthctl("lock")
        assert locked.code == 0, locked
        loopback.get(server.approve(url))
        shown.expect("waiting for the keyring to be unlocked")
        shown.send("\x03")
        assert shown.wait(10) == 130, shown.seen
        shown.assert_modes_restored()
    finally:
        shown.close()


def test_a_locked_database_is_told_at_once_and_is_not_ours_to_unlock(make_keepassxc, make_oauthctl, server, secret_file):
    oauthctl = make_oauthctl(make_keepassxc("locked"))
    oauthctl.write_provider(server.provider())
    for argv in (["token", "acme"], ["status"], ["refresh", "--all"], ["login", "acme", "--browser", oauthctl.browser()]):
        done = oauthctl(*argv)
        assert (done.code, done.out) == (69, "") and "locked" in done.err, argv
        assert done.seconds < 5, argv
    done = oauthctl("unlock", "--password-file", secret_file("word"))
    assert done.code == 69 and "its own window" in done.err and done.seconds < 5
    assert server.count("token") == 0


def test_a_person_is_told_what_is_waited_for_and_can_end_it(make_keepassxc, make_oauthctl, server):
    oauthctl = make_oauthctl(make_keepassxc("locked"))
    oauthctl.write_provider(server.provider())
    seen = {"DISPLAY": ":99"}  # the question is shown by the service, not by us
    waiting = "oauthctl: waiting for the keyring to be unlocked"
    login = ["login", "acme", "--no-browser"]
    for argv, ends in (["token", "acme"], (130, -2)), (login, (130, -2)), ([*login, "--timeout", "1s"], (69,)):
        shown = Terminal([command.BINARY, *argv], oauthctl.environment(seen))
        try:
            shown.expect(waiting)
            started = time.monotonic()
            if ends != (69,):
                shown.send("\x03")
            assert shown.wait(10) in ends, (argv, shown.seen)
            assert time.monotonic() - started < 5, argv
            assert shown.seen.count(waiting) == 1 and "not logged in" not in shown.seen
            shown.assert_modes_restored()
        finally:
            shown.close()
    quiet = Terminal([command.BINARY, "--quiet", *login, "--timeout", "1s"], oauthctl.environment(seen))
    try:
        assert quiet.wait(10) == 69 and waiting not in quiet.seen
    finally:
        quiet.close()

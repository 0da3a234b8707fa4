"""A keyring, or its bus, that dies, falls silent or is started anew at each step of login and refresh."""

import json
import signal
import threading
import time

import pytest

import faults
import loopback
from keyring_faults import Daemons

ANSWER = 9  # seconds a command may take to say that nobody answers: the keyring's own limit is 4


@pytest.fixture
def daemons(keyring):
    made = Daemons(keyring)
    yield made
    made.close()


def meanwhile(act, then=lambda: None, after=0):
    """A fault that keeps the server's reply, acts before it is sent, and acts again some seconds later."""

    def change(reply):
        act()
        if after:
            threading.Timer(after, then).start()
        return reply

    return faults.Fault(change, after_work=True)


# Before anything is sent


@pytest.mark.parametrize("name", ["keyring", "bus"])
@pytest.mark.parametrize("way", ["kill", "stop"])
def test_nothing_is_sent_while_nobody_keeps_secrets(signed_in, oauthctl, daemons, name, way):
    getattr(daemons, way)(name)
    running = [oauthctl.start(*argv) for argv in (
        ["token", "acme"], ["refresh", "acme"], ["refresh", "--all"], ["revoke", "acme"],
        ["login", "acme", "--browser", oauthctl.browser()], ["status"])]
    for one in running:
        done = one.wait(30)
        assert (done.code, done.out) == (69, ""), (one.argv, done)
        assert "oauthctl: error: " in done.err and done.seconds < 2 * ANSWER, (one.argv, done)
    assert signed_in.count("refresh") == signed_in.count("revocation") == 0 and signed_in.count("token") == 1
    if way == "stop":
        daemons.resume(name)
    else:
        if name == "bus":
            daemons.start_bus()
        daemons.start_keyring()
    assert signed_in.works(oauthctl.token()) and oauthctl("refresh", "acme").code == 0


# Between the server's reply and the keyring: the one moment at which the new tokens exist nowhere else


def test_a_keyring_that_is_started_anew_after_the_reply_gets_the_tokens(expired, oauthctl, daemons):
    expired.on("refresh", meanwhile(lambda: daemons.kill("keyring"), daemons.start_keyring, after=1.5))
    done = oauthctl("token", "acme", timeout=40)
    assert done.code == 0 and expired.works(done.out.strip()), done
    assert expired.count("refresh") == 1
    assert oauthctl("refresh", "acme").code == 0, "the session is dead afterwards"


def test_a_keyring_that_is_started_anew_locked_and_unlocked_later_gets_the_tokens(expired, oauthctl, daemons):
    def locked_first():
        daemons.start_keyring(unlocked=False)

        def unlock():
            daemons.kill("keyring")
            daemons.start_keyring()
        threading.Timer(2, unlock).start()

    expired.on("refresh", meanwhile(lambda: daemons.kill("keyring"), locked_first, after=0.5))
    done = oauthctl("token", "acme", timeout=40)
    assert done.code == 0 and expired.works(done.out.strip()), done
    assert expired.count("refresh") == 1 and oauthctl("refresh", "acme").code == 0


def test_a_keyring_that_falls_silent_after_the_reply_gets_the_tokens_later(expired, oauthctl, daemons):
    expired.on("refresh", meanwhile(lambda: daemons.stop("keyring"), lambda: daemons.resume("keyring"), after=6))
    done = oauthctl("token", "acme", timeout=40)
    assert done.code == 0 and expired.works(done.out.strip()), done
    assert expired.count("refresh") == 1 and oauthctl("refresh", "acme").code == 0


def test_a_bus_that_is_started_anew_after_the_reply_loses_nothing(expired, oauthctl, daemons):
    def anew():
        daemons.start_bus()
        daemons.start_keyring()

    expired.on("refresh", meanwhile(lambda: daemons.kill("bus"), anew, after=1.5))
    done = oauthctl("token", "acme", timeout=40)
    assert done.code == 0 and expired.works(done.out.strip()), done
    assert expired.count("refresh") == 1 and oauthctl("refresh", "acme").code == 0


@pytest.mark.parametrize("way", ["kill", "stop"])
def test_a_keyring_that_stays_away_after_the_reply_is_told_in_time(expired, oauthctl, daemons, way):
    """What the server has rotated is lost, and said so; where it rotates nothing the next refresh heals."""
    expired.rotation = "none"
    expired.on("refresh", meanwhile(lambda: getattr(daemons, way)("keyring")))
    done = oauthctl("token", "acme", timeout=90)
    assert (done.code, done.out) == (69, ""), done
    assert "lost" in done.err and expired.count("refresh") == 1
    assert done.seconds < 60
    if way == "kill":
        daemons.start_keyring()
    else:
        daemons.resume("keyring")
    assert expired.works(oauthctl.token())


# At a login


def test_a_keyring_that_dies_while_the_browser_is_out_costs_no_code(acme, oauthctl, daemons, keyring):
    """Started anew in time it gets the tokens, though its session is another."""
    flow = oauthctl.start("login", "acme", "--no-browser")
    location = acme.approve(flow.url())
    daemons.kill("keyring")
    daemons.start_keyring()
    loopback.get(location)
    assert flow.wait(20).code == 0
    assert acme.works(oauthctl.token())


@pytest.mark.parametrize("name", ["keyring", "bus"])
@pytest.mark.parametrize("way", ["kill", "stop"])
def test_a_login_that_nobody_can_keep_is_told_and_the_old_one_stays(signed_in, oauthctl, daemons, name, way):
    before = oauthctl.token()
    signed_in.on("token", meanwhile(lambda: getattr(daemons, way)(name)))
    done = oauthctl("login", "acme", "--browser", oauthctl.browser(), timeout=90)
    assert (done.code, done.out) == (69, "") and done.seconds < 60, done
    if way == "stop":
        daemons.resume(name)
    else:
        if name == "bus":
            daemons.start_bus()
        daemons.start_keyring()
    assert oauthctl.token() == before and oauthctl("refresh", "acme").code == 0


def test_a_keyring_that_is_started_anew_at_the_exchange_gets_the_login(acme, oauthctl, daemons):
    acme.on("token", meanwhile(lambda: daemons.kill("keyring"), daemons.start_keyring, after=1.5))
    done = oauthctl("login", "acme", "--browser", oauthctl.browser(), timeout=60)
    assert done.code == 0, done
    assert acme.works(oauthctl.token())


def test_tokens_that_nobody_can_keep_are_taken_back(acme, oauthctl, daemons):
    acme.on("token", meanwhile(lambda: daemons.kill("keyring")))
    done = oauthctl("login", "acme", "--browser", oauthctl.browser(), timeout=60)
    assert done.code == 69 and "the server has taken them back" in done.err, done
    assert [r.form["token_type_hint"] for r in acme.sent("revocation")] == ["refresh_token", "access_token"]


@pytest.mark.parametrize("sign", [signal.SIGHUP, signal.SIGINT])
def test_no_number_of_signals_cuts_off_the_saving_of_a_login(acme, oauthctl, daemons, sign):
    """A closing terminal brings two, and who waits presses Ctrl-C twice."""
    acme.on("token", meanwhile(lambda: daemons.kill("keyring"), daemons.start_keyring, after=1.5))
    login = oauthctl.start("login", "acme", "--browser", oauthctl.browser())
    acme.wait_for("token")
    time.sleep(0.5)
    for _ in range(3):
        login.kill(sign)
        time.sleep(0.1)
    assert login.wait(30).code in (0, 128 + sign)
    assert acme.works(oauthctl.token())


def test_a_keyring_that_is_started_anew_unlocked_gets_the_tokens_though_nothing_was_rotated(
        expired, oauthctl, daemons, keyring):
    """The old item and the new one have the same refresh token: the generation tells which is which."""
    expired.rotation, expired.expires_in = "none", 3600
    old = json.loads(keyring.item())["tokens"]["access_token"]

    def lock_and_start_anew(reply):
        keyring.lock()
        threading.Timer(1, lambda: (daemons.kill("keyring"), daemons.start_keyring())).start()
        return reply

    expired.on("refresh", faults.Fault(lock_and_start_anew, after_work=True))
    done = oauthctl("token", "acme", timeout=60)
    assert done.code == 0 and done.out.strip() != old and expired.works(done.out.strip()), done
    assert "pending_refresh" not in json.loads(keyring.item()) and oauthctl.token() == done.out.strip()


def test_a_revocation_whose_keyring_died_can_be_repeated(signed_in, oauthctl, daemons, keyring):
    signed_in.on("revocation", meanwhile(lambda: daemons.kill("keyring")))
    done = oauthctl("revoke", "acme", timeout=40)
    assert done.code == 69 and done.out == "", done
    daemons.start_keyring()
    assert oauthctl("revoke", "acme").code == 0 and keyring.item() is None

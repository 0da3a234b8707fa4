"""A server that cannot answer is left alone by timers, and after a while by scripts; never by a person."""

import email.utils
import json
import time

import command
import faults


def test_a_script_is_held_back_after_three_failures(expired, oauthctl):
    expired.on("refresh", faults.answer(503, "").forever())
    for _ in range(3):
        assert oauthctl("token", "acme").code == 75
    assert expired.count("refresh") == 3
    held = oauthctl("token", "acme")
    assert (held.code, held.out) == (75, "") and "the next try is in" in held.err
    assert "run 'oauthctl token acme --force-refresh' to ask now" in held.err
    assert expired.count("refresh") == 3
    # who insists is not held back, and a success ends it
    expired.heal()
    assert expired.works(oauthctl.token("acme", "--force-refresh"))
    assert oauthctl("token", "acme").code == 0


def test_one_failure_does_not_hold_a_script_back(expired, oauthctl):
    expired.on("refresh", faults.answer(503, ""))
    assert oauthctl("token", "acme").code == 75
    assert expired.works(oauthctl.token())


def test_a_person_at_a_terminal_is_not_held_back(expired, oauthctl, terminal):
    expired.on("refresh", faults.answer(429, "", retry_after="3600"))
    assert oauthctl("token", "acme").code == 75
    assert oauthctl("token", "acme").code == 75 and expired.count("refresh") == 1
    shown = terminal("-c", f"{command.BINARY} token acme >/dev/null", program="/bin/sh")
    assert shown.wait() == 0 and expired.count("refresh") == 2


def test_retry_after_as_a_date_is_honoured(expired, oauthctl):
    then = email.utils.formatdate(time.time() + 3600, usegmt=True)
    expired.on("refresh", faults.answer(503, "", retry_after=then))
    done = oauthctl("token", "acme")
    assert done.code == 75 and "try again in 3" in done.err
    held = oauthctl("refresh", "--all")
    assert held.code == 75 and expired.count("refresh") == 1
    assert held.err.startswith("oauthctl: acme: the server asked to be left alone"), held
    assert oauthctl.state()["back_off"]["holds_scripts"] is True
    assert oauthctl("refresh", "acme").code == 75 and expired.count("refresh") == 1
    assert oauthctl("token", "acme", "--force-refresh").code == 0 and expired.count("refresh") == 2


def test_a_refresh_that_was_cut_off_is_told_by_status(expired, oauthctl, keyring):
    expired.on("refresh", faults.drop())
    assert oauthctl("refresh", "acme").code == 75
    session = json.loads(keyring.item())
    session["pending_refresh"]["started_at"] -= 120
    keyring.put(json.dumps(session).encode())
    done = oauthctl("status")
    assert done.code == 0 and "had no clear end" in done.err and "oauthctl login acme" in done.err

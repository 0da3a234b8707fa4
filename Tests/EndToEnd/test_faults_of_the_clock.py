"""A wall clock that is wrong, or is set right: a day ahead, a day back, before and in the middle of a command.

The clock is libfaketime's, which moves the kernel's clock of the time since its start along with the wall clock, so what
waits for the account's lock by that one cannot be tested so. What a wrong clock may cost is a refresh too many; never a login, and never a token that is
handed out long after it has ended.
"""

import glob
import time

import pytest

import faults
import loopback

DAY = 86400
LIBRARY = (glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1") + glob.glob("/usr/lib*/faketime/libfaketimeMT.so.1"))


def clock(seconds):
    """The environment of a command whose wall clock is so many seconds ahead."""
    assert LIBRARY, "libfaketime is missing; make deps installs it"
    return {"LD_PRELOAD": LIBRARY[0], "FAKETIME": f"{seconds:+d}", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}


AHEAD, BEHIND = clock(DAY), clock(-DAY)


@pytest.fixture
def hands(scratch):
    """A clock that can be set while a command runs: gives its environment and the function that sets it."""
    file = scratch / "clock"

    def put(seconds):
        file.write_text(f"{seconds:+d}\n")

    put(0)
    return {
        "LD_PRELOAD": LIBRARY[0], "FAKETIME_TIMESTAMP_FILE": str(file), "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1"}, put


def test_the_clock_of_a_command_can_be_moved(signed_in, oauthctl):
    """Otherwise the tests below prove nothing."""
    right = oauthctl("token", "acme", "--json", "--no-refresh").json["expires_in"]
    behind = oauthctl("token", "acme", "--json", "--no-refresh", "--min-valid", "0", env=clock(-60)).json["expires_in"]
    assert 50 < behind - right < 70
    assert oauthctl("token", "acme", "--no-refresh", env=AHEAD).code == 77


def test_a_token_from_a_clock_that_was_ahead_is_not_trusted_for_a_day_more(acme, oauthctl):
    oauthctl.login(env=AHEAD)
    first = acme.grants[-1].access_tokens[-1]
    token = oauthctl.token()
    assert token != first and acme.works(token) and acme.count("refresh") == 1
    assert oauthctl.token() == token and acme.count("refresh") == 1, "once is enough"


def test_a_jump_ahead_and_back_costs_two_refreshes_and_nothing_else(signed_in, oauthctl):
    assert signed_in.works(oauthctl.token("acme", env=AHEAD))
    assert signed_in.count("refresh") == 1
    token = oauthctl.token()
    assert signed_in.works(token) and signed_in.count("refresh") == 2, "the token that was obtained tomorrow is trusted"
    assert oauthctl.token() == token and oauthctl("refresh", "acme").code == 0


def test_a_jump_back_and_ahead_loses_nothing(signed_in, oauthctl):
    assert signed_in.works(oauthctl.token("acme", env=BEHIND))
    token = oauthctl.token()
    assert signed_in.works(token)
    assert oauthctl.token() == token


def test_a_clock_that_is_a_little_wrong_costs_nothing(acme, oauthctl):
    """As two machines' clocks are, or one before and after the time service's correction."""
    oauthctl.login(env=clock(120))
    assert acme.works(oauthctl.token()) and acme.works(oauthctl.token(env=clock(-120)))
    assert acme.count("refresh") == 0


@pytest.mark.parametrize("wrong", [AHEAD, BEHIND], ids=["ahead", "behind"])
def test_everything_works_under_a_wrong_clock(acme, oauthctl, keyring, wrong):
    oauthctl.login(env=wrong)
    assert acme.works(oauthctl.token(env=wrong)) and acme.count("refresh") == 0
    assert oauthctl("refresh", "acme", env=wrong).code == 0
    (entry,) = oauthctl("status", "--json", env=wrong).json
    assert entry["state"] == "valid"
    assert oauthctl("revoke", "acme", env=wrong).code == 0 and keyring.item() is None


def test_a_back_off_from_a_clock_that_was_ahead_does_not_hold_for_a_day(expired, oauthctl):
    expired.on("refresh", faults.html(503))
    assert oauthctl("refresh", "--all", env=AHEAD).code == 75
    assert oauthctl("refresh", "--all").code == 0 and expired.count("refresh") == 2
    assert expired.works(oauthctl.token())


def test_a_long_retry_after_from_a_clock_that_was_ahead_ends_in_time(expired, oauthctl):
    """Whatever the clock was, nothing holds for longer than the day that a server may ask for."""
    expired.on("refresh", faults.answer(429, "", Retry_After=str(DAY)))
    assert oauthctl("refresh", "--all", env=clock(3 * DAY)).code == 75
    assert oauthctl("refresh", "--all").code == 0 and expired.count("refresh") == 2


@pytest.mark.parametrize("jump", [DAY, -DAY], ids=["ahead", "back"])
def test_a_jump_in_the_middle_of_a_refresh_loses_nothing(expired, oauthctl, hands, jump):
    env, put = hands
    expired.on("refresh", faults.Fault(lambda reply: (put(jump), reply)[1], after_work=True))
    done = oauthctl("token", "acme", env=env)
    assert done.code == 0 and expired.works(done.out.strip()), done
    put(0)
    assert expired.works(oauthctl.token(env=env))


@pytest.mark.parametrize("jump", [DAY, -DAY], ids=["ahead", "back"])
def test_a_jump_while_the_browser_is_out_does_not_end_the_login(acme, oauthctl, hands, jump):
    """Waiting is counted by a clock that never jumps."""
    env, put = hands
    flow = oauthctl.start("login", "acme", "--no-browser", "--timeout", "60s", env=env)
    location = acme.approve(flow.url())
    put(jump)
    time.sleep(0.5)
    assert flow.alive
    loopback.get(location)
    assert flow.wait(10).code == 0
    put(0)
    assert acme.works(oauthctl.token(env=env))

"""`kill -9` at each named step of refresh, login and revocation, and another command that comes meanwhile.

What may be lost is only what the server had answered and no keyring had yet.
"""

import pathlib
import re

import pytest

import command
import loopback
from checkpoints import VARIABLE, Stopped
from keyring_faults import state, wait_until

SOURCE = pathlib.Path(__file__).resolve().parents[2] / "Sources/Flows/Checkpoint.swift"
OF_REFRESH = ["locked", "marked", "replied", "saved"]
OF_LOGIN = ["browser-sent", "code-received", "logged-in", "client-saved"]
OF_SECOND_STEP = ["code-received", "login-used", "logged-in", "client-saved"]
OF_REVOCATION = ["revoked"]


def test_every_step_is_killed_at_below():
    cases = re.findall(r"^  case (\w+)(?: = \"([\w-]+)\")?$", SOURCE.read_text(), re.MULTILINE)
    assert {raw or name for name, raw in cases} == {*OF_REFRESH, *OF_LOGIN, *OF_SECOND_STEP, *OF_REVOCATION}


# Refresh


def after_a_death(server, oauthctl, step, asked):
    """The next command's result, and what it has to be."""
    done = oauthctl("token", "acme")
    if step != "replied":
        # nobody had asked, or what was answered is kept
        assert done.code == 0 and server.works(done.out.strip()), done
        assert server.count("refresh") == (asked if step == "saved" else asked + 1)
        assert oauthctl("refresh", "acme").code == 0
        return
    # the one token that is lost, and said so
    assert (done.code, done.out) == (77, "") and "no clear end" in done.err and "oauthctl login acme" in done.err, done
    server.expect_violation("a spent refresh token")
    oauthctl.login()
    assert oauthctl("refresh", "acme").code == 0


@pytest.mark.parametrize("both", [False, True], ids=["worker", "command-and-worker"])
@pytest.mark.parametrize("step", OF_REFRESH)
def test_a_refresh_that_is_killed(expired, oauthctl, step, both):
    expired.expires_in = 3600
    stopped = Stopped(oauthctl, step, "token", "acme")
    assert stopped.is_worker
    asked = expired.count("refresh")
    done = stopped.kill(both)
    if not both:
        assert done.out == "" and done.code == 75 and "oauthctl: error: " in done.err, done
    after_a_death(expired, oauthctl, step, asked)


def test_a_token_that_was_lost_where_the_server_rotates_nothing_is_no_loss(expired, oauthctl):
    expired.rotation = "none"
    Stopped(oauthctl, "replied", "refresh", "acme").kill(both=True)
    assert expired.works(oauthctl.token())


@pytest.mark.parametrize("step", OF_REFRESH)
def test_a_refresh_whose_caller_is_killed_saves_what_it_gets(expired, oauthctl, step):
    stopped = Stopped(oauthctl, step, "token", "acme")
    stopped.running.kill()
    wait_until(lambda: not stopped.running.alive, "it does not end")
    assert stopped.result().code == -9
    wait_until(lambda: state(stopped.pid) in ("Z", None), "the worker does not end")
    token = oauthctl.token()
    assert expired.works(token)
    if step in ("replied", "saved"):
        assert expired.count("refresh") == 1, "what the server had answered was not kept"
    assert oauthctl("refresh", "acme").code == 0


@pytest.mark.parametrize("step", OF_REFRESH)
def test_another_command_meets_a_refresh_that_stands_and_then_goes_on(expired, oauthctl, step):
    stopped = Stopped(oauthctl, step, "token", "acme")
    others = [oauthctl.start("token", "acme") for _ in range(3)]
    if step != "saved":
        # they wait for the lock and do not ask on their own
        assert not [one for one in others if not one.alive] and expired.count("refresh") == (step == "replied")
    first = stopped.result()
    results = [first, *(one.wait() for one in others)]
    assert [done.code for done in results] == [0] * 4, results
    assert len({done.out for done in results}) == 1 and expired.works(first.out.strip())
    assert expired.count("refresh") == 1


# Login


@pytest.mark.parametrize("step", OF_LOGIN)
def test_a_login_that_is_killed_leaves_the_old_one(signed_in, oauthctl, step):
    before = oauthctl.token()
    stopped = Stopped(oauthctl, step, "login", "acme", "--browser", oauthctl.browser())
    port = stopped.running.expect(r"redirect_uri=http%3A%2F%2F127\.0\.0\.1%3A(\d+)").group(1)
    stopped.kill()
    assert loopback.listening_addresses(int(port)) == []
    assert oauthctl.token() == before
    assert oauthctl("refresh", "acme").code == 0
    oauthctl.login()
    assert signed_in.works(oauthctl.token()) and oauthctl("refresh", "acme").code == 0


@pytest.mark.parametrize("step", OF_LOGIN)
def test_a_first_login_that_is_killed_leaves_none(acme, oauthctl, keyring, step):
    Stopped(oauthctl, step, "login", "acme", "--browser", oauthctl.browser()).kill()
    assert keyring.item() is None
    assert oauthctl("token", "acme").code == 77
    oauthctl.login()
    assert acme.works(oauthctl.token())


@pytest.mark.parametrize("step", OF_LOGIN)
def test_other_commands_meet_a_login_that_stands_and_then_goes_on(signed_in, oauthctl, step):
    before = oauthctl.token()
    stopped = Stopped(oauthctl, step, "login", "acme", "--browser", oauthctl.browser())
    assert oauthctl.token() == before, "a valid token waits for nobody"
    refreshing = oauthctl.start("refresh", "acme")
    assert stopped.result().code == 0
    assert refreshing.wait().code == 0
    newest = signed_in.grants[-1]
    assert oauthctl.token() in newest.access_tokens, "the newer login was written over"


@pytest.mark.parametrize("step", OF_SECOND_STEP)
def test_a_login_that_is_killed_in_its_second_run(signed_in, oauthctl, keyring, secret_file, step):
    before = keyring.item()
    url, id = oauthctl("login", "acme", "--print-url").out.split()
    address = signed_in.approve(url)
    with open(secret_file(address)) as file:
        Stopped(oauthctl, step, "login", "--finish", id, stdin=file).kill()
    assert keyring.item() == before
    # nobody had sent the code; else it is not sent a second time, which would end what it brought
    done = oauthctl("login", "--finish", id, stdin=address)
    assert done.code == (0 if step == "code-received" else 78), done
    assert signed_in.works(oauthctl.token())


# Revocation


def test_a_revocation_that_is_killed_can_be_repeated(signed_in, oauthctl, keyring):
    Stopped(oauthctl, "revoked", "revoke", "acme").kill()
    assert keyring.item() is not None, "it was forgotten before it was done"
    # the server has ended them: they are not handed out, and what to do is said
    done = oauthctl("token", "acme")
    assert (done.code, done.out) == (77, "") and "oauthctl logout acme" in done.err, done
    assert signed_in.count("refresh") == 0 and oauthctl.state()["state"] == "refused"
    assert oauthctl("revoke", "acme").code == 0 and keyring.item() is None


def test_a_refresh_meets_a_revocation_that_stands_and_then_goes_on(signed_in, oauthctl, keyring):
    stopped = Stopped(oauthctl, "revoked", "revoke", "acme")
    refreshing = oauthctl.start("refresh", "acme")
    assert stopped.result().code == 0
    done = refreshing.wait()
    assert done.code == 77 and signed_in.count("refresh") == 0, done
    assert keyring.item() is None


# The seam itself


def test_the_release_build_has_no_such_seam(expired, oauthctl):
    assert VARIABLE.encode() not in pathlib.Path(command.BINARY).read_bytes()
    done = [oauthctl("token", "acme", "--force-refresh", env={VARIABLE: step}).code for step in OF_REFRESH]
    assert done == [0] * len(OF_REFRESH)

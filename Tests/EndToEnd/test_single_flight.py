"""One login and one refresh of an account at a time; who waits is told for whom."""

import fcntl
import pathlib
import re

import pytest

import command
import faults
import loopback


def hold(oauthctl, name):
    """Takes an account's lock as another process would; the file gives it back when closed."""
    folder = pathlib.Path(oauthctl.env["XDG_RUNTIME_DIR"]) / "oauthctl"
    file = open(folder / name, "r+")
    fcntl.flock(file, fcntl.LOCK_EX)
    file.write("4711\n")
    file.flush()
    return file


def test_a_second_login_says_who_is_at_it_and_opens_nothing(acme, oauthctl, scratch):
    first = oauthctl.start("login", "acme", "--no-browser")
    location = acme.approve(first.url())
    opened = scratch / "opened"
    second = oauthctl("login", "acme", "--browser", oauthctl.browser(code=f"touch {opened}"))
    assert (second.code, second.out) == (75, "") and not opened.exists()
    assert f"a login to acme is in progress already (pid {first.process.pid})" in second.err
    assert f"hint: finish it in its browser, or end it: kill {first.process.pid}" in second.err
    # the first goes on, undisturbed
    assert loopback.get(location).status == 200 and first.wait().code == 0
    assert acme.works(oauthctl.token())


def test_another_account_can_be_logged_in_meanwhile(acme, oauthctl):
    first = oauthctl.start("login", "acme/home", "--no-browser")
    first.url()
    oauthctl.login("acme/work")
    first.kill()
    first.wait()
    # the lock went with its holder
    oauthctl.login("acme/home")


def test_a_login_that_waits_for_its_person_does_not_keep_the_token_back(expired, oauthctl):
    waiting = oauthctl.start("login", "acme", "--no-browser")
    waiting.url()
    assert expired.works(oauthctl.token())
    assert oauthctl("refresh", "acme").code == 0
    assert oauthctl("logout", "acme").code == 0


def test_who_waits_for_a_lock_is_told_for_whom_on_a_terminal_alone(expired, oauthctl, terminal):
    assert oauthctl("refresh", "acme").code == 0
    held = hold(oauthctl, "acme%2Fdefault.lock")
    shown = terminal("refresh", "acme")
    script = oauthctl.start("token", "acme", "--force-refresh")
    shown.expect(r"waiting for another oauthctl \(pid 4711\) that is busy with this account")
    held.close()
    assert shown.wait() == 0
    done = script.wait()
    assert done.code == 0 and "waiting" not in done.err
    plain = re.sub("\x1b\\[[0-9;]*[A-Za-z]", "", shown.seen)
    assert plain.count("waiting for another") == 1


@pytest.mark.parametrize("quiet", [True, False])
def test_quiet_waits_are_quiet(expired, oauthctl, terminal, quiet):
    assert oauthctl("refresh", "acme").code == 0
    held = hold(oauthctl, "acme%2Fdefault.lock")
    shown = terminal("refresh", "acme", *(["--quiet"] if quiet else []))
    try:
        shown.expect("waiting", timeout=2.5)
        spoke = True
    except AssertionError:
        spoke = False
    held.close()
    assert shown.wait() == 0 and spoke != quiet


def test_the_command_that_is_waited_for_is_the_refresh_itself(expired, oauthctl, terminal):
    """The pid that is named is of a process that is there, and is ours."""
    expired.on("refresh", faults.late(2.5))
    first = oauthctl.start("refresh", "acme")
    expired.wait_for("refresh")
    shown = terminal("refresh", "acme")
    pid = shown.expect(r"waiting for another oauthctl \(pid (\d+)\)").group(1)
    assert pathlib.Path(f"/proc/{pid}/exe").resolve() == pathlib.Path(command.BINARY).resolve()
    assert first.wait().code == 0 and shown.wait() == 0

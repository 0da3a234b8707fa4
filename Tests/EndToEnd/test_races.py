"""Several processes, and processes that die, around one rotating refresh token."""

import contextlib
import fcntl
import pathlib
import random
import shutil
import signal
import time

import pytest

import faults


def test_twenty_parallel_tokens_make_one_refresh(expired, oauthctl):
    expired.on("refresh", faults.late(0.2))
    running = [oauthctl.start("token", "acme") for _ in range(20)]
    results = [one.wait(60) for one in running]
    assert [result.code for result in results] == [0] * 20, [r for r in results if r.code]
    assert expired.count("refresh") == 1
    tokens = {result.out for result in results}
    assert len(tokens) == 1 and expired.works(tokens.pop().strip())
    assert expired.works(oauthctl.token("acme", "--force-refresh")), "the session is dead afterwards"


def test_parallel_refreshes_of_one_account_never_reuse_a_token(signed_in, oauthctl):
    running = [oauthctl.start("refresh", "acme") for _ in range(8)]
    assert [one.wait(60).code for one in running] == [0] * 8
    assert signed_in.works(oauthctl.token())


def test_parallel_force_refreshes_never_reuse_a_token(signed_in, oauthctl):
    running = [oauthctl.start("token", "acme", "--force-refresh") for _ in range(6)]
    assert [one.wait(60).code for one in running] == [0] * 6
    assert signed_in.works(oauthctl.token())


def test_accounts_do_not_wait_for_each_other(acme, oauthctl):
    acme.expires_in = 0
    oauthctl.login("acme/slow")
    oauthctl.login("acme/fast")
    acme.on("refresh", faults.late(4))
    slow = oauthctl.start("token", "acme/slow")
    acme.wait_for("refresh")
    done = oauthctl("token", "acme/fast")
    assert done.code == 0 and done.seconds < 3
    assert slow.wait().code == 0


def test_the_lock_of_a_killed_process_is_free_at_once(expired, oauthctl):
    expired.rotation = "window"
    expired.on("refresh", faults.silence(60))
    holder = oauthctl.start("token", "acme")
    expired.wait_for("refresh")
    holder.kill_with_children()
    holder.wait()
    done = oauthctl("token", "acme", timeout=10)
    assert done.code == 0 and done.seconds < 5


def test_an_interrupt_while_waiting_for_the_lock_ends_with_130(expired, oauthctl):
    expired.on("refresh", faults.late(5))
    holder = oauthctl.start("token", "acme")
    expired.wait_for("refresh")
    waiting = oauthctl.start("token", "acme")
    time.sleep(0.5)
    waiting.kill(signal.SIGINT)
    assert waiting.wait(3).code == 130
    assert holder.wait().code == 0


def test_a_refusal_is_looked_at_twice_when_another_machine_won(expired, oauthctl, keyring):
    """The reply is invalid_grant, but meanwhile somebody else stored a newer grant: that one is used."""
    before = keyring.item()
    assert oauthctl("refresh", "acme").code == 0
    newer = keyring.item()
    keyring.put(before)
    expired.on("refresh", faults.Fault(
        lambda _: (keyring.put(newer), faults.Reply.of({"error": "invalid_grant"}, 400))[1], after_work=False))
    done = oauthctl("token", "acme")
    assert done.code == 0 and expired.works(done.out.strip())


def test_login_and_refresh_at_once_leave_the_login(expired, oauthctl):
    expired.on("refresh", faults.late(1.5))
    refreshing = oauthctl.start("refresh", "acme")
    expired.wait_for("refresh")
    oauthctl.login()
    refreshing.wait()
    newest = expired.grants[-1]
    assert oauthctl.token() in newest.access_tokens


def test_the_lock_file_stays_is_private_and_holds_nothing(signed_in, oauthctl, keyring):
    assert oauthctl("refresh", "acme").code == 0
    folder = pathlib.Path(oauthctl.env["XDG_RUNTIME_DIR"]) / "oauthctl"
    files = [file for file in folder.rglob("*") if file.is_file()]
    assert files and folder.stat().st_mode & 0o777 == 0o700
    for file in files:
        assert file.stat().st_mode & 0o077 == 0 and file.stat().st_size < 64


def lock_files(oauthctl):
    return [f for f in (pathlib.Path(oauthctl.env["XDG_RUNTIME_DIR"]) / "oauthctl").rglob("*") if f.is_file()]


def test_the_lock_file_is_never_deleted(signed_in, oauthctl):
    assert oauthctl("refresh", "acme").code == 0
    before = {file: file.stat().st_ino for file in lock_files(oauthctl)}
    assert oauthctl("refresh", "acme").code == 0 and oauthctl("revoke", "acme").code == 0
    assert before and before.items() <= {file: file.stat().st_ino for file in lock_files(oauthctl)}.items()


def test_nothing_is_refreshed_without_the_lock(expired, oauthctl):
    assert oauthctl("refresh", "acme").code == 0
    with contextlib.ExitStack() as held:
        for file in lock_files(oauthctl):
            fcntl.flock(held.enter_context(open(file, "r+")), fcntl.LOCK_EX)
        done = oauthctl("token", "acme", "--force-refresh", timeout=120)
    assert (done.code, done.out) == (75, "") and "busy" in done.err
    assert expired.count("refresh") == 1
    assert oauthctl("token", "acme", "--force-refresh").code == 0


def test_a_lock_that_is_a_symbolic_link_is_not_followed(signed_in, oauthctl, scratch):
    assert oauthctl("refresh", "acme").code == 0
    folder = pathlib.Path(oauthctl.env["XDG_RUNTIME_DIR"]) / "oauthctl"
    victim = scratch / "victim"
    victim.write_text("mine")
    for file in [file for file in folder.rglob("*") if file.is_file()]:
        file.unlink()
        file.symlink_to(victim)
    done = oauthctl("refresh", "acme")
    assert done.code not in (0, 70) and signed_in.count("refresh") == 1
    assert victim.read_text() == "mine"


@pytest.mark.parametrize("state", ["a-file", "open-to-all"])
def test_a_lock_folder_that_cannot_be_trusted_is_told(signed_in, oauthctl, state):
    folder = pathlib.Path(oauthctl.env["XDG_RUNTIME_DIR"]) / "oauthctl"
    shutil.rmtree(folder, ignore_errors=True)
    if state == "a-file":
        folder.write_text("")
    else:
        folder.mkdir()
        folder.chmod(0o777)
    done = oauthctl("refresh", "acme")
    assert done.code not in (0, 70) and str(folder) in done.err
    assert signed_in.count("refresh") == 0 and signed_in.works(oauthctl.token())


@pytest.mark.parametrize("worker", range(4))
def test_a_refresh_killed_at_a_random_moment_does_not_lose_the_session(servers, oauthctl, worker):
    """25 kills here, 100 in all: afterwards the session works, or the server had not answered before the kill."""
    server = servers()
    oauthctl.write_provider(server.provider())
    oauthctl.login()
    dice = random.Random(worker)
    killed = answered = 0
    for _ in range(25):
        before = server.count("refresh")
        server.on("refresh", faults.late(dice.uniform(0, 0.03)))
        victim = oauthctl.start("refresh", "acme")
        time.sleep(dice.uniform(0, 0.15))
        killed += victim.alive
        victim.kill()
        at = time.monotonic()
        victim.wait()
        time.sleep(0.1)  # what the victim left to others ends
        server.heal()
        request = server.sent("refresh")[before] if server.count("refresh") > before else None
        had_answered = request is not None and request.answered_at is not None and request.answered_at < at
        answered += had_answered
        done = oauthctl("token", "acme", "--force-refresh")
        if done.code == 0:
            assert server.works(done.out.strip())
            continue
        assert not had_answered, f"the server had answered {at - request.answered_at:.4f} s before, the session is lost"
        assert request is not None, f"the server was not even asked, and the session is lost: {done}"
        server.expect_violation("a spent refresh token")
        oauthctl.login()
    assert killed > 3, "the victims ended before they were killed"


def test_a_login_killed_at_a_random_moment_leaves_the_old_session_or_the_new(signed_in, oauthctl):
    dice = random.Random(7)
    for _ in range(10):
        victim = oauthctl.start("login", "acme", "--browser", oauthctl.browser())
        time.sleep(dice.uniform(0.02, 0.3))
        victim.kill()
        victim.wait()
        assert signed_in.works(oauthctl.token())

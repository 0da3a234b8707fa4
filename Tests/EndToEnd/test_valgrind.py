"""No byte is definitely lost, and none is read or written where there is none: the release build under valgrind.

A refresh's work is done in a process of its own, which the caller starts by the kernel's link to its own program. Under
valgrind that leads to valgrind's, so the process is run here as the caller would run it.
"""

import fcntl
import hashlib
import re
import subprocess

import pytest
import scarcity

VALGRIND = [
    "valgrind", "--leak-check=full", "--show-leak-kinds=definite", "--errors-for-leak-kinds=definite", "--num-callers=25",
    "--undef-value-errors=no",  # half the time; and the compiler looks for those
]  # fmt: skip


def under_valgrind(oauthctl, scratch, *argv):
    """Runs a command; gives its result after what valgrind has to say was looked through.

    It is twenty times slower there, so that on a busy machine the keyring's time limit may be over before its answer,
    which is another way to look through, and not what was wanted: one at a time, and again.
    """
    for _ in range(5):
        log = scratch / f"valgrind-{argv[0]}"
        with open(__file__) as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            done = scarcity.run(
                oauthctl, [*VALGRIND, f"--log-file={log}"], argv, {}, timeout=120, stdin=subprocess.DEVNULL)
        said = log.read_text()
        assert re.search(r"definitely lost: 0 bytes in 0 blocks|no leaks are possible", said), said
        assert "ERROR SUMMARY: 0 errors from 0 contexts" in said, said
        if "did not answer within" not in done.err + done.out:
            break
    return done


def test_a_login_and_its_end_lose_no_memory(acme, oauthctl, scratch, keyring):
    assert under_valgrind(oauthctl, scratch, "login", "acme", "--browser", oauthctl.browser()).code == 0
    assert under_valgrind(oauthctl, scratch, "revoke", "acme").code == 0
    assert keyring.item() is None


@pytest.mark.parametrize("argv", [["token", "acme"], ["status"]], ids=" ".join)
def test_a_look_at_what_is_stored_loses_no_memory(signed_in, oauthctl, scratch, argv):
    assert under_valgrind(oauthctl, scratch, *argv).code == 0


def test_a_refresh_loses_no_memory(expired, oauthctl, scratch):
    stored = expired.grants[-1].access_tokens[-1]
    seen = hashlib.sha256(stored.encode()).hexdigest()[:8]
    done = under_valgrind(oauthctl, scratch, "__refresh", "acme/default", seen)
    assert done.code == 0 and done.json == {"result": "ok"}, done
    assert expired.count("refresh") == 1 and expired.works(oauthctl.token())
    assert expired.count("refresh") == 1

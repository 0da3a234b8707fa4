"""The soak of `make soak`, for a moment; and that it sees a loss where there is one."""

import pathlib
import re
import subprocess

import command

SOAK = pathlib.Path(__file__).resolve().parents[1] / "Support/soak"


def soak(*options):
    done = subprocess.run(
        [SOAK, "--seed", "20", "--processes", "5", *options, command.BINARY], capture_output=True, text=True, timeout=200)
    shown = {
        name: int(found.group(1)) if (found := re.search(rf"^  {name} +(\d+)$", done.stdout, re.MULTILINE)) else None
        for name in ("losses", "other wrongs", "rotations")
    }
    return done, shown


def test_no_login_is_lost_while_everything_fails():
    done, shown = soak("--seconds", "20")
    assert done.returncode == 0, done.stdout + done.stderr
    assert shown["losses"] == 0 and shown["other wrongs"] == 0 and shown["rotations"] > 20, done.stdout


def test_the_soak_sees_logins_lost_where_locks_exclude_nobody():
    done, shown = soak("--seconds", "5", "--accounts", "2", "--no-locks")
    assert done.returncode == 1 and shown["losses"] > 0, done.stdout + done.stderr
